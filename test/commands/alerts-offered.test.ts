import { expect, test } from "vitest";

import type { Reply } from "../../src/reply/reply.ts";
import { ann, bob, OPS, talkInOps } from "./alert-channel.ts";

// What changes a channel's alerts is offered to those who may, and to all where everybody sees the answer.

/** The labels of all that can be pressed. */
function lines({ blocks, actions }: Reply): string[] {
  const rows = blocks.flatMap((block) => (block.kind === "table" ? (block.rowAction?.label ?? []) : []));
  return [...rows, ...actions.map(({ label }) => label)];
}

test("subscriptions and silences of the channel are no button for whoever may not change them", async () => {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down");
  await talk.ask("alerts silence node.down for:2h");
  expect(lines(await talk.askFor("alerts list"))).toEqual(expect.arrayContaining([expect.stringContaining("Change…")]));
  expect(lines(await talk.askFor("alerts silences"))).not.toEqual([]);
  await talk.ask("alerts add checkpoint.overdue");
  expect(lines(await talk.askFor("alerts list"))).toEqual(expect.arrayContaining([expect.stringContaining("Change…")]));
  talk.become({ here: OPS, caller: bob });
  expect(lines(await talk.askFor("alerts list"))).toEqual([]);
  expect(lines(await talk.askFor("alerts silences"))).toEqual([]);
  // Others see this one.
  expect(lines(await talk.askFor("alerts list private:no"))).toEqual(
    expect.arrayContaining([expect.stringContaining("Change…")]),
  );
  await talk.ask(`alerts add order.final ${talk.samples.orderId}`);
  expect(lines(await talk.askFor("alerts list"))).toEqual(expect.arrayContaining([expect.stringContaining("Change…")]));
});

test("an empty list offers what the caller may do", async () => {
  const talk = await talkInOps(bob);
  expect(lines(await talk.askFor("alerts list"))).toEqual([]);
  expect(await talk.ask("alerts list")).toContain("alerts add to:me");
  talk.become({ here: OPS, caller: ann });
  expect(lines(await talk.askFor("alerts list"))).toHaveLength(1);
});
