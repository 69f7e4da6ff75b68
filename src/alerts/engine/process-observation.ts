import { setImmediate } from "node:timers/promises";

import { StorageError } from "../../errors.ts";
import type { AlertTables, EpisodeRow, MachineRow } from "../../store/alert-tables/alert-tables.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { AlertDependencies } from "../dependencies.ts";
import { joinPlans, joinRules, type OutboxBatch } from "../deliver/outbox/batch.ts";
import { enqueue } from "../deliver/outbox/outbox.ts";
import { needsThreshold } from "../judge/kinds/kinds.ts";
import type { SubscriptionIndex, subscriptionIndexReader } from "../route/subscription-index.ts";
import type { Episode, Machine } from "../judge/rules/episode.ts";
import { episodeRow, isOpen, machineKey, machineRow, parseEpisode, parseMachine } from "../judge/rules/episode.ts";
import { ParsedRowCache, RuleSubjectMap } from "../judge/rules/state-cache.ts";
import {
  type JudgedObservation,
  judgeObservation,
  type Observation,
  type ObservationState,
  ProcessMemory,
} from "../judge/judge.ts";
import { ruleWords } from "../words/subscription-words.ts";
import { planEvents } from "./plan-events.ts";
import { planOpen } from "./plan-open.ts";

/** A full disk that keeps no looks is mentioned once within such a time. */
const LOST_LOOK_EVERY: Milliseconds = 3_600_000;

/** What was stored is remembered for so long, and so many rows of it: a standby is seldom further behind. */
const REMEMBERED_FOR: Milliseconds = 120_000;
const REMEMBERED_ROWS = 20_000;

/** Serializing a longer snapshot is followed by a yield to the event loop. */
const YIELD_ABOVE_CHARACTERS = 1_000_000;

/**
 * Stores an observation together with the deliveries that it causes, in one transaction: after a crash either both are
 * there, or the next observation finds the same difference again. Observations of one watcher must not overlap.
 * What is stored is loaded, judged (../judge/judge.ts), planned and saved.
 */
export function observationProcessor(
  dependencies: AlertDependencies,
  readIndex: ReturnType<typeof subscriptionIndexReader>,
) {
  const { store, clock, log } = dependencies;
  let lookLostAt: Milliseconds | undefined;
  const networks = new Map<string, ReturnType<typeof nothingKnown>>();

  return async (observation: Observation) => {
    const { network, watcher } = observation;
    const at = toMillis(observation.at);
    const monotonicMillis = observation.dueMillis ?? clock.monotonicMillis();
    dependencies.onStep?.("observed");
    const known = networks.get(network) ?? nothingKnown();
    networks.set(network, known);
    const snapshot = JSON.stringify(observation.snapshot);
    const last = known.stored.get(watcher.name);
    known.stored.delete(watcher.name);
    if (snapshot.length > YIELD_ABOVE_CHARACTERS) await setImmediate();

    const judgeAndStore = (look: string | undefined) =>
      store.transaction(async ({ alerts: tables }) => {
        const ats = await tables.watch.observedAts(network);
        if (await storeAgain(dependencies, tables, network, lostOf(known.done, ats), at)) return undefined;
        const stored = ats.get(watcher.name);
        if (last !== undefined && stored !== last) {
          // It is judged anew, as after a restart: what is remembered goes on from what is lost. So do the other watchers,
          // which have to notice it, too.
          networks.set(network, { ...nothingKnown(), stored: known.stored });
          throw new Error("the database holds another snapshot than the one that this watcher goes on from");
        }
        const index = await readIndex(tables, at);
        const machines = new RuleSubjectMap<Machine>();
        const rows = await tables.watch.machines(network);
        for (const one of known.machines.parse(rows, ({ rule, subject }) => machineKey(rule, subject)).values()) {
          machines.set(one.rule, one.subject, one);
        }
        const state: ObservationState = {
          index,
          ruleWords,
          config: dependencies.config,
          machines,
          open: known.episodes.parse(await tables.watch.openEpisodes(network), ({ id }) => id),
          stored,
          memory: known.memory,
        };
        const judgement = judgeObservation(state, observation, monotonicMillis);
        const planned = await planObservation(dependencies, tables, { ...state, index }, judgement, observation);
        const done: Done = {
          watcher: watcher.name,
          before: stored,
          at,
          machines: [...judgement.machines.values()].map(machineRow),
          episodes: [...judgement.episodes.values()].map(episodeRow),
          batch: planned,
          ...withoutUndefined({ look }),
          snapshot: observation.snapshot,
        };
        await write(dependencies, tables, network, done, snapshot);
        dependencies.onStep?.("observation written");
        return { judged: judgement, done };
      });

    const result = await judgeAndStore(observation.look).catch((thrown: unknown) => {
      // A look is the only thing that may be left out: on a full disk alerts go on without it.
      if (observation.look === undefined || !(thrown instanceof StorageError) || !thrown.isFull) throw thrown;
      if (at - (lookLostAt ?? -Infinity) >= LOST_LOOK_EVERY) {
        lookLostAt = at;
        log.warn({ network, watcher: watcher.name, why: thrown.message }, "look not kept");
      }
      return judgeAndStore(undefined);
    });

    if (result === undefined) {
      dependencies.onOwed?.();
      throw new Error("the database had lost what was stored before: that is stored again, and this is judged anew");
    }
    const { judged, done } = result;
    dependencies.onStep?.("observation committed");
    known.done = withDone(known.done, done);
    known.stored.set(watcher.name, at);
    known.memory.remember(watcher.name, judged);
    const owed = done.batch.deliveries.length;
    if (owed > 0) dependencies.onOwed?.();
    return { changes: judged.changes, owed };
  };
}

/** What this process knows of a network that it has not observed yet. */
function nothingKnown() {
  return {
    machines: new ParsedRowCache(parseMachine),
    episodes: new ParsedRowCache(parseEpisode),
    memory: new ProcessMemory(),
    /** When each watcher's snapshot was stored that its next observation goes on from (Unix milliseconds). */
    stored: new Map<string, Milliseconds>(),
    /** What was stored last, in order. */
    done: [] as readonly Done[],
  };
}

/** All that an observation has stored, to be stored again where the database loses it. */
interface Done {
  readonly watcher: string;
  /** When the watcher's snapshot before was stored, and this one. */
  readonly before: Milliseconds | undefined;
  readonly at: Milliseconds;
  readonly machines: readonly MachineRow[];
  readonly episodes: readonly EpisodeRow[];
  readonly batch: OutboxBatch;
  readonly look?: string;
  /** Of the watcher's last observation, which is in memory anyway. */
  readonly snapshot?: unknown;
}

/** Stores again what the database lacks, if it lacks any: what was planned then was perhaps told. */
async function storeAgain(
  dependencies: AlertDependencies,
  tables: AlertTables,
  network: string,
  lost: readonly Done[],
  at: Milliseconds,
): Promise<boolean> {
  if (lost.length === 0) return false;
  await tables.expectRepeats(at);
  for (const one of lost) await write(dependencies, tables, network, one, JSON.stringify(one.snapshot ?? null));
  return true;
}

async function write(
  dependencies: AlertDependencies,
  tables: AlertTables,
  network: string,
  { watcher, at, machines, episodes, batch, look }: Done,
  snapshot: string,
): Promise<void> {
  await tables.watch.putMachines(machines);
  await tables.watch.putEpisodes(episodes);
  await enqueue(tables, batch, at, dependencies.chunkRows, joinRules(dependencies));
  await tables.watch.putSnapshot(network, watcher, at, snapshot, look);
}

/** With one more, as much as a failover may lose. */
function withDone(all: readonly Done[], one: Done): readonly Done[] {
  const before = all.map((other) => (other.watcher === one.watcher ? { ...other, snapshot: undefined } : other));
  const kept = [...before, one].filter(({ at }) => at > one.at - REMEMBERED_FOR);
  let rows = 0;
  const first = kept.findLastIndex(({ machines, episodes, batch: { deliveries, states } }) => {
    rows += machines.length + episodes.length + deliveries.length + states.length;
    return rows > REMEMBERED_ROWS;
  });
  return kept.slice(first + 1);
}

/** What the database lacks of that: of each watcher what follows its stored snapshot. */
function lostOf(all: readonly Done[], ats: ReadonlyMap<string, Milliseconds>): readonly Done[] {
  const last = new Map(all.map(({ watcher, at }) => [watcher, at]));
  const lost = new Set<string>();
  return all.filter(({ watcher, before }) => {
    const at = ats.get(watcher);
    if (at === before && at !== last.get(watcher)) lost.add(watcher);
    return lost.has(watcher);
  });
}

/** Everything that becomes owed by an observation, and what was decided. */
async function planObservation(
  dependencies: AlertDependencies,
  tables: AlertTables,
  { index, machines, open }: Omit<ObservationState, "index"> & { readonly index: SubscriptionIndex },
  judged: JudgedObservation,
  { network, at: observedAt }: Observation,
): Promise<OutboxBatch> {
  const { simulated } = dependencies;
  const at = toMillis(observedAt);
  const changed = new Set(judged.changes.map(({ episode }) => episode));
  const after = new Map<string, Episode>([...open, ...judged.episodes]);
  const conditions = await planOpen(dependencies, tables, {
    index,
    episodes: [...judged.episodes.values()].filter(({ id }) => changed.has(id)),
    open: [...after.values()].filter(isOpen),
    machine: ({ rule, subject }) => judged.machines.get(rule, subject) ?? machines.get(rule, subject),
    at,
  });
  const { events, decisions } = judged;
  if (events.length === 0) return joinPlans([{ decisions }, conditions.plan]);
  const subscriptions = index.eventSubscriptions(network);
  const { silences } = index;
  const watched = [...after.values()].filter((one) => isOpen(one) && needsThreshold(one.kind));
  const told = new Map(
    [...Map.groupBy(watched, ({ subject }) => subject)].map(
      ([subject, all]) => [subject, new Set(all.flatMap((one) => index.subscribers(one.rule, one)))] as const,
    ),
  );
  const news = planEvents({ events, simulated: simulated.has(network), subscriptions, told, silences, at });
  const counts = [...Map.groupBy(events, (event) => event.kind)].map(([kind, all]) => `${all.length} ${kind}`);
  const seen = { what: "seen", network, detail: counts.join(", ") };
  return joinPlans([{ decisions }, conditions.plan, news, { decisions: [seen] }]);
}
