import { describe, expect, it } from "vitest";

import { DELIVERY_STEPS } from "../../../src/alerts/dependencies.ts";
import { RETENTION } from "../../../src/alerts/engine/upkeep.ts";
import { backoffDelay } from "../../../src/alerts/deliver/outbox/retry-policy.ts";
import { saying } from "../../support/said.ts";
import { auction, blind, price, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage } from "../stage.ts";

const ops = { platform: "fake", channel: "ops" };
const FIRED = "warning: network.stalled on mainnet";
const test = { type: "test", by: "ada", at: "1700000000000000000" } as const;

describe("the engine", () => {
  it("passes its steps in order, from observing to the receipt", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions([aSubscription()], "ada");
    await it.rounds(1, [stalled("good")]);
    it.steps.length = 0;
    await it.rounds(7, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    expect(it.steps.slice(-DELIVERY_STEPS.length)).toEqual(DELIVERY_STEPS);
  });

  it("is blind to all that a network shows while its sources are", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions(
      [aSubscription({ kinds: ["market.price"], parameters: { "market.price": { high: "100" } } })],
      "ada",
    );
    const markets = (shown: string) => it.round([price(shown)], [], "mainnet", { name: "markets" });
    await it.round([stalled("good"), blind("good")]);
    await markets("500");
    await it.pass(5000);
    await markets("500");
    await it.pass(0);
    expect(it.sender.take()).toHaveLength(1);
    // Two nodes that contradict each other go on answering what they are asked about markets.
    await it.round([stalled("unknown"), blind("bad")]);
    for (let round = 0; round < 8; round += 1) {
      await it.pass(5000);
      expect((await markets("50")).changes).toEqual([]);
    }
    await it.round([stalled("good"), blind("good")]);
    for (let round = 0; round < 8; round += 1) {
      await it.pass(5000);
      await markets("50");
    }
    expect(it.sender.take()).toEqual(["resolved: market.price{high=100} of m1 on mainnet"]);
  });

  it("has a first observation of its own for each network", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions([aSubscription({ network: "testnet" })], "ada");
    const testnet = async (badForMillis: number): Promise<number> => {
      await it.pass(5000);
      const reading = stalled("bad", { network: "testnet", badForMillis });
      return (await it.round([reading], [], "testnet")).changes.length;
    };
    await it.round([stalled("good")]);
    await testnet(5000);
    await it.restart();
    for (let round = 0; round < 2; round += 1) {
      await it.pass(5000);
      await it.round([stalled("good")]);
    }
    expect(await testnet(3_600_000)).toBe(0);
    expect(await testnet(3_605_000)).toBeGreaterThan(0);
    await it.pass(0);
    expect(it.sender.take()).toHaveLength(1);
  });

  it("takes the last observation that was not blind for the last good one", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions([aSubscription({ kinds: ["market.auction"] })], "ada");
    const markets = async (state: "good" | "bad"): Promise<void> => {
      await it.pass(5000);
      await it.round([auction(state)], [], "mainnet", { name: "markets" });
    };
    await it.round([blind("good")]);
    await markets("good");
    await markets("good");
    const good = String(it.clock.wallClock());
    await it.round([blind("bad")]);
    for (let round = 0; round < 3; round += 1) await markets("bad");
    await it.round([blind("good")]);
    for (let round = 0; round < 2; round += 1) await markets("bad");
    expect((await it.engine.openEpisodes())[0]).toMatchObject({ lastGood: good, beganBefore: true });
    await it.pass(0);
    expect(it.sender.take()).toHaveLength(1);
  });

  it("takes the first known reading for the first one, if a process was blind until then", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions([aSubscription()], "ada");
    await it.rounds(1, [stalled("good")]);
    await it.rounds(2, [stalled("bad")]);
    await it.restart();
    await it.rounds(2, [stalled("unknown")]);
    const first = await it.round([stalled("bad", { badForMillis: 3_600_000 })]);
    expect(first.changes).toEqual([]);
    await it.pass(5000);
    await it.round([stalled("bad", { badForMillis: 3_605_000 })]);
    await it.pass(0);
    expect(it.sender.take()).toHaveLength(1);
  });

  it("returns a watcher's snapshot as it was stored, after a restart too", async () => {
    const it = await openStage();
    expect(await it.engine.snapshot("mainnet", "w")).toBeUndefined();
    await it.round([stalled("good")]);
    const kept = await it.engine.snapshot("mainnet", "w");
    expect(kept).toEqual({ at: it.now(), data: { at: String(it.clock.wallClock()) } });
    await it.restart();
    expect(await it.engine.snapshot("mainnet", "w")).toEqual(kept);
  });

  it("calls nothing good that was not judged, though the watcher observed before the restart", async () => {
    const it = await openStage();
    const subscribed = (created: number) => aSubscription({ kinds: ["market.auction"], created });
    await it.round([auction("bad")]);
    await it.restart();
    await it.clock.advance(5000);
    await it.engine.putSubscriptions([subscribed(it.now())], "ada");
    await it.rounds(2, [auction("bad")]);
    const [never] = await it.engine.openEpisodes();
    expect(never).toMatchObject({ kind: "market.auction", beganBefore: true });
    expect(never).not.toHaveProperty("lastGood");
    expect(it.sender.take()).toHaveLength(1);
  });

  it("calls nothing good that appeared after the process began, though others were judged before", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions([aSubscription({ kinds: ["market.auction"] })], "ada");
    await it.round([auction("good", "m0")]);
    await it.restart();
    await it.rounds(1, [auction("good", "m0")]);
    await it.rounds(2, [auction("good", "m0"), auction("bad")]);
    const [never] = await it.engine.openEpisodes();
    expect(never).toMatchObject({ subject: "m1", beganBefore: true });
    expect(never).not.toHaveProperty("lastGood");
    expect(it.sender.take()).toHaveLength(1);
  });

  it("says what was good before a restart, where it was judged then", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions([aSubscription({ kinds: ["market.auction"] })], "ada");
    await it.round([auction("good")]);
    await it.restart();
    await it.rounds(2, [auction("bad")]);
    expect((await it.engine.openEpisodes())[0]).toHaveProperty("lastGood");
    expect(it.sender.take()).toHaveLength(1);
  });

  it("logs a downtime and its effect in the history", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions([aSubscription()], "ada");
    await it.rounds(1, [stalled("good")]);
    await it.rounds(3, [stalled("bad")]);
    await it.restart();
    await it.clock.advance(10_000);
    await it.rounds(6, [stalled("bad")]);
    await it.restart();
    await it.clock.advance(3_600_000);
    await it.rounds(3, [stalled("bad")]);
    const history = await it.engine.history("network.stalled|mainnet||1");
    const lines = (history?.decisions ?? []).map(({ what, detail }) => `${what}: ${detail ?? ""}`);
    expect(lines.filter((line) => line.startsWith("restarted"))).toEqual([
      expect.stringMatching(saying("restarted", "26 s")),
      expect.stringMatching(saying("restarted", "1 h")),
    ]);
    expect(it.sender.take()).toHaveLength(1);
  });

  it("counts durations from when observations were due, so that chance does not decide which of them reaches one", async () => {
    const it = await openStage();
    const parameters = { "market.auction": { for: 60_000 } };
    await it.engine.putSubscriptions([aSubscription({ kinds: ["market.auction"], parameters })], "ada");
    const watcher = { name: "markets", every: 60_000 };
    const changes: string[] = [];
    // One observation a minute, up to 3 s early or late.
    for (const [minute, moved] of [0, -3, 3, -3, 3, -3, 3].entries()) {
      await it.pass(minute * 60_000 + 3000 + moved * 1000 - it.clock.monotonicMillis());
      const readings = [auction(minute < 2 || minute > 4 ? "good" : "bad")];
      const at = it.clock.wallClock();
      const round = { network: "mainnet", watcher, snapshot: {}, readings, events: [], at };
      const done = await it.engine.processObservation({ ...round, dueMillis: minute * 60_000 });
      changes.push(done.changes.map(({ change }) => change).join(" "));
    }
    expect(changes).toEqual(["", "", "pending", "fired", "", "recovering", "resolved"]);
    await it.pass(0);
    expect(it.sender.take()).toHaveLength(2);
  });

  it("shares the episodes of equal rules, and keeps those of other thresholds apart", async () => {
    const it = await openStage();
    const watch = (id: string, channel: string, high: string) => {
      const destination = { platform: "fake", channel };
      const parameters = { "market.price": { high } };
      return it.engine.putSubscriptions(
        [aSubscription({ id, destination, kinds: ["market.price"], parameters })],
        "ada",
      );
    };
    await watch("a", "one", "100");
    await watch("b", "two", "100.0");
    await watch("c", "three", "1000");
    await it.rounds(1, [price("50")]);
    await it.rounds(1, [price("500")]);
    const crossed = "warning: market.price{high=100} of m1 on mainnet";
    expect(it.sender.take()).toEqual([`one: ${crossed}`, `two: ${crossed}`]);
    const episodes = await it.engine.openEpisodes();
    expect(episodes.map(({ id }) => id)).toEqual(["market.price{high=100}|mainnet|m1|1"]);
  });

  it("closes episodes without subscribers, and notifies where they were announced", async () => {
    const it = await openStage();
    const watching = aSubscription({ kinds: ["market.price"], parameters: { "market.price": { high: "100" } } });
    await it.engine.putSubscriptions([watching], "ada");
    await it.rounds(1, [price("50")]);
    await it.rounds(1, [price("500")]);
    expect(it.sender.take()).toHaveLength(1);
    await it.engine.putSubscriptions([{ ...watching, state: "removed" }], "ada");
    await it.pass(0);
    expect(it.sender.take()).toEqual(["withdrawn: market.price{high=100} of m1 on mainnet"]);
    expect(await it.engine.openEpisodes()).toEqual([]);
    const { decisions } = (await it.engine.history("market.price{high=100}|mainnet|m1|1"))!;
    expect(decisions.at(-1)).toMatchObject({ what: "withdrawn", network: "mainnet" });
  });

  it("forgets how far the recovery of that had come: the next one begins with itself", async () => {
    const it = await openStage();
    const watching = aSubscription({ kinds: ["market.price"], parameters: { "market.price": { high: "100" } } });
    await it.engine.putSubscriptions([watching], "ada");
    for (const shown of ["50", "500", "50"]) await it.rounds(1, [price(shown)]);
    await it.engine.putSubscriptions([{ ...watching, state: "removed" }], "ada");
    await it.pass(600_000);
    await it.engine.putSubscriptions([{ ...watching, id: "again" }], "ada");
    await it.rounds(1, [price("500")]);
    await it.rounds(6, [price("50")]);
    const [{ number, began, recovered } = {}] = await it.engine.lastEpisodes(1);
    expect(number).toBe(2);
    expect(BigInt(recovered ?? 0) - BigInt(began ?? 0)).toBe(5_000_000_000n);
    expect(it.sender.take()).toHaveLength(4);
  });

  it("refuses a subscription with invalid thresholds, and stores none of it", async () => {
    const it = await openStage();
    const wrong = aSubscription({ parameters: { "network.stalled": { four: 1 } } });
    await expect(it.engine.putSubscriptions([wrong], "ada")).rejects.toThrow(saying("network.stalled", "four"));
    expect(await it.engine.subscriptions()).toEqual([]);
  });

  it("keeps silences, until they are over", async () => {
    const it = await openStage();
    const now = it.now();
    const silence = { id: "s", scope: {}, from: now, until: now + 1000, by: "ada", created: now, reason: "upgrade" };
    await it.engine.putSilence(silence, "ada");
    expect(await it.engine.silences()).toEqual([silence]);
    await it.pass(1000);
    expect(await it.engine.silences()).toEqual([]);
    expect((await it.engine.decisions({ limit: 1 }))[0]).toMatchObject({ what: "silence" });
    const scope = { destination: "fake//ops/", network: "testnet" };
    await it.engine.putSilence({ ...silence, id: "t", scope }, "ada");
    expect((await it.engine.decisions({ limit: 1 }))[0]).toMatchObject({ what: "silence", ...scope });
  });

  it("delivers an announcement, and shows its outcome", async () => {
    const it = await openStage();
    const id = await it.owe(ops, test);
    await it.pass(0);
    expect(it.sender.take()).toEqual(["test by ada"]);
    expect(await it.delivery(id)).toMatchObject({
      row: { state: "sent", attempts: 1 },
      receipt: { message: "1" },
    });
    expect(await it.delivery("nobody")).toBeUndefined();
  });

  it("dead-letters deliveries without a sender after a day, and prunes old ones", async () => {
    const it = await openStage();
    const id = await it.owe({ platform: "nowhere", channel: "x" }, test);
    await it.restart(90_000_000);
    await it.pass(0);
    expect((await it.delivery(id))?.row).toMatchObject({ state: "dead", last_error: expect.any(String) });
    expect(await it.engine.decisions({ limit: 1 })).toMatchObject([{ what: "dead letter", delivery: id }]);
    await it.restart(RETENTION + 3_600_000);
    await it.pass(0);
    expect(await it.delivery(id)).toBeUndefined();
    expect(await it.engine.decisions({ limit: 10 })).toEqual([]);
  });

  it("dead-letters unreadable messages, and goes on with the next", async () => {
    const it = await openStage();
    const id = await it.owe(ops, { ...test, by: "eve" });
    const { row } = (await it.delivery(id))!;
    // The first is sent at once in virtual time: a second one, corrupted before it is claimed.
    await it.pass(0);
    expect(it.sender.take()).toHaveLength(1);
    await it.store.transaction(async ({ alerts }) => {
      await alerts.outbox.addMessages([{ id: "spoilt", data: '{"type":"from the future"}' }], it.now());
      const fresh = {
        destination: row.destination,
        platform: "fake",
        phase: "bot",
        urgency: 0,
      } as const;
      const rest = { message: "spoilt", episode: null, run_at: it.now(), created_at: it.now() };
      await alerts.outbox.add([{ id: "spoilt", ...fresh, ...rest, data: row.data }]);
    });
    await it.owe(ops, test);
    await it.pass(1000);
    expect(it.sender.take()).toEqual(["test by ada"]);
    expect((await it.delivery("spoilt"))?.row.state).toBe("dead");
    expect(await it.engine.decisions({ destination: row.destination, limit: 1 })).toMatchObject([
      { what: "dead letter", delivery: "spoilt" },
    ]);
  });
});

describe("the pause between attempts", () => {
  it("doubles up to a quarter of an hour, of which a random half is taken off", () => {
    expect([1, 2, 3, 4].map((attempts) => backoffDelay(attempts, 0))).toEqual([1000, 2000, 4000, 8000]);
    expect(backoffDelay(1000, 0)).toBe(900_000);
    expect(backoffDelay(2, 0.999_999)).toBeCloseTo(1000, -1);
  });
});
