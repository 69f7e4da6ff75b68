import * as fc from "fast-check";
import { expect, test } from "vitest";

import { renderTerminal } from "../../../src/adapters/terminal/render/render.ts";
import { JudgeInMemory } from "../../../src/alerts/judge/judge-in-memory.ts";
import { timeToText } from "../../../src/alerts/judge/kinds/kind.ts";
import type { ConditionKind } from "../../../src/alerts/judge/kinds/kinds.ts";
import type { Episode } from "../../../src/alerts/judge/rules/episode.ts";
import { rulesOf } from "../../../src/alerts/route/subscription.ts";
import { adviceOf, otherThresholds } from "../../../src/alerts/trial/advice.ts";
import { trialEpisode } from "../../../src/alerts/trial/trial.ts";
import { parseThresholds } from "../../../src/answers/alerts/subscriptions/thresholds.ts";
import { trialReply } from "../../../src/answers/alerts/subscriptions/trial-reply.ts";
import type { Tried } from "../../../src/answers/alerts/subscriptions/try-subscription.ts";
import { fullText } from "../../../src/reply/full-text.ts";
import type { Json } from "../../../src/looks/look.ts";
import { fromMillis, type Milliseconds } from "../../../src/units/time.ts";
import { keptReading } from "../../../src/watchers/kept.ts";
import { down } from "../../alerts/readings.ts";
import { DAY, HOUR, MINUTE, type Trouble } from "../../support/kept-looks.ts";
import { runs } from "../../support/runs.ts";
import { NOON } from "../../support/talk.ts";
import { CONFIG, looksOf, NOW, type Situation, triedOf, tryIn } from "./situation.ts";

/** An alert about sim-2 that somebody acknowledged. */
function taken(kind: ConditionKind, { ago, lasts }: Trouble): Episode {
  const [began, ended] = [timeToText(fromMillis(NOW - ago)), timeToText(fromMillis(NOW - ago + lasts))];
  return {
    id: `${kind}|mainnet|sim-2|1`,
    rule: kind,
    kind,
    network: "mainnet",
    subject: "sim-2",
    number: 1,
    state: "resolved",
    severity: "warning",
    began,
    detected: began,
    ended,
    first: down("bad", "sim-2"),
    last: down("good", "sim-2"),
    acknowledged: { by: "ann", at: began },
  };
}

/** So many troubles of one length, evenly over the month. */
function often(count: number, trouble: Omit<Trouble, "ago">): readonly Trouble[] {
  return Array.from({ length: count }, (_, index) => ({ ...trouble, ago: (29 * DAY * (index + 1)) / count }));
}

/** Whether one of some hours of each week it is. */
function isIn(ago: Milliseconds, ...hours: readonly number[]): boolean {
  return hours.includes(Math.floor((ago % (7 * DAY)) / HOUR));
}

const LONG: readonly Trouble[] = [
  { ago: 12 * DAY + 5 * HOUR, lasts: 20 * MINUTE },
  { ago: 4 * DAY + 7 * HOUR, lasts: 40 * MINUTE },
];

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "a node that is away for half a minute, many times a day": {
    kind: "node.down",
    given: { rounds: 1 },
    troubles: [...often(34, { lasts: 30_000 }), ...LONG],
  },
  "a quiet month": { kind: "node.down", given: { rounds: 1 } },
  "one long outage": { kind: "node.down", given: { rounds: 2 }, troubles: LONG.slice(0, 1) },
  "lags that never reach the threshold": {
    kind: "node.lagging",
    given: { behind: 90_000, for: 1000 },
    troubles: often(4, { lasts: 5 * MINUTE, behind: 50_000 }),
  },
  "lags that are soon over": {
    kind: "node.lagging",
    given: { behind: 20_000, for: 1000 },
    troubles: [...often(12, { lasts: MINUTE, behind: 50_000 }), { ago: 3.2 * DAY, lasts: 10 * MINUTE, behind: 80_000 }],
  },
  "an outage that somebody took care of, and a threshold above it": {
    kind: "node.down",
    given: { rounds: 50 },
    troubles: [{ ago: 9 * DAY, lasts: 8 * MINUTE }],
    told: [taken("node.down", { ago: 9 * DAY, lasts: 8 * MINUTE })],
  },
  "short outages of which somebody took care": {
    kind: "node.down",
    given: { rounds: 1 },
    troubles: often(10, { lasts: 30_000 }),
    told: often(10, { lasts: 30_000 })
      .slice(0, 1)
      .map((one) => taken("node.down", one)),
  },
  "many lags, each of them long": {
    kind: "node.lagging",
    given: { behind: 20_000, for: 1000 },
    troubles: often(32, { lasts: 3 * MINUTE, behind: 90_000 }),
  },
  "a node that flaps for an hour on two days": {
    kind: "node.down",
    given: { rounds: 1 },
    troubles: [17, 6].flatMap((day) =>
      Array.from({ length: 20 }, (_, index) => ({ ago: day * DAY + index * 3 * MINUTE, lasts: 45_000 })),
    ),
  },
  "two nodes, one of which is often away": {
    kind: "node.down",
    given: { rounds: 2 },
    troubles: [...often(8, { lasts: 50_000 }), { ago: 11 * DAY, lasts: 30 * MINUTE, node: "sim-1" }],
  },
  "an outage that somebody took care of, among many short ones": {
    kind: "node.down",
    given: { rounds: 1 },
    troubles: [...often(40, { lasts: 30_000 }), ...LONG],
    told: LONG.slice(1).map((one) => taken("node.down", one)),
  },
  "a lag that somebody took care of, and a threshold above it": {
    kind: "node.lagging",
    given: { behind: 180_000, for: 1000 },
    troubles: [{ ago: 8 * DAY, lasts: 10 * MINUTE, behind: 100_000 }],
    told: [taken("node.lagging", { ago: 8 * DAY, lasts: 10 * MINUTE })],
  },
  "two thresholds, one of which is crossed all the time": {
    kind: "node.lagging",
    given: { behind: 600_000, blocks: 20, for: 1000 },
    troubles: [
      ...often(32, { lasts: 3 * MINUTE, behind: 30_000 }),
      { ago: 2.1 * DAY, lasts: 20 * MINUTE, behind: 120_000 },
    ],
  },
  "a month with two gaps of six hours": {
    kind: "node.down",
    given: { rounds: 2 },
    troubles: LONG,
    unseen: [
      { ago: 25 * DAY, lasts: 6 * HOUR },
      { ago: 15 * DAY, lasts: 6 * HOUR },
    ],
  },
  "three days, since when looks are kept": {
    kind: "node.down",
    given: { rounds: 1 },
    since: 3 * DAY,
    troubles: [{ ago: DAY, lasts: 5 * MINUTE }],
  },
  "one halt of the network": {
    kind: "network.stalled",
    given: { for: 120_000, criticalFor: 600_000 },
    network: (ago) => ({
      "network.stalled": { "": { state: ago < 9 * DAY && ago > 9 * DAY - 3 * HOUR ? "bad" : "good" } },
    }),
  },
  "a clock that is never as far off": {
    kind: "network.clock",
    given: { drift: 60_000, for: 1000 },
    network: (ago) => ({
      "network.clock": { "": { state: "good", driftMillis: isIn(ago, 20, 19, 90, 89) ? 35_000 : 200 } },
    }),
  },
  "a market that comes near its bound now and then": {
    kind: "market.bound",
    given: { percent: "0.5" },
    market: (ago) => ({ price: "60000", nearest: { side: "upper", distancePercent: isIn(ago, 30, 31) ? "0.9" : "3" } }),
  },
  "a market at its bound every day": {
    kind: "market.bound",
    given: { percent: "2" },
    market: (ago) => ({
      price: "60000",
      nearest: { side: "upper", distancePercent: ago % (4 * HOUR) < HOUR ? "1.5" : "3" },
    }),
  },
  "a price that never got there": {
    kind: "market.price",
    given: { high: "70000" },
    market: (ago) => ({ price: isIn(ago, 50, 51) ? "66200" : "60100.5" }),
  },
  "a price that is seen since three hours": {
    kind: "market.price",
    given: { high: "70000" },
    marketSince: 3 * HOUR,
    market: () => ({ price: "60000" }),
  },
  "a value of a market that crosses its limit every few hours": {
    kind: "market.value",
    given: { if: "mark below 60000" },
    market: (ago) => ({ values: { mark: isIn(ago, 9) ? "54000" : ago % (3 * HOUR) < HOUR ? "59000" : "62000" } }),
  },
};

async function toldOf(situation: Situation): Promise<string> {
  const { kind, given } = situation;
  const { tried, others, answer } = await tryIn(situation);
  // Each can be subscribed to as it is typed.
  for (const { typed } of others) parseThresholds([kind], typed, { [kind]: given });
  const reply = trialReply(tried, answer, others, {
    labels: {},
    zone: "UTC",
    now: NOW,
    ask: { command: "alerts add", options: { kinds: kind } },
  });
  const short = { ...reply, blocks: reply.blocks.filter(({ kind: block }) => block !== "table") };
  return renderTerminal(short, { width: 80, colour: false, links: false, now: NOON });
}

test("each situation has its advice, and none where nothing is better", async () => {
  let said = "";
  for (const [name, situation] of Object.entries(SITUATIONS)) said += `# ${name}\n${await toldOf(situation)}\n`;
  await expect(said).toMatchFileSnapshot("../../golden/advice.txt");
});

test("where the time was over, the days that were counted are named", async () => {
  const { tried, others, answer } = await tryIn({ kind: "node.down", given: { rounds: 2 } });
  const words = { labels: {}, zone: "UTC", now: NOW, ask: { command: "alerts add", options: {} } };
  const said = fullText(trialReply(tried, { ...answer, isCut: true }, others, words));
  expect(said).toMatch(
    /In 30 days .*\n[\s\S]*Counted: 2025-12-16 12:00:00 UTC to 2026-01-15 12:00:00 UTC: 10 s were over/u,
  );
});

test("no more than eight others are tried, each differing from what is asked for", () => {
  for (const parameters of [
    { behind: 45_000, blocks: 100, for: 45_000 },
    { rounds: 1 },
    { rounds: 3 },
    { percent: "0.5" },
    { high: "70000" },
    { low: "0.034" },
    { if: "mark above 95000 back 1% once" },
    { for: 0, criticalFor: 60_000 },
  ]) {
    const others = otherThresholds(parameters);
    expect(others.length).toBeGreaterThan(0);
    expect(others.length).toBeLessThanOrEqual(8);
    const texts = others.map((one) => JSON.stringify({ ...parameters, ...one }));
    expect(new Set([...texts, JSON.stringify(parameters)]).size).toBe(others.length + 1);
  }
});

/** What the engine would have told of a node, judging each look. */
function toldByEngine(tried: Tried, situation: Situation): readonly Episode[] {
  const rules = rulesOf(tried, CONFIG);
  const subscribers = () => [{ created: Number.NEGATIVE_INFINITY }];
  const judge = new JudgeInMemory({ rules: (kind) => rules.filter((rule) => rule.kind === kind), subscribers }, CONFIG);
  const told = new Map<string, Episode>();
  for (const { at, every, dueMillis, seen } of looksOf(situation)["sources"] ?? []) {
    const { facts } = Object(seen) as { readonly facts: Record<string, Record<string, Json>> };
    const readings = Object.entries(facts[situation.kind] ?? {}).map(([subject, kept]) =>
      keptReading(situation.kind, "mainnet", subject, kept),
    );
    const common = { network: "mainnet", snapshot: undefined, events: [], at };
    const observation = { ...common, watcher: { name: "sources", every }, readings };
    for (const [id, episode] of judge.see(observation, dueMillis).episodes) told.set(id, episode);
  }
  return [...told.values()];
}

const GIVEN = {
  "node.down": [1, 2, 5, 20, 50].map((rounds) => ({ rounds })),
  "node.lagging": [5000, 20_000, 60_000, 300_000].map((behind) => ({ behind, for: 0 })),
};

/** A threshold, and the one of a subscription that there was. */
const THRESHOLDS = fc.constantFrom("node.down" as const, "node.lagging" as const).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    given: fc.constantFrom(...GIVEN[kind]),
    before: fc.constantFrom(...GIVEN[kind]),
  }),
);

const TROUBLES = fc.array(
  fc.record({
    ago: fc.integer({ min: HOUR, max: 29 * DAY }),
    lasts: fc
      .oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 7 }) }, fc.integer({ min: 8, max: 60 }))
      .map((looks) => looks * 15_000),
    node: fc.constantFrom("sim-1", "sim-2"),
    behind: fc.integer({ min: 1, max: 60 }).map((tenths) => tenths * 10_000),
  }),
  { minLength: 4, maxLength: 15, size: "max" },
);

test("nothing is advised under which an acknowledged alert would not have fired", async () => {
  let offered = 0;
  const taking = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 3 });
  const cases = fc.asyncProperty(THRESHOLDS, TROUBLES, taking, async ({ kind, given, before }, drawn, takes) => {
    const troubles = drawn.map(({ behind, ...one }) => (kind === "node.down" ? one : { ...one, behind }));
    // Beside it there is the rule that is always judged.
    const told = [{}, before]
      .flatMap((one) => toldByEngine(triedOf({ kind, given: one }), { kind, given, troubles }))
      .map((one, index) => (takes.includes(index) ? { ...one, acknowledged: { by: "ann", at: one.detected } } : one));
    const situation = { kind, given, troubles, told };
    const { others, answer } = await tryIn(situation);
    const [result, ...counted] = answer.results;
    const better = result && adviceOf(result, counted, 30)?.better;
    const other = better && others[counted.indexOf(better)];
    if (other === undefined) return;
    offered += 1;
    const fired = toldByEngine(other.tried, situation).map(trialEpisode);
    for (const one of told.filter(({ acknowledged }) => acknowledged !== undefined).map(trialEpisode)) {
      const same = fired.filter(
        ({ subject, began, ended = Infinity }) =>
          subject === one.subject && began <= (one.ended ?? Infinity) && ended >= one.began,
      );
      expect(same).not.toEqual([]);
    }
  });
  // Somebody acknowledged the longest alert of a node.
  const lasting = [1, 2, 3, 4, 40].map((looks) => ({
    ago: looks * HOUR,
    lasts: looks * 15_000,
    node: "sim-2" as const,
  }));
  const rounds = { rounds: 1 };
  await fc.assert(cases, {
    ...runs(30),
    examples: [
      [{ kind: "node.down", given: rounds, before: rounds }, lasting.map((one) => ({ ...one, behind: 0 })), [0]],
    ],
  });
  expect(offered).toBeGreaterThan(0);
});
