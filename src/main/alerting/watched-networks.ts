import { randomUUID } from "node:crypto";

import { DamagedRow } from "../../errors.ts";
import { watcherNames } from "../../alerts/alerts-config.ts";
import type { AlertDependencies } from "../../alerts/dependencies.ts";
import { type AlertEngine, createAlertEngine } from "../../alerts/engine/engine.ts";
import type { AlertKind } from "../../alerts/judge/kinds/kinds.ts";
import { changesOf, type ValueChange } from "../../alerts/judge/kinds/market-value.ts";
import type { Subscription } from "../../alerts/route/subscription.ts";
import type { ApiClient } from "../../api/api-client.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";
import type { keepLooks, LooksBounds } from "../../looks/keep.ts";
import type { Lease, Store } from "../../store/store.ts";
import { toMillis } from "../../units/time.ts";
import type { createWatchers } from "../../watchers/create-watchers.ts";
import type { Observation, startSchedule } from "../../watchers/schedule.ts";
import { decodeSources, judgeRound, SourcesSnapshot } from "../../watchers/sources/sources-state.ts";
import { sourceThresholds } from "../../watchers/sources/sources.ts";
import { fencedStore } from "./duties.ts";
import type { LastObservation } from "./alerting.ts";
import type { DamagedRows } from "./damaged-rows.ts";

interface WatchedNetworksDependencies {
  /** Of the engine that each watch gets. */
  readonly alerts: AlertDependencies & { readonly store: Pick<Store, "transaction" | "read"> };
  readonly subjects: WatchedSubjects;
  readonly damaged: DamagedRows;
  readonly looks?: LooksBounds | undefined;
  /** Of the program, as kept looks name it. */
  readonly version?: string;
  /** Is given each observation, once it is stored. */
  readonly onObservation?: ((observation: Observation) => void) | undefined;
}

/** So many markets without looks are named in the log. */
const NAMED_MARKETS = 5;

/** The watch of each network, by this process or by another one. */
export class WatchedNetworks {
  readonly #dependencies: WatchedNetworksDependencies;
  readonly #observations = new Map<string, LastObservation>();
  readonly #verdicts = new Map<string, Verdict>();
  readonly #withoutLooks = new Map<string, readonly string[]>();
  /** Those that this process watches. */
  readonly #own = new Set<string>();

  constructor(dependencies: WatchedNetworksDependencies) {
    this.#dependencies = dependencies;
  }

  get observations(): readonly LastObservation[] {
    return [...this.#observations.values()];
  }

  /** The last verdict, by whichever process watches the network. */
  verdict(network: string): Verdict | undefined {
    return this.#verdicts.get(network);
  }

  /** The markets of which this process keeps no looks, since LOOKS_MARKETS are kept already. */
  marketsWithoutLooks(network: string): readonly string[] {
    return this.#withoutLooks.get(network) ?? [];
  }

  /** Reads what other processes have stored of the networks that this one does not watch. */
  async follow(networks: readonly string[], engine: AlertEngine): Promise<void> {
    for (const network of networks) {
      if (this.#own.has(network)) continue;
      const { observations, verdict } = await storedOf(network, engine, this.#dependencies.alerts);
      // It may have become this process's own meanwhile.
      if (this.#own.has(network)) continue;
      for (const one of observations) this.#observations.set(`${network}/${one.watcher}`, one);
      if (verdict !== undefined) this.#verdicts.set(network, verdict);
    }
  }

  /** Watches a network for as long as this process has the lease. Gives the function that ends it. */
  watch(
    api: ApiClient,
    lease: Lease,
    load: {
      readonly createWatchers: typeof createWatchers;
      readonly startSchedule: typeof startSchedule;
      readonly keepLooks: typeof keepLooks;
    },
  ): () => Promise<void> {
    const { alerts, subjects, damaged, looks, version } = this.#dependencies;
    const { config, clock, log } = alerts;
    const { network } = api;
    // What an earlier watch of this process remembers is as old as that.
    const fenced = fencedStore(alerts.store, lease);
    const engine = createAlertEngine({ ...alerts, store: fenced });
    const onVerdict = (latest: Verdict): void => void this.#verdicts.set(network, latest);
    this.#own.add(network);
    const run = randomUUID();
    const markets =
      looks === undefined ? {} : { looks: { markets: looks.markets, onBeyond: this.#noteBeyond(network) } };
    const options = { network, nodes: api.nodes.length, config, clock, onVerdict, run, ...markets };
    const watchers = load.createWatchers(options);
    const ending = new AbortController();
    const settings = { version: version ?? "", nodes: api.nodes.map(({ name }) => name), config };
    const keeping = { store: { ...fenced, read: alerts.store.read }, run, settings, clock, log };
    const packing =
      looks === undefined ? undefined : load.keepLooks(network, { ...keeping, bounds: looks }, ending.signal);
    const schedule = load.startSchedule({
      ...(looks === undefined ? {} : { run }),
      random: Math.random,
      api,
      watchers,
      load: async (_network, watcher) => (await engine.snapshot(network, watcher))?.data,
      subjects: (_network, kind) => subjects.of(network, kind),
      changes: () => subjects.changes(network),
      sink: (observation) => this.#record(engine, observation),
      onDamaged: (watcher, row) => void damaged.note(`${network}/${watcher}`, row),
      log,
      clock,
    });
    return async () => {
      ending.abort(new DOMException("The network is not watched any more.", "AbortError"));
      await Promise.all([schedule.stop(), packing]);
      for (const { name } of watchers) damaged.clear(`${network}/${name}`);
      this.#own.delete(network);
      this.#withoutLooks.delete(network);
    };
  }

  /** Remembers the markets without looks, and says so once. */
  #noteBeyond(network: string): (markets: readonly string[]) => void {
    let isSaid = false;
    return (markets) => {
      this.#withoutLooks.set(network, markets);
      if (isSaid || markets.length === 0) return;
      isSaid = true;
      const some = markets.slice(0, NAMED_MARKETS).join(", ");
      this.#dependencies.alerts.log.info({ network, markets: markets.length, some }, "markets without looks");
    };
  }

  async #record(engine: AlertEngine, observation: Observation): Promise<void> {
    await engine.processObservation(observation);
    const { network, watcher, at, failure } = observation;
    this.#dependencies.damaged.clear(`${network}/${watcher.name}`);
    this.#observations.set(`${network}/${watcher.name}`, {
      network,
      watcher: watcher.name,
      every: watcher.every,
      at: toMillis(at),
      ...(failure === undefined ? {} : { failure: failure.message }),
    });
    this.#dependencies.onObservation?.(observation);
  }
}

/** The watcher that judges the nodes. */
const SOURCES = "sources";

/** What the watchers of another process have stored last of a network. */
async function storedOf(
  network: string,
  engine: Pick<AlertEngine, "snapshot" | "lastObservedAt">,
  { config, clock }: Pick<AlertDependencies, "config" | "clock">,
): Promise<{ readonly observations: readonly LastObservation[]; readonly verdict?: Verdict }> {
  const observations: LastObservation[] = [];
  for (const { name, every } of watcherNames(config)) {
    const at = await engine.lastObservedAt(network, name);
    if (at !== undefined) observations.push({ network, watcher: name, every, at });
  }
  const stored = await engine.snapshot(network, SOURCES).catch(noneIfDamaged);
  const state = decodeSources(SourcesSnapshot.safeParse(stored?.data).data);
  if (state === undefined) return { observations };
  // The same round judged again, by this process's monotonic clock: a node may count as missing once too often.
  const awayMillis = toMillis(clock.wallClock()) - toMillis(state.round.wallClock);
  const round = { ...state.round, atMillis: clock.monotonicMillis() - awayMillis };
  return { observations, verdict: judgeRound("", round, state, sourceThresholds(config)) };
}

/** The process that watches the network says that its row is damaged. */
function noneIfDamaged(thrown: unknown): undefined {
  if (!(thrown instanceof DamagedRow)) throw thrown;
}

/** The subjects that subscriptions name, for watchers that poll each of them. */
export type WatchedSubjects = ReturnType<typeof createWatchedSubjects>;

export function createWatchedSubjects() {
  let current: readonly Subscription[] = [];
  let byKind = new Map<string, Set<string>>();
  let changes = new Map<string, Map<string, ValueChange[]>>();
  return {
    /** Takes the current subscriptions. */
    update(subscriptions: readonly Subscription[]): void {
      // The engine gives the same list until one of them changes.
      if (subscriptions === current) return;
      current = subscriptions;
      byKind = new Map();
      changes = new Map();
      for (const { state, network, kinds, subjects, parameters } of subscriptions) {
        for (const kind of kinds) {
          // A paused one goes on being judged, where that asks a node for no more.
          if (state !== "active" && (state !== "paused" || kind !== "market.value")) continue;
          const named = byKind.get(`${network}|${kind}`) ?? new Set();
          byKind.set(`${network}|${kind}`, named);
          for (const subject of subjects) named.add(subject);
        }
        const asked = changesOf(String(parameters["market.value"]?.["if"] ?? ""));
        if (asked.length === 0 || (state !== "active" && state !== "paused")) continue;
        const markets = changes.get(network) ?? new Map<string, ValueChange[]>();
        changes.set(network, markets);
        for (const subject of subjects) {
          const known = markets.get(subject) ?? [];
          const isKnown = (one: ValueChange): boolean =>
            known.some(({ fact, within }) => fact === one.fact && within === one.within);
          markets.set(subject, [...known, ...asked.filter((one) => !isKnown(one))]);
        }
      }
    },
    /** The subjects of all active subscriptions, each once. */
    of: (network: string, kind: AlertKind): readonly string[] => [...(byKind.get(`${network}|${kind}`) ?? [])],
    /** The changes of values that they ask for, by market. */
    changes: (network: string): ReadonlyMap<string, readonly ValueChange[]> =>
      changes.get(network) ?? new Map<string, readonly ValueChange[]>(),
  };
}
