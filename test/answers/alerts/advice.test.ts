import { expect, test } from "vitest";

import { renderTerminal } from "../../../src/adapters/terminal/render/render.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { timeToText } from "../../../src/alerts/judge/kinds/json-fields.ts";
import type { GivenParameters } from "../../../src/alerts/judge/kinds/kind.ts";
import type { ConditionKind } from "../../../src/alerts/judge/kinds/kinds.ts";
import type { Episode } from "../../../src/alerts/judge/rules/episode.ts";
import type { ChosenKinds } from "../../../src/alerts/route/subscription.ts";
import { adviceOf, type Counted, otherThresholds } from "../../../src/alerts/trial/advice.ts";
import type { TrialRequest } from "../../../src/alerts/trial/trial.ts";
import { parseThresholds } from "../../../src/answers/alerts/subscriptions/thresholds.ts";
import { trialReply } from "../../../src/answers/alerts/subscriptions/trial-reply.ts";
import { othersOf, type Tried, tryAll } from "../../../src/answers/alerts/subscriptions/try-subscription.ts";
import { type LooksRange, pageReader } from "../../../src/looks/read.ts";
import { type Json, type Look, lookToText } from "../../../src/looks/look.ts";
import { tryNewestFirst } from "../../../src/main/alerting/newest-first.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Milliseconds } from "../../../src/units/duration.ts";
import { fromMillis, toMillis } from "../../../src/units/nanoseconds.ts";
import { down } from "../../alerts/readings.ts";
import { ann, OPS } from "../../commands/alert-channel.ts";
import { DAY, HOUR, looksUntil, MINUTE, type Trouble, type Unseen } from "../../support/kept-looks.ts";
import { PLATFORMS } from "../../support/platforms.ts";
import { NOON } from "../../support/talk.ts";

const NOW = toMillis(NOON);

interface Situation {
  readonly kind: ConditionKind;
  readonly given: GivenParameters;
  readonly since?: Milliseconds;
  readonly troubles?: readonly Trouble[];
  readonly unseen?: readonly Unseen[];
  /** Facts of the network so long ago. */
  readonly network?: (ago: Milliseconds) => Json;
  /** A market so long ago, looked at every half an hour. */
  readonly market?: (ago: Milliseconds) => Json;
  /** Alerts about sim-2 that somebody acknowledged. */
  readonly taken?: readonly Trouble[];
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
    troubles: [...often(90, { lasts: 30_000 }), ...LONG],
  },
  "a quiet month": { kind: "node.down", given: { rounds: 1 } },
  "one long outage": { kind: "node.down", given: { rounds: 2 }, troubles: LONG.slice(0, 1) },
  "lags that never reach the threshold": {
    kind: "node.lagging",
    given: { behind: 90_000, for: 0 },
    troubles: often(4, { lasts: 5 * MINUTE, behind: 50_000 }),
  },
  "lags that are soon over": {
    kind: "node.lagging",
    given: { behind: 20_000, for: 0 },
    troubles: [...often(12, { lasts: MINUTE, behind: 50_000 }), { ago: 3.2 * DAY, lasts: 10 * MINUTE, behind: 80_000 }],
  },
  "an outage that somebody took care of, and a threshold above it": {
    kind: "node.down",
    given: { rounds: 50 },
    troubles: [{ ago: 9 * DAY, lasts: 8 * MINUTE }],
    taken: [{ ago: 9 * DAY, lasts: 8 * MINUTE }],
  },
  "short outages of which somebody took care": {
    kind: "node.down",
    given: { rounds: 1 },
    troubles: often(10, { lasts: 30_000 }),
    taken: often(10, { lasts: 30_000 }).slice(0, 1),
  },
  "many lags, each of them long": {
    kind: "node.lagging",
    given: { behind: 20_000, for: 0 },
    troubles: often(40, { lasts: 15 * MINUTE, behind: 90_000 }),
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
    taken: LONG.slice(1),
  },
  "a lag that somebody took care of, and a threshold above it": {
    kind: "node.lagging",
    given: { behind: 180_000, for: 0 },
    troubles: [{ ago: 8 * DAY, lasts: 10 * MINUTE, behind: 100_000 }],
    taken: [{ ago: 8 * DAY, lasts: 10 * MINUTE }],
  },
  "two thresholds, one of which is crossed all the time": {
    kind: "node.lagging",
    given: { behind: 600_000, blocks: 20, for: 0 },
    troubles: [...often(40, { lasts: 5 * MINUTE, behind: 30_000 }), { ago: 2.1 * DAY, lasts: HOUR, behind: 120_000 }],
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
    given: { drift: 60_000, for: 0 },
    network: (ago) => ({ "network.clock": { "": { state: "good", driftMillis: isIn(ago, 20, 90) ? 35_000 : 200 } } }),
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
  "a value of a market that crosses its limit every few hours": {
    kind: "market.value",
    given: { if: "mark below 60000" },
    market: (ago) => ({ values: { mark: isIn(ago, 9) ? "54000" : ago % (3 * HOUR) < HOUR ? "59000" : "62000" } }),
  },
};

/** What is kept of a situation, by watcher. */
function looksOf({ since = 30 * DAY, network, market, ...kept }: Situation): Readonly<Record<string, readonly Look[]>> {
  const sources = looksUntil(NOW, { since, ...kept }).map((look) => {
    const { facts } = look.seen as { readonly facts: object };
    return network === undefined
      ? look
      : { ...look, seen: { facts: { ...facts, ...Object(network(NOW - look.dueMillis)) } } };
  });
  const every = HOUR / 2;
  const markets = Array.from({ length: market === undefined ? 0 : since / every }, (_, index): Look => {
    const at = NOW - since + index * every;
    const record = { label: "BTC/USDT", state: "STATE_ACTIVE", ...Object(market?.(NOW - at)) };
    return {
      run: "one",
      dueMillis: at,
      every,
      at: fromMillis(at),
      seen: { node: "sim-1", behind: false, markets: { a1: record } },
    };
  });
  return { sources, markets };
}

async function toldOf(situation: Situation): Promise<string> {
  const { kind, given, since = 30 * DAY, taken = [] } = situation;
  const rows = new Map(
    Object.entries(looksOf(situation)).map(([watcher, looks]) => [
      watcher,
      looks.map((look, index) => ({ number: index + 1, at: toMillis(look.at), data: lookToText(look) })),
    ]),
  );
  const tables = {
    looks: {
      packed: async () => [],
      tailBetween: async ({ watcher, from, to, after, limit }: LooksRange & { after: number; limit: number }) =>
        (rows.get(watcher) ?? []).filter(({ number, at }) => number > after && at >= from && at <= to).slice(0, limit),
    },
  };
  const store: Pick<Store, "read"> = { read: async (ask) => ask(tables as never) };
  const config = DEFAULT_ALERTS_CONFIG;
  const alerts = {
    config,
    trial: (request: TrialRequest) => tryNewestFirst(pageReader(store), { ...request, config }, 10_000),
    episodesBetween: async () => taken.map((one) => takenEpisode(kind, one)),
  };
  const chosen: ChosenKinds = { kinds: [kind] };
  const tried: Tried = { network: "mainnet", ...chosen, subjects: [], parameters: { [kind]: given }, floor: "info" };
  const others = othersOf(tried, config);
  // Each can be subscribed to as it is typed.
  for (const { typed } of others) parseThresholds([kind], typed, { [kind]: given });
  const answer = await tryAll(
    [tried, ...others.map((one) => one.tried)],
    { from: NOW - since, to: NOW },
    { alerts, network: "mainnet", signal: new AbortController().signal, here: OPS, caller: ann, platforms: PLATFORMS },
  );
  const reply = trialReply(tried, answer, others, {
    labels: {},
    zone: "UTC",
    now: NOW,
    ask: { command: "alerts add", options: { kinds: kind } },
  });
  const short = { ...reply, blocks: reply.blocks.filter(({ kind: block }) => block !== "table") };
  return renderTerminal(short, { width: 80, colour: false, links: false, now: NOON });
}

function takenEpisode(kind: ConditionKind, { ago, lasts }: Trouble): Episode {
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

test("each situation has its advice, and none where nothing is better", async () => {
  let said = "";
  for (const [name, situation] of Object.entries(SITUATIONS)) said += `# ${name}\n${await toldOf(situation)}\n`;
  await expect(said).toMatchFileSnapshot("../../golden/advice.txt");
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

test("nothing is advised under which an acknowledged alert would not have come", () => {
  const counted = (count: number, missed: number): Counted => ({
    told: Array.from({ length: count }, (_, index) => ({ subject: "a", began: index, fired: index, ended: index })),
    missed,
  });
  const all = [0, 1, 5, 40].flatMap((count) => [0, 1].map((missed) => counted(count, missed)));
  for (const asked of all) expect(adviceOf(asked, all, 30)?.better.missed ?? 0).toBe(0);
});
