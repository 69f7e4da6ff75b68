import { describe, expect, it } from "vitest";

import { ConcurrencyLimit, SLOW_AFTER } from "../../../../src/alerts/deliver/dispatch/concurrency-limit.ts";
import type { Delivery, Receipt, Sender } from "../../../../src/alerts/sender.ts";
import type { Clock } from "../../../../src/api/clock.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { settled, VirtualClock } from "../../../api/virtual-clock.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { FIRED, RESOLVED } from "../../outage.ts";
import { stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage, type Stage } from "../../stage.ts";

const MANY = 140;
const ANSWERS_AFTER = 5000;

/** Answers late, or never, wherever the channel is not the operators'. */
class SluggishSender extends FakeSender {
  clock: Clock | undefined;

  override async send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    if (delivery.destination.channel !== "ops") await this.clock?.sleep(ANSWERS_AFTER, signal);
    return super.send(delivery, reply, signal);
  }
}

/** Many sluggish channels, subscribed before one that is not. */
async function besideMany(): Promise<Stage> {
  let sender: SluggishSender | undefined;
  const it = await openStage({ senders: (now) => [(sender = new SluggishSender({ now }))] });
  sender!.clock = it.clock;
  const channels = [...Array.from({ length: MANY }, (_, index) => `slow-${index}`), "ops"];
  await it.engine.putSubscriptions(
    channels.map((channel, index) => aSubscription({ id: `s${index}`, destination: { platform: "fake", channel } })),
    "a",
  );
  await it.rounds(2, [stalled("good")]);
  return it;
}

/** The notified channels, in order. */
function told(it: Stage): string[] {
  return it.sender.take().map((line) => /^\w+(?=: \w+: )/u.exec(line)?.[0] ?? line);
}

describe("slow destinations", () => {
  it("delay no other for longer than it takes to notice them", async () => {
    const it = await besideMany();
    await it.rounds(6, [stalled("bad")]);
    await it.round([stalled("bad")]);
    // Each half second, those that have gone on for so long make way for 64 others.
    await it.clock.advance(3 * SLOW_AFTER);
    expect(told(it)).toEqual([FIRED]);
    await it.clock.advance(ANSWERS_AFTER);
    expect(told(it)).toHaveLength(MANY);
  });

  it("delay no other at all once they are known", async () => {
    const it = await besideMany();
    await it.rounds(9, [stalled("bad")]);
    expect(told(it)).toHaveLength(MANY + 1);
    await it.rounds(3, [stalled("good")]);
    await it.round([stalled("good")]);
    for (let turn = 0; turn < 10; turn += 1) await it.clock.advance(0);
    expect(told(it)).toEqual([RESOLVED]);
    await it.clock.advance(ANSWERS_AFTER);
    expect(told(it)).toHaveLength(MANY);
  });

  it("delay no other when they give no answer at all", async () => {
    const it = await besideMany();
    it.sender.outcome = (what) => ("destination" in what && what.destination.channel !== "ops" ? "hang" : "ok");
    await it.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual([FIRED]);
    await it.rounds(4, [stalled("good")]);
    expect(told(it)).toEqual([RESOLVED]);
  });
});

describe("the concurrency limit", () => {
  const fake = (capacity?: () => number): Pick<Sender, "platform" | "capacity"> => ({
    platform: "fake",
    ...(capacity === undefined ? {} : { capacity }),
  });
  const rows = (count: number, name = "d") =>
    Array.from({ length: count }, (_, index) => ({ platform: "fake", destination: `${name}${index}` }));

  it("is reached by the number of new attempts, and frees slots as they end or become slow", async () => {
    const clock = new VirtualClock();
    const limit = new ConcurrencyLimit(clock, { maxAttempts: 4, maxSlowAttempts: 3 });
    const ends = rows(4).map((row, index) => limit.begin(`${index}`, row));
    expect([limit.free(fake()), limit.freeIn(fake())]).toEqual([0, SLOW_AFTER]);
    ends[0]?.();
    expect(limit.free(fake())).toBe(1);
    await clock.advance(SLOW_AFTER - 1);
    expect([limit.free(fake()), limit.freeIn(fake())]).toEqual([1, 1]);
    await clock.advance(1);
    expect(limit.free(fake())).toBe(4);
  });

  it("bounds slow attempts, too", async () => {
    const clock = new VirtualClock();
    const limit = new ConcurrencyLimit(clock, { maxAttempts: 4, maxSlowAttempts: 3 });
    const ends = rows(4).map((row, index) => limit.begin(`a${index}`, row));
    await clock.advance(SLOW_AFTER);
    expect([limit.free(fake()), limit.freeIn(fake())]).toEqual([3, undefined]);
    rows(3, "e").forEach((row, index) => limit.begin(`b${index}`, row));
    await clock.advance(SLOW_AFTER);
    expect([limit.free(fake()), limit.freeIn(fake())]).toEqual([0, undefined]);
    for (const end of ends) end();
    expect(limit.free(fake())).toBe(4);
  });

  it("gives a slow destination no slot of others, until it has been quick again", async () => {
    const clock = new VirtualClock();
    const limit = new ConcurrencyLimit(clock, { maxAttempts: 1, maxSlowAttempts: 1 });
    const [late, other] = [...rows(1, "late"), ...rows(1, "other")];
    const hung = limit.begin("1", late!);
    await clock.advance(SLOW_AFTER);
    hung();
    const again = limit.begin("2", late!);
    expect(limit.free(fake())).toBe(1);
    again();
    limit.begin("3", late!)();
    const quick = limit.begin("4", other!);
    expect(limit.free(fake())).toBe(0);
    quick();
    limit.begin("5", late!);
    expect(limit.free(fake())).toBe(0);
  });

  it("is no more than the platform itself takes up, which is asked again soon", () => {
    const limit = new ConcurrencyLimit(new VirtualClock(), {});
    expect([7, 0, -3, 1000].map((count) => limit.free(fake(() => count)))).toEqual([7, 0, 0, 64]);
    expect(limit.freeIn(fake(() => 0))).toBe(SLOW_AFTER);
  });

  it("is each platform's own", () => {
    const limit = new ConcurrencyLimit(new VirtualClock(), { maxAttempts: 1 });
    limit.begin("1", { platform: "slack", destination: "slack C1" });
    expect([limit.free({ platform: "slack" }), limit.free({ platform: "discord" })]).toEqual([0, 1]);
  });
});

it("the results of a process with others beside it share a transaction, for which none waits long", async () => {
  const stage = await openStage({ isShared: true });
  stage.sender.outcome = (to) => ("destination" in to && to.destination.channel !== "quick" ? "hang" : "ok");
  const message = { type: "test", by: "ada", at: "1" } as const;
  const channels = ["hangs", "hangs too", "quick"];
  const owed = await Promise.all(channels.map((channel) => stage.owe({ platform: "fake", channel }, message)));
  await settled();
  const states = async () => Promise.all(owed.map(async (id) => (await stage.delivery(id))?.row.state));
  expect(await states()).toEqual(["sending", "sending", "sending"]);
  await stage.clock.advance(250);
  await settled();
  expect(await states()).toEqual(["sending", "sending", "sent"]);
  stage.sender.take();
});
