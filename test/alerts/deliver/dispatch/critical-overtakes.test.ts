import { expect, it } from "vitest";

import type { Delivery, Receipt } from "../../../../src/alerts/sender.ts";
import type { Clock } from "../../../../src/api/clock.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { CRITICAL, FIRED, RESOLVED } from "../../outage.ts";
import { blind, down, stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage } from "../../stage.ts";

/** Takes 15 s for each message that is not urgent. */
class SlowSender extends FakeSender {
  clock: Clock | undefined;

  override async send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    if (delivery.urgent !== true) await this.clock?.sleep(15_000, signal);
    return super.send(delivery, reply, signal);
  }
}

it("a stall, its worsening and its end wait for nothing that is owed to their channel, nor for what is being sent", async () => {
  let sender: SlowSender | undefined;
  const it = await openStage({ senders: (now) => [(sender = new SlowSender({ now }))] });
  sender!.clock = it.clock;
  await it.engine.putSubscriptions([aSubscription({ kinds: ["network.stalled", "watch.blind"] })], "ada");
  const rounds = (count: number, state: "good" | "bad"): Promise<void> =>
    it.rounds(count, [blind("good"), stalled(state)]);
  await rounds(2, "good");
  for (let index = 0; index < 30; index += 1) {
    await it.owe({ platform: "fake", channel: "ops" }, { type: "test", by: `${index}`, at: "1" });
  }
  await rounds(8, "bad");
  const first = it.sender.take();
  await rounds(32, "bad");
  const second = it.sender.take();
  await rounds(6, "good");
  const third = it.sender.take();
  // Of the others one was posted every 15 s; each of these arrived when it was due, in their order.
  const tests = (said: readonly string[]): number => said.filter((one) => one.startsWith("test by")).length;
  expect([first, second, third].map((said) => said.filter((one) => !one.startsWith("test by")))).toEqual([
    [FIRED],
    [CRITICAL],
    [RESOLVED],
  ]);
  expect(tests([...first, ...second, ...third])).toBeLessThan(16);
  await it.pass(600_000);
  expect(tests([...first, ...second, ...third, ...it.sender.take()])).toBe(30);
});

/** Takes 15 s for each edit. */
class SlowEditor extends FakeSender {
  clock: Clock | undefined;

  override async update(receipt: Receipt, reply: Reply, signal: AbortSignal): Promise<void> {
    await this.clock?.sleep(15_000, signal);
    return super.update(receipt, reply, signal);
  }
}

it("a stall that gets worse, and ends, waits for no edit that adds versions or nodes to its message", async () => {
  let sender: SlowEditor | undefined;
  const it = await openStage({ senders: (now) => [(sender = new SlowEditor({ now }))] });
  sender!.clock = it.clock;
  const kinds = ["network.stalled", "node.down", "node.version"] as const;
  await it.engine.putSubscriptions([aSubscription({ kinds: [...kinds], events: "usual" })], "ada");
  const rounds = (count: number, state: "good" | "bad", node: "good" | "bad" = "good"): Promise<void> =>
    it.rounds(count, [blind("good"), stalled(state), down(node)]);
  const version = (key: string): Promise<unknown> => {
    const of = { network: "mainnet", key, at: "1717416000000000000", subject: "n1", node: "n1" };
    const event = { kind: "node.version", ...of, before: { version: "1" }, after: { version: key } } as const;
    return it.round([], [event], "mainnet", { name: "versions" });
  };
  await it.round([], [], "mainnet", { name: "versions" });
  await rounds(2, "good");
  await rounds(8, "bad");
  expect(it.sender.take()).toEqual([FIRED]);
  await rounds(27, "bad");
  await version("2");
  await rounds(1, "bad", "bad");
  const early = it.sender.take();
  await rounds(1, "bad", "bad");
  expect([early, it.sender.take()]).toEqual([[], [CRITICAL]]);
  await rounds(4, "bad", "bad");
  await version("3");
  await rounds(4, "good", "bad");
  expect(it.sender.take()).toEqual([RESOLVED]);
  await it.pass(120_000);
  it.sender.takeEdits();
  it.sender.take();
});
