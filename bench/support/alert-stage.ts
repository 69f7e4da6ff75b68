import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { type AlertEngine, createAlertEngine } from "../../src/alerts/engine/engine.ts";
import type { AlertEvent } from "../../src/alerts/judge/kinds/event.ts";
import type { AlertKind } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import type { Subscription } from "../../src/alerts/route/subscription.ts";
import type { Sender } from "../../src/alerts/sender.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { systemClock } from "../../src/api/clock.ts";
import { silentLog } from "../../src/log.ts";
import { createDuties } from "../../src/main/alerting/duties.ts";
import { createStore } from "../../src/store/create-store.ts";
import type { Store } from "../../src/store/store.ts";
import { scratchFolder } from "./export-once.ts";
import { subscriptionOf } from "./subscription-of.ts";
import type { Destination } from "../../src/alerts/destination.ts";

const NETWORK = "mainnet";

/** The alerts from a finding to stored receipts, in real time. */
export interface AlertStage extends AsyncDisposable {
  readonly engine: AlertEngine;
  readonly store: Store;
  /** One observation of a watcher, now. */
  observe(readings: readonly Reading[], events?: readonly AlertEvent[]): Promise<number>;
  /** Resolves when so many more deliveries have their receipts in the database. */
  settled(count: number): Promise<void>;
}

/**
 * All destinations have the same subscription; `events` as in a subscription. The database is a new file on disk, or the
 * one on a server that `url` names, where other stages deliver, too.
 */
export async function alertStage(options: {
  readonly url?: string;
  readonly senders: readonly Sender[];
  readonly destinations: readonly Destination[];
  readonly kinds: readonly AlertKind[];
  readonly events: Subscription["events"];
}): Promise<AlertStage> {
  const { senders, destinations, kinds, events } = options;
  const folder = await scratchFolder();
  const log = silentLog();
  const store = createStore({ url: options.url ?? `file:${folder.path}/bench.db`, log });
  const duties = createDuties({ store, clock: systemClock, log });
  await duties.start();
  const stop = new AbortController();
  let kept = 0;
  let wanted: { count: number; resolve: () => void } | undefined;
  const dispatcher = createDispatcher({
    random: Math.random,
    store,
    clock: systemClock,
    log,
    senders,
    describe,
    onOutcome: ({ outcome }) => {
      if (outcome !== "sent") throw new Error(`a delivery was not sent: ${outcome}`);
      kept += 1;
      if (wanted !== undefined && kept >= wanted.count) wanted.resolve();
    },
  });
  const wake = (): void => {
    dispatcher.wake();
    store.processes.announce();
  };
  const dependencies = { store, config: DEFAULT_ALERTS_CONFIG, clock: systemClock, log, simulated: new Set<string>() };
  const engine = createAlertEngine({ ...dependencies, onOwed: wake });
  await store.transaction(({ alerts }) =>
    alerts.subscriptions.put(
      destinations.map((destination, index) => subscriptionOf(index, destination, kinds, events, NETWORK)),
    ),
  );
  store.processes.onChange(() => dispatcher.wake(), stop.signal);
  const running = dispatcher.run(stop.signal);
  return {
    engine,
    store,
    async observe(readings, seen = []) {
      const at = systemClock.wallClock();
      const watcher = { name: "bench", every: 5000 };
      const { owed } = await engine.processObservation({
        network: NETWORK,
        watcher,
        snapshot: { at: String(at) },
        readings,
        events: seen,
        at,
      });
      return owed;
    },
    async settled(count) {
      kept = 0;
      const all = Promise.withResolvers<void>();
      wanted = { count, resolve: all.resolve };
      await all.promise;
      wanted = undefined;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await duties.leave();
      await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export function checkpoint(block: number): AlertEvent {
  return {
    kind: "checkpoint.new",
    network: NETWORK,
    subject: "",
    key: `${block}/h`,
    at: String(systemClock.wallClock()),
    atBlock: String(block),
    hash: `h${block}`,
  };
}

export function auction(state: "good" | "bad"): Reading {
  const facts = { tradingMode: "TRADING_MODE_MONITORING_AUCTION", trigger: "AUCTION_TRIGGER_PRICE" };
  const common = { network: NETWORK, subject: "m1", label: "BTC/USD", state, seenBy: ["a:1"], nodes: 1 } as const;
  return { kind: "market.auction", ...common, facts: state === "bad" ? facts : {} };
}
