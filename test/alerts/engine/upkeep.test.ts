import { describe, expect, it } from "vitest";

import { type AlertEngine, createAlertEngine } from "../../../src/alerts/engine/engine.ts";
import { silentLog } from "../../../src/log.ts";
import type { Store } from "../../../src/store/store.ts";
import { FIRED, subscribed } from "../outage.ts";
import { stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import type { Stage } from "../stage.ts";

const MINUTE = 60_000;
const REMINDER = "still critical: network.stalled on mainnet";

/** An engine on the stage's database that counts how many episodes' notification states it reads and how often it wakes, and can fail. */
function counted(stage: Stage): {
  engine: AlertEngine;
  reads: () => number;
  woken: () => number;
  failOnce: () => void;
} {
  let reads = 0;
  let failing = false;
  const store: Pick<Store, "transaction"> = {
    transaction: (work) =>
      stage.store.transaction(async (tables) => {
        const { watch } = tables.alerts;
        const done = await work({
          ...tables,
          alerts: {
            ...tables.alerts,
            watch: {
              ...watch,
              notificationStates(episodes) {
                reads += episodes.length;
                return watch.notificationStates(episodes);
              },
            },
          },
        });
        if (failing) {
          failing = false;
          throw new Error("the disk is full");
        }
        return done;
      }),
  };
  const { config, clock } = stage;
  let woken = 0;
  const onOwed = (): void => {
    woken += 1;
    stage.dispatcher.wake();
  };
  const engine = createAlertEngine({ store, config, clock, log: silentLog(), simulated: new Set(), onOwed });
  return {
    engine,
    reads: () => reads,
    woken: () => woken,
    failOnce() {
      failing = true;
    },
  };
}

/** A channel that was notified of a stall. */
async function firing(options: { config?: string } = {}, more: Parameters<typeof aSubscription>[0] = {}) {
  const stage = await subscribed(options, more);
  await stage.rounds(8, [stalled("bad", { badForMillis: 1000 })]);
  const { engine, reads, failOnce, woken } = counted(stage);
  /** Lets seconds pass, each with its upkeep. Gives how many episodes' notification states were read for that. */
  const seconds = async (count: number): Promise<number> => {
    const before = reads();
    for (let second = 0; second < count; second += 1) {
      await stage.clock.advance(1000);
      await engine.upkeep();
    }
    await stage.clock.advance(0);
    return reads() - before;
  };
  return { stage, engine, seconds, failOnce, woken };
}

describe("the dispatcher is woken", () => {
  it("by what is owed, and by nothing else", async () => {
    const { stage, engine, seconds, woken } = await firing();
    stage.sender.take();
    expect(woken()).toBe(0);
    await seconds(3);
    expect(woken()).toBe(0);
    const paused = aSubscription({ state: "paused" });
    await engine.putSubscriptions([paused], "ada");
    expect(woken()).toBe(0);
    const message = { type: "test", by: "ada", at: "1" } as const;
    await engine.putSubscriptions([paused], "ada", [{ destination: paused.destination, message }]);
    expect(woken()).toBe(1);
    const destination = { platform: "fake", channel: "new" };
    await engine.putSubscriptions([aSubscription({ id: "new", destination, created: stage.now() })], "ada");
    expect(woken()).toBe(2);
    await seconds(1);
    expect(stage.sender.take()).toHaveLength(2);
  });
});

describe("upkeep", () => {
  it("reads the notification states of open episodes once, and not again while nothing is due", async () => {
    const { stage, seconds } = await firing();
    expect(stage.sender.take()).toEqual([FIRED]);
    expect(await seconds(1)).toBe(1);
    expect(await seconds(60)).toBe(0);
  });

  it("reads them again once they changed, and an observation that changes nothing but numbers is no reason", async () => {
    const { stage, seconds } = await firing();
    expect(stage.sender.take()).toEqual([FIRED]);
    await seconds(1);
    await stage.round([stalled("bad", { badForMillis: 45_000 })]);
    expect(await seconds(5)).toBe(0);
    await stage.store.transaction(async ({ alerts: { watch } }) => {
      const [episode] = await watch.openEpisodes();
      await watch.putNotificationStates(await watch.notificationStates([episode!.id]));
    });
    expect(await seconds(5)).toBe(1);
  });

  it("notifies a later subscriber, in the second of its subscription", async () => {
    const { stage, engine, seconds } = await firing();
    await seconds(3);
    stage.sender.take();
    const destination = { platform: "fake", channel: "new" };
    await engine.putSubscriptions([aSubscription({ id: "new", destination, created: stage.now() })], "ada");
    await stage.clock.advance(0);
    expect(stage.sender.take()).toEqual([`new: ${FIRED}`]);
    expect(await seconds(5)).toBe(1);
  });

  it.each([
    { what: "a silence of the channel", scope: { destination: "fake//ops/" } },
    { what: "a silence of everything", scope: {} },
  ])("tells once $what has ended what it suppressed", async ({ scope }) => {
    const { stage, engine, seconds } = await firing({}, { state: "paused" });
    const now = stage.now();
    await engine.putSilence({ id: "s", scope, from: now, until: now + 20_000, by: "ada", created: now }, "ada");
    await engine.putSubscriptions([aSubscription()], "ada");
    expect(await seconds(19)).toBeLessThan(3);
    expect(stage.sender.take()).toEqual([]);
    await seconds(1);
    expect(stage.sender.take()).toEqual([FIRED]);
  });

  it("sends what was held at the minute at which quiet hours end", async () => {
    const { stage, seconds } = await firing({}, { quietHours: { from: "14:00", to: "14:03", zone: "Europe/Berlin" } });
    const end = Math.ceil(stage.now() / MINUTE) * MINUTE + 2 * MINUTE;
    expect(await seconds((end - stage.now()) / 1000 - 1)).toBe(1);
    expect(stage.sender.take()).toEqual([]);
    await seconds(1);
    expect(stage.sender.take()).toEqual([FIRED]);
  });

  it("reminds when that is due, not while a silence holds, and at once when that has ended", async () => {
    const { stage, engine, seconds } = await firing({
      config: '{"stalled": {"for": "30s", "criticalFor": "31s"}, "remind": {"every": "5m"}}',
    });
    await stage.rounds(1, [stalled("bad", { badForMillis: 40_000 })]);
    stage.sender.take();
    const told = stage.now() - 5000;
    const [from, until] = [stage.now(), told + 6 * MINUTE];
    await engine.putSilence({ id: "s", scope: {}, from, until, by: "ada", created: from }, "ada");
    await seconds((told + 5 * MINUTE - stage.now()) / 1000 + 30);
    expect(stage.sender.take()).toEqual([]);
    await seconds(30);
    expect(stage.sender.take()).toEqual([REMINDER]);
    expect(await seconds(5 * 60 - 1)).toBe(1);
    expect(stage.sender.take()).toEqual([]);
    expect(await seconds(1)).toBe(1);
    expect(stage.sender.take()).toEqual([REMINDER]);
    await engine.acknowledge((await engine.openEpisodes())[0]!.id, { name: "ada" });
    await seconds(5);
    expect(stage.sender.take()).toEqual([]);
    // The messages show the acknowledgement.
    expect(stage.sender.takeEdits().length).toBeGreaterThan(0);
  });

  it("plans again what a full disk did not store", async () => {
    const { stage, seconds, failOnce } = await firing({}, { quietHours: { from: "12:00", to: "12:03", zone: "UTC" } });
    const end = Math.ceil(stage.now() / MINUTE) * MINUTE + 2 * MINUTE;
    await seconds((end - stage.now()) / 1000 - 1);
    failOnce();
    await expect(seconds(1)).rejects.toThrow("the disk is full");
    expect(stage.sender.take()).toEqual([]);
    await seconds(1);
    expect(stage.sender.take()).toEqual([FIRED]);
  });
});
