import { expect, onTestFinished, test } from "vitest";

import { judgeSources } from "../../../src/api/verdict/judge-sources.ts";
import { DEFAULT_THRESHOLDS, type Verdict } from "../../../src/api/verdict/verdict.ts";
import { consoleWatch } from "../../../src/main/alerting/console-watch.ts";
import { nanoseconds, type Nanoseconds } from "../../../src/units/time.ts";
import { stalled } from "../../alerts/readings.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { Stage } from "../../alerts/stage.ts";
import { saying } from "../../support/said.ts";
import { PLATFORMS } from "../../support/platforms.ts";

async function setUp() {
  const stage = await Stage.open();
  onTestFinished(() => stage.close());
  let verdict: Verdict | undefined;
  let stoodSince: Nanoseconds | undefined;
  /** From now on both nodes stand still. */
  const stall = (): void => void (stoodSince = stage.clock.wallClock());
  /** An observation of two nodes, one of which is gone. */
  const observe = (): void => {
    const wallClock = stage.clock.wallClock();
    const here = { node: "a:1", reachable: true, time: nanoseconds(wallClock - 1_000_000_000n), height: 12n } as const;
    const gone = { node: "b:1", reachable: false, why: "does not answer" } as const;
    const round = { witnesses: [here, gone], atMillis: stage.clock.monotonicMillis(), wallClock };
    verdict = judgeSources(round, undefined, DEFAULT_THRESHOLDS);
  };
  const watch = consoleWatch({
    store: { read: (work) => stage.store.read(work) },
    config: stage.config,
    platforms: PLATFORMS,
    alerting: { verdict: (network) => (network === "mainnet" ? verdict : undefined) },
    networks: ["mainnet", "testnet"],
    incident: {
      since: (network) =>
        network === "testnet" || stoodSince !== undefined ? (stoodSince ?? nanoseconds(17n)) : undefined,
      resume: async () => undefined,
    },
    clock: stage.clock,
  });
  const mainnet = async () => (await watch()).networks[0];
  await stage.engine.putSubscriptions([aSubscription()], "ada");
  return { stage, observe, stall, watch, mainnet };
}

test("before the first observation there is nothing but what people did", async () => {
  const { watch } = await setUp();
  expect(await watch()).toEqual({
    networks: [
      { network: "mainnet", nodes: [], stalled: { phase: "ok" } },
      { network: "testnet", nodes: [], stalled: { phase: "ok" }, incident: { since: "17" } },
    ],
    open: [],
    silences: [],
    timing: { everyMillis: 5000, suspiciousMillis: 15_000, firesMillis: 30_000, keepMillis: 15_000 },
  });
});

test("witnesses and verdict, and how long each stage still lasts", async () => {
  const { stage, observe, watch, mainnet } = await setUp();
  observe();
  expect(await mainnet()).toMatchObject({
    nodes: [
      { node: "a:1", state: "ok", height: "12" },
      { node: "b:1", state: "down", why: "does not answer" },
    ],
    verdict: {
      why: expect.any(String),
      at: stage.clock.wallClock().toString(),
      height: "12",
      time: expect.any(String),
    },
  });

  await stage.round([stalled("good")]);
  await stage.pass(5000);
  observe();
  await stage.round([stalled("bad", { badForMillis: 12_000 })]);
  expect((await mainnet())?.stalled).toEqual({ phase: "pending", leftMillis: 18_000 });
  await stage.pass(3000);
  expect((await mainnet())?.stalled).toEqual({ phase: "pending", leftMillis: 15_000 });
  await stage.pass(2000);
  await stage.rounds(4, [stalled("bad")]);
  const episode = "network.stalled|mainnet||1";
  expect((await mainnet())?.stalled).toEqual({ phase: "firing", episode });
  expect((await watch()).open).toMatchObject([
    { episode, kind: "network.stalled", network: "mainnet", subject: "", severity: "warning", state: "firing" },
  ]);
  expect((await watch()).open).toMatchObject([{ what: "mainnet makes no block" }]);

  await stage.engine.acknowledge(episode, { name: "ada" });
  observe();
  await stage.round([stalled("good")]);
  expect((await mainnet())?.stalled).toEqual({ phase: "recovering", episode, leftMillis: 15_000 });
  expect((await watch()).open).toMatchObject([{ state: "recovering", acknowledged: { by: "ada" } }]);
  await stage.pass(5000);
  await stage.rounds(4, [stalled("good")]);
  expect(await watch()).toMatchObject({ networks: [{ stalled: { phase: "ok" } }, {}], open: [] });
});

test("a condition that was bad before the first observation began then at the latest", async () => {
  const { stage, watch } = await setUp();
  await stage.rounds(8, [stalled("bad", { badForMillis: 1000 })]);
  expect((await watch()).open).toMatchObject([{ state: "firing", beganBefore: true }]);
  await stage.rounds(5, [stalled("good")]);
  await stage.rounds(8, [stalled("bad", { badForMillis: 1000 })]);
  const [second] = (await watch()).open;
  expect(second).toMatchObject({ episode: "network.stalled|mainnet||2" });
  expect(second).not.toHaveProperty("beganBefore");
});

test("until a standstill is suspicious it is counted from the observation that sees the last block", async () => {
  const { stage, observe, stall, mainnet } = await setUp();
  observe();
  await stage.pass(2000);
  stall();
  // Blocks came until now: the observation in three seconds sees an advance.
  expect((await mainnet())?.stalled).toEqual({ phase: "ok", leftMillis: 18_000 });
  await stage.pass(3000);
  expect((await mainnet())?.stalled).toEqual({ phase: "ok", leftMillis: 15_000 });
  observe();
  // A first observation goes by the time's age, which is a second.
  expect((await mainnet())?.stalled).toEqual({ phase: "ok", leftMillis: 14_000 });
});

test("before the first observation of a process the rest of a pending time is unknown", async () => {
  const { stage, mainnet } = await setUp();
  await stage.round([stalled("good")]);
  await stage.pass(5000);
  await stage.round([stalled("bad", { badForMillis: 12_000 })]);
  expect((await mainnet())?.stalled).toEqual({ phase: "pending" });
});

test("silences that hold are named, and what they keep back is listed and marked, with what became of its alert", async () => {
  const { stage, stall, watch } = await setUp();
  const now = stage.now();
  const silence = { id: "s1", scope: { network: "mainnet" }, from: now, by: "ada", created: now };
  await stage.engine.putSilence({ ...silence, until: now + 3_600_000, reason: "upgrade" }, "ada");
  const later = { ...silence, id: "s2", from: now + 1000 * 3600 * 24 };
  await stage.engine.putSilence({ ...later, until: later.from + 1000 }, "ada");
  stall();
  await stage.rounds(8, [stalled("bad")]);
  const state = await watch();
  expect(state.silences).toEqual([
    {
      id: "s1",
      what: expect.stringMatching(saying("mainnet")),
      where: expect.any(String),
      network: "mainnet",
      by: "ada",
      reason: "upgrade",
      leftMillis: 3_600_000 - 40_000,
    },
  ]);
  expect(state.open).toMatchObject([{ kind: "network.stalled", silenced: true }]);
  expect(state.networks[0]?.stalled).toMatchObject({
    phase: "firing",
    told: { sent: 0, waiting: 0, kept: { silence: 1 } },
  });
  await stage.engine.putSilence({ ...silence, from: now - 1, until: stage.now() }, "ada");
  await stage.pass(5000);
  expect(stage.sender.take()).toHaveLength(1);
  const told = await watch();
  expect(told.silences).toEqual([]);
  expect(told.open[0]).not.toHaveProperty("silenced");
  expect(told.networks[0]?.stalled.told).toEqual({ sent: 1, waiting: 0, kept: {} });
});

test("a silence until an alert is over is marked for as long as that is open", async () => {
  const { stage, observe, watch } = await setUp();
  observe();
  await stage.rounds(2, [stalled("good")]);
  await stage.rounds(8, [stalled("bad")]);
  const [episode] = await stage.engine.openEpisodes();
  const from = stage.now();
  const scope = { network: "mainnet", kind: "network.stalled", subject: "" };
  const silence = { id: "s1", scope, from, until: from + 86_400_000, by: "ada", created: from };
  await stage.engine.putSilence({ ...silence, untilOver: [episode!.id] }, "ada");
  expect((await watch()).silences).toMatchObject([{ id: "s1", untilOver: true, leftMillis: 86_400_000 }]);
  await stage.rounds(8, [stalled("good")]);
  const [known] = (await watch()).silences;
  expect(known).not.toHaveProperty("untilOver");
  expect(known?.leftMillis).toBeLessThan(600_000);
  stage.sender.take();
});
