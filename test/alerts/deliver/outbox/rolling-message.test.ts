import { expect, it } from "vitest";

import type { AlertEvent } from "../../../../src/alerts/judge/kinds/event.ts";
import { aSubscription } from "../../samples.ts";
import { openStage, type Stage } from "../../stage.ts";

const HOUR = 3_600_000;

async function subscribed(): Promise<Stage> {
  const it = await openStage();
  const kinds = ["checkpoint.new", "core.upgraded"] as const;
  for (const kind of kinds) {
    const destination = { platform: "fake", channel: kind };
    await it.engine.putSubscriptions(
      [aSubscription({ id: kind, destination, kinds: [kind], events: "rolling" })],
      "ada",
    );
  }
  await it.round([]);
  return it;
}

const of = (it: Stage, key: string) =>
  ({ network: "mainnet", subject: "", key, at: String(it.clock.wallClock()) }) as const;
const checkpoint = (it: Stage, block: string): AlertEvent => ({
  kind: "checkpoint.new",
  ...of(it, `${block}/h`),
  atBlock: block,
  hash: "h",
});
const upgrade = (it: Stage): AlertEvent => ({ kind: "core.upgraded", ...of(it, "1"), from: "v0.73", to: "v0.74" });

it("a round's events of two kinds are two rolling messages", async () => {
  const it = await subscribed();
  await it.round([], [checkpoint(it, "1"), upgrade(it)]);
  expect(it.sender.take().toSorted()).toEqual([
    "checkpoint.new: rolling: 1 checkpoint.new on mainnet, 2024-06-03",
    "core.upgraded: rolling: 1 core.upgraded on mainnet, 2024-06-03",
  ]);
});

it("a rolling message goes on all day, though old rows are pruned meanwhile, and the next day has its own", async () => {
  const it = await subscribed();
  await it.round([], [checkpoint(it, "1")]);
  await it.leap(11 * HOUR);
  await it.round([], [checkpoint(it, "2")]);
  await it.leap(1 * HOUR);
  await it.round([], [checkpoint(it, "3")]);
  await it.pass(1000);
  expect(it.sender.take()).toEqual([
    "checkpoint.new: rolling: 1 checkpoint.new on mainnet, 2024-06-03",
    "checkpoint.new: rolling: 1 checkpoint.new on mainnet, 2024-06-04",
  ]);
  expect(it.sender.takeEdits()).toEqual(["rolling: 2 checkpoint.new on mainnet, 2024-06-03"]);
});
