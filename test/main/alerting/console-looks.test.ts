import { expect, onTestFinished, test } from "vitest";

import type { PastLooks } from "../../../src/adapters/web/looks.ts";
import { encodeChunk } from "../../../src/looks/columns.ts";
import type { Json, Look } from "../../../src/looks/look.ts";
import { consoleLooks } from "../../../src/main/alerting/console-looks.ts";
import { createPast } from "../../../src/main/past.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { down, stalled } from "../../alerts/readings.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { Stage } from "../../alerts/stage.ts";
import { DAY, HOUR, MINUTE } from "../../support/kept-looks.ts";

const EVERY = 20 * MINUTE;

async function setUp(nodes = 1, keeps = true) {
  const stage = await Stage.open();
  onTestFinished(() => stage.close());
  const names = Array.from({ length: nodes }, (_, at) => `node-${at + 1}`);
  const looks = consoleLooks({
    store: { read: (work) => stage.store.read(work) },
    config: stage.config,
    clients: [{ network: "mainnet", nodes: names.map((name) => ({ name })) }],
    simulated: true,
    past: createPast({ read: (work) => stage.store.read(work) }),
    keeps,
    now: () => stage.now(),
  });
  const { signal } = new AbortController();
  /** Looks each twenty minutes until now; in those that are bad, the last node does not answer; one may be of a halt. */
  async function keep(span: number, bad: (ago: number) => boolean, stalledAt?: number): Promise<void> {
    const kept = Array.from({ length: span / EVERY }, (_, index): Look => {
      const ago = span - index * EVERY;
      const at = stage.now() - ago;
      const time = `${fromMillis(at - (bad(ago) ? 95_123 : 1000))}`;
      const isOut = (name: string): boolean => bad(ago) && name === names.at(-1);
      const answers = names.map((name): [string, Json] => [
        name,
        isOut(name) ? { reachable: false, why: "no answer" } : { reachable: true, time, height: "9007199254740993" },
      ]);
      const votes = names.map((name): [string, Json] => [name, isOut(name) ? "silent" : "moves"]);
      const seen = {
        nodes: Object.fromEntries(answers),
        votes: Object.fromEntries(votes),
        verdict: ago === stalledAt ? "stalled" : "healthy",
      };
      return { run: "one", dueMillis: at, every: EVERY, at: fromMillis(at), seen };
    });
    const [first_at = 0, last_at = 0] = [kept[0]?.dueMillis, kept.at(-1)?.dueMillis];
    const bytes = await encodeChunk(kept);
    await stage.store.transaction(async ({ looks: tables }) => {
      const numbers = kept.map((_, index) => index + 1);
      await tables.pack({ network: "mainnet", watcher: "sources" }, numbers, { first_at, last_at, bytes });
    });
  }
  return {
    stage,
    keep,
    past: (ask = {}) => looks.past(ask, signal),
    at: (at: number) => looks.at({ at: `${at}` }, signal),
  };
}

function lanesOf({ scene }: PastLooks) {
  return (scene?.lanes ?? []).map(({ name, parts }) => [name, ...new Set(parts.map(({ state }) => state))]);
}

test("of twelve nodes in 30 days the one bad look of one is seen, and is exact by itself", async () => {
  const { stage, keep, past, at } = await setUp(12);
  const BAD = 11 * DAY;
  await keep(30 * DAY, (ago) => ago === BAD);
  const found = await past({ network: "mainnet", last: "30d" });
  expect(lanesOf(found)).toHaveLength(6);
  expect(lanesOf(found)).toContainEqual(["node-12", "moves", "silent"]);
  expect(found.scene).toMatchObject({ note: "6 others kept up", simulated: true });
  const points = found.scene?.lines.flatMap(({ runs }) => runs.flat()) ?? [];
  expect(points).toContainEqual([stage.now() - BAD, 95_123]);
  const parts = found.scene?.lanes.flatMap((lane) => lane.parts) ?? [];
  expect(points.length + parts.length).toBeLessThanOrEqual(2000);
  expect(found.alt).toContain("node-12 did not answer for 20 min");

  // A moment behind it: that look still counts.
  expect(await at(stage.now() - BAD + MINUTE)).toMatchObject({
    at: stage.now() - BAD,
    ageMillis: 95_123,
    nodes: expect.arrayContaining([
      { node: "node-1", state: "moves", time: `${fromMillis(stage.now() - BAD - 95_123)}`, height: "9007199254740993" },
      { node: "node-12", state: "silent", why: "no answer" },
    ]) as unknown,
  });
  expect(await at(stage.now() - 40 * DAY)).toBeUndefined();
});

test("a range until now ends with its last part, one in the past where it was asked to, and none begins before the first look", async () => {
  const { stage, keep, past } = await setUp();
  await keep(3 * DAY, () => false);
  const now = stage.now();
  const live = await past({ last: "24h" });
  expect(live.to - live.from).toBe(DAY);
  expect(live.to).toBeGreaterThanOrEqual(now);
  expect(live.to - now).toBeLessThan(live.partMillis);
  expect(live.to % live.partMillis).toBe(0);
  const until = new Date(now - DAY).toISOString();
  expect(await past({ last: "6h", until })).toMatchObject({ from: now - DAY - 6 * HOUR, to: now - DAY });
  for (const last of ["all", "7d"]) {
    expect(await past({ last })).toMatchObject({ from: now - 3 * DAY, first: now - 3 * DAY });
  }
});

test("alerts of the network and its nodes stand beside it, those that are over with their end", async () => {
  const { stage, keep, past } = await setUp();
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["network.stalled", "node.down"] })], "ada");
  await stage.rounds(2, [stalled("good"), down("good", "node-1")]);
  await stage.rounds(9, [stalled("bad"), down("bad", "node-1")]);
  await stage.rounds(9, [stalled("good"), down("bad", "node-1")]);
  await stage.leap(EVERY);
  await keep(HOUR, () => false, 2 * EVERY);
  const { alerts, scene } = await past({ last: "1h" });
  // As long as the state machine took it to be, though the looks saw it stand for twenty minutes.
  const { from, to = 0 } = alerts.find(({ kind }) => kind === "network.stalled")!;
  expect([scene?.title, to - from]).toEqual(["mainnet stood still", 45_000]);
  const shown = alerts.map(({ kind, severity, what, to }) => [
    kind,
    severity,
    what,
    to === undefined ? "open" : "over",
  ]);
  expect(shown).toEqual([
    ["node.down", "warning", "node-1 on mainnet does not answer", "open"],
    ["network.stalled", "warning", "mainnet made no block", "over"],
  ]);
  expect((await past({ last: "10m", until: "2000-01-01" })).alerts).toEqual([]);
});

test.each([
  [true, /^Nothing is kept of mainnet in that time\./u],
  [false, /keeps nothing of what it sees \(LOOKS_KEEP=0\)/u],
])("where nothing is kept (LOOKS_KEEP above 0: %s), a sentence stands for the picture", async (keeps, sentence) => {
  const { past } = await setUp(1, keeps);
  for (const last of ["1h", "all"]) {
    const found = await past({ last });
    expect([found.scene, found.alerts, found.nothing]).toEqual([undefined, [], expect.stringMatching(sentence)]);
  }
});

test("a wrong question is answered by what is wrong", async () => {
  const { past } = await setUp();
  for (const [ask, words] of [
    [{ network: "devnet" }, 'There is no network "devnet" here.'],
    [{ last: "1m" }, "last cannot be less than 10 min."],
    [{ last: "soon" }, "last is a span of time, not “soon”."],
    [{ until: "whenever" }, "until is a time, not “whenever”."],
  ] as const) {
    await expect(past(ask)).rejects.toThrow(words);
  }
});
