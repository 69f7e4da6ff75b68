import { expect, it } from "vitest";

import type { AlertEvent } from "../../../../src/alerts/judge/kinds/event.ts";
import { gist } from "../../../support/gist.ts";
import { down } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage, type Stage } from "../../stage.ts";

const MINUTE = 60_000;

/** What people were told within a range of minutes since it began, the newest first. */
async function toldIn(it: Stage, began: number, from: number, to: number): Promise<string[]> {
  const range = { from: began + from * MINUTE, to: began + to * MINUTE };
  const { told } = await it.engine.told({ ...range, destinations: undefined, limit: 9 });
  return told.map(({ at, message }) => `${(at - began) / MINUTE}: ${gist(message)}`);
}

it("of the message of a day that grows, a range has what happened in it", async () => {
  const it = await openStage();
  await it.engine.putSubscriptions([aSubscription({ kinds: ["checkpoint.new"], events: "rolling" })], "ada");
  await it.round([]);
  const began = it.now();
  const checkpoint = (block: string): AlertEvent => {
    const at = String(it.clock.wallClock());
    return { kind: "checkpoint.new", network: "mainnet", subject: "", key: block, at, atBlock: block, hash: "h" };
  };
  for (const block of ["1", "2", "3"]) {
    await it.round([], [checkpoint(block)]);
    await it.pass(10 * MINUTE);
  }
  it.sender.take();
  it.sender.takeEdits();
  const day = (total: number): string => `rolling: ${total} checkpoint.new on mainnet, 2024-06-03`;
  expect(await toldIn(it, began, 0, 30)).toEqual([`20: ${day(3)}`]);
  expect(await toldIn(it, began, 0, 20)).toEqual([`10: ${day(2)}`]);
  expect(await toldIn(it, began, 10, 20)).toEqual([`10: ${day(1)}`]);
  expect(await toldIn(it, began, 21, 30)).toEqual([]);
});

it("what joined a message was told once it had happened, as far as the message shows it", async () => {
  const it = await openStage();
  await it.engine.putSubscriptions([aSubscription({ kinds: ["node.down"], style: "live" })], "ada");
  const nodes = (...sick: string[]) => ["n1", "n2"].map((node) => down(sick.includes(node) ? "bad" : "good", node));
  await it.rounds(2, nodes());
  const began = it.now();
  await it.rounds(12, nodes("n1"));
  await it.rounds(12, nodes("n1", "n2"));
  it.sender.take();
  it.sender.takeEdits();
  const all = await it.engine.told({ from: began, to: it.now(), destinations: undefined, limit: 9 });
  expect(all.told.map(({ message }) => gist(message))).toEqual([
    "warning: node.down of n1 on mainnet",
    "warning: node.down of n2 on mainnet",
  ]);
  const [first, second] = all.told.map(({ at }) => at - began);
  expect(second! - first!).toBe(MINUTE);
  // The second one is not shown yet.
  await it.store.transaction(({ alerts: { outbox } }) => outbox.update(it.sender.posts[0]!.delivery.id, { shown: 0 }));
  expect(await toldIn(it, began, 0, 30)).toEqual([`${first! / MINUTE}: warning: node.down of n1 on mainnet`]);
});
