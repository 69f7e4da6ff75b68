import { expect, test } from "vitest";

import type { Reply } from "../../src/reply/reply.ts";
import { ann, bob, oneNodeDown, OPS, talkInOps } from "./alert-channel.ts";

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

test("a question looks before it offers: what stands already, with what may be done with it", async () => {
  const talk = await talkInOps();
  expect(await talk.ask("subscribe this channel")).toContain("Subscribe this channel to the ops alerts on");
  await talk.press("alerts add");
  const again = await talk.askFor("subscribe here");
  expect(await talk.ask("subscribe here")).toMatch(/^• Subscribed already: this channel is told of the ops alerts/u);
  expect(lines(again)).toEqual(["Send a test", "Change…", "All subscriptions"]);
  talk.become({ here: OPS, caller: bob });
  expect(lines(await talk.askFor("subscribe here"))).toEqual(["Subscribe me", "All subscriptions"]);
});

test.each([
  ["subscribe this channel to BTC", /Subscribe this channel to the markets alerts of BTC\/USDT on/u],
  ["tell us about checkpoints here", /Subscribe this channel to the checkpoints alerts on/u],
  ["tell us when BTC is above 70000", /Subscribe this channel to mark prices of BTC\/USDT, above 70,000 on/u],
  ["tell us when BTC falls below 2.5k", /Subscribe this channel to mark prices of BTC\/USDT, below 2,500 on/u],
  ["tell us when BTC changes 5", /Subscribe to which alerts\?[^]*Not understood: .*5[^]*market\.value/u],
  ["subscribe this channel to nonsense", /Subscribe to which alerts\?[^]*Not understood: “nonsense”[^]*ops:/u],
])("“%s” offers what was asked", async (question, offered) => {
  const talk = await talkInOps();
  expect(await talk.ask(question)).toMatch(offered);
});

test("whoever may not manage the channel is offered to be told alone, and told whom to ask", async () => {
  const talk = await talkInOps(bob);
  expect(await talk.ask("subscribe this channel")).toMatch(
    /^• Subscribe you, by direct message, to .*Only people who/su,
  );
  await talk.press("alerts add");
  expect(await talk.engine.subscriptions()).toMatchObject([{ destination: { channel: `user:${bob.id}` } }]);
  expect(await talk.ask("alerts add markets")).toContain("Only people who manage this channel");
  expect(await talk.press("alerts add")).toContain("By direct message you will be told of the markets alerts");
});

test("whoever may not silence the channel's alerts is told so before anything is offered", async () => {
  const talk = await talkInOps(bob);
  const refused = await talk.askFor("silence node.down for two hours please");
  expect(await talk.ask("silence node.down for two hours please")).toMatch(/^! Only people who manage this channel/u);
  expect(lines(refused)).toEqual([]);
});

test("an alert's buttons are for those who may, and for all where everybody sees the answer", async () => {
  const talk = await oneNodeDown();
  const changing = async (line: string): Promise<string[]> =>
    lines(await talk.askFor(line)).filter((label) => /^(?:Acknowledge|Silence)/u.test(label));
  expect(await changing("alerts why node.down")).toEqual(["Acknowledge", "Silence 1 h"]);
  talk.become({ caller: bob });
  expect(await changing("alerts why node.down")).toEqual([]);
  expect(await changing("why is node 1 down?")).toEqual([]);
  expect(await changing("alerts why node.down private:no")).toEqual(["Acknowledge", "Silence 1 h"]);
});
