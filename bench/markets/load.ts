import { existsSync } from "node:fs";

import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { judgeObservation, ProcessMemory } from "../../src/alerts/judge/judge.ts";
import { RuleSubjectMap } from "../../src/alerts/judge/rules/state-cache.ts";
import { buildSubscriptionIndex } from "../../src/alerts/route/subscription-index.ts";
import { parseSubscription } from "../../src/alerts/route/subscription.ts";
import type { Sender } from "../../src/alerts/sender.ts";
import { describe } from "../../src/alerts/words/words.ts";
import type { ApiClient } from "../../src/api/api-client.ts";
import { systemClock } from "../../src/api/clock.ts";
import { type MarketData, MarketsData } from "../../src/api/model/market.ts";
import { silentLog } from "../../src/log.ts";
import { createWatchedSubjects } from "../../src/main/alerting/watched-networks.ts";
import { createStore } from "../../src/store/create-store.ts";
import { type MarketsState, marketsWatcher } from "../../src/watchers/markets/markets.ts";
import { scratchFolder } from "../support/export-once.ts";
import { atMost, type Measured, median } from "../support/figure.ts";
import { subscriptionOf } from "../support/subscription-of.ts";

const MARKETS = 1000;
const WATCHES = 10_000;
const PLACES = 100;
const ROUNDS = 41;
const WARM_UPS = 10;
const NETWORK = "mainnet";

const idOf = (market: number): string => (market + 1).toString(16).padStart(64, "0");

/** What watches ask for; each has limits of its own, which nothing is beyond until it is moved there. */
const CONDITIONS: readonly ((index: number) => string)[] = [
  (index) => `mark above ${500_000 + index}`,
  (index) => `last below ${index + 1} or above ${600_000 + index}`,
  (index) => `spread above ${(index % 90) + 5}%`,
  (index) => `mark changes ${(index % 50) + 5}% within 10m`,
  (index) => `bid below ${index + 1}`,
];

const SUBSCRIPTIONS = Array.from({ length: WATCHES }, (_, index) => {
  const condition = CONDITIONS[index % CONDITIONS.length]?.(index) ?? "";
  const destination = { platform: "taking", channel: `c${index % PLACES}` };
  const subjects = [idOf(Math.floor(index / CONDITIONS.length) % MARKETS)];
  const more = { subjects, parameters: { "market.value": { if: condition } } };
  return subscriptionOf(index, destination, ["market.value"], "usual", NETWORK, more);
});

/** All markets at a look; so many of them beyond what some watches ask for. */
function marketsAt(look: number, moved: number): readonly MarketData[] {
  const price = (base: number): string => `${base}00000`;
  const marketsData = Array.from({ length: MARKETS }, (_, index) => {
    const base = index < moved ? 590_000 : 70_000 + ((index * 7 + look) % 100);
    return {
      market: idOf(index),
      markPrice: price(base),
      lastTradedPrice: price(base),
      midPrice: price(base),
      bestBidPrice: price(base - 1),
      bestOfferPrice: price(base + 1),
      openInterest: "184467",
      marketState: "STATE_ACTIVE",
      marketTradingMode: "TRADING_MODE_CONTINUOUS",
      suppliedStake: "50000000000000000000",
      targetStake: "34051230000000000000",
      priceMonitoringBounds: [{ minValidPrice: price(28_000), maxValidPrice: price(310_000) }],
    };
  });
  return MarketsData.parse({ marketsData }).marketsData;
}

/** Of this thread: whatever else the machine does leaves it as it is. */
function cpuMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** How long judging a look takes once its answer is read, and how long it is until its first message is sent. */
export async function measureLoad(): Promise<readonly Measured[]> {
  const names = Array.from({ length: MARKETS }, (_, index) => {
    return { id: idOf(index), code: `M${index}`, decimalPlaces: 5, positionDecimalPlaces: 0 };
  });
  let value = marketsAt(0, 0);
  const api = {
    nodes: [],
    network: NETWORK,
    getMarketNames: () => Promise.resolve(names),
    getMarketsData: () => {
      const asOf = { network: NETWORK, node: "a", receivedAt: systemClock.wallClock(), simulated: false };
      return Promise.resolve({ value, asOf, bytes: 1_700_000 });
    },
  } as unknown as ApiClient;
  const config = DEFAULT_ALERTS_CONFIG;
  const subscriptions = SUBSCRIPTIONS.map(parseSubscription);
  const index = buildSubscriptionIndex(subscriptions, [], config);
  const wanted = createWatchedSubjects();
  wanted.update(subscriptions);
  const watcher = marketsWatcher({ network: NETWORK, nodes: 1, config });
  let snapshot: MarketsState | undefined;
  const memory = new ProcessMemory();
  const machines = new RuleSubjectMap<never>();
  const look = async () => {
    const before = snapshot;
    const dueMillis = systemClock.monotonicMillis();
    const context = {
      before,
      dueMillis,
      changes: wanted.changes(NETWORK),
      subjects: (kind: Parameters<typeof wanted.of>[1]) => wanted.of(NETWORK, kind),
    };
    const after = await watcher.observe(api, context, AbortSignal.timeout(60_000));
    const at = systemClock.wallClock();
    const began = cpuMillis();
    const found = watcher.judge(before, after, at);
    const readMillis = cpuMillis() - began;
    snapshot = after;
    return {
      readMillis,
      ...found,
      snapshot: after,
      before,
      at,
      dueMillis,
      network: NETWORK,
      watcher: { name: "markets", every: 60_000 },
    };
  };
  const times: number[] = [];
  for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
    value = marketsAt(round + WARM_UPS, 0);
    const observation = await look();
    const began = cpuMillis();
    const known = { index, ruleWords: () => "", config, machines, open: new Map(), memory };
    const last = { monotonicMillis: observation.dueMillis, known: observation.at, downtimeMillis: 0 };
    memory.progress.set("markets", last);
    const judged = judgeObservation({ ...known, stored: 1 }, observation, observation.dueMillis + 1);
    memory.remember("markets", judged);
    if (round >= 0) times.push(observation.readMillis + cpuMillis() - began);
    if (judged.changes.length > 0) throw new Error("nothing is beyond its limit yet");
  }
  const first = await firstMessage(look, (moved) => {
    value = marketsAt(0, moved);
  });
  const load = `${MARKETS} markets, ${WATCHES} watches`;
  return [
    atMost("markets: CPU of judging a look", median(times), 15, "ms", `${load}; median of ${times.length}`),
    atMost("markets: first message after it", first, 100, "ms", `${load}; a database on disk, median of 9`),
  ];
}

/** From a look in which one market is beyond a limit to the call of the platform, with a database. */
async function firstMessage(
  look: () => Promise<Parameters<ReturnType<typeof createAlertEngine>["processObservation"]>[0]>,
  move: (moved: number) => void,
): Promise<number> {
  await using folder = await scratchFolder(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const log = silentLog();
  const store = createStore({ url: `file:${folder.path}/bench.db`, log });
  let sent = Promise.withResolvers<number>();
  const sender: Sender = {
    platform: "taking",
    send: ({ id, destination }) => {
      sent.resolve(performance.now());
      return Promise.resolve({ platform: "taking", channel: destination.channel, message: id });
    },
    update: () => Promise.resolve(),
  };
  const stop = new AbortController();
  const common = { store, clock: systemClock, log };
  const dispatcher = createDispatcher({ ...common, random: Math.random, senders: [sender], describe });
  const dependencies = { ...common, config: DEFAULT_ALERTS_CONFIG, simulated: new Set<string>() };
  const engine = createAlertEngine({ ...dependencies, onOwed: () => dispatcher.wake() });
  await store.transaction(({ alerts }) => alerts.subscriptions.put(SUBSCRIPTIONS));
  const running = dispatcher.run(stop.signal);
  for (let round = 0; round < 3; round += 1) await engine.processObservation(await look());
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    move(round + 1);
    const observation = await look();
    // What the move before was told by is on its way no longer.
    await systemClock.sleep(500);
    sent = Promise.withResolvers();
    const began = performance.now();
    await engine.processObservation(observation);
    times.push((await sent.promise) - began);
  }
  stop.abort();
  await running;
  await store.close();
  return median(times);
}
