import { randomUUID } from "node:crypto";

import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { DRILL_KIND, DRILL_NETWORK, drillEpisode, isDrill, isOpen } from "../alerts/judge/rules/episode.ts";
import type { AlertEngine } from "../alerts/engine/engine.ts";
import type { Subscription } from "../alerts/route/subscription.ts";
import type { Clock } from "../api/clock.ts";
import type { Witness } from "../api/verdict/verdict.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { type Milliseconds, type Nanoseconds, toMillis } from "../units/time.ts";
import { decodeSources, judgeRound, snapshotOf } from "./sources/sources-state.ts";
import { sourcesWatcher, sourceThresholds } from "./sources/sources.ts";

/** Shorter than for a real node, since somebody is waiting for the drill. */
const POLL_INTERVAL: Milliseconds = 250;
/** Long enough for the alert to arrive before its end, where nothing delays it. */
const MAX_KEEP: Milliseconds = 1000;
/** A drill that could not begin by then is dropped: nobody is waiting for it any more. */
const MAX_START_DELAY: Milliseconds = 3_600_000;
/** Always answers: a network on which no node does would count as blind. */
const STEADY_NODE = "steady";

/** The alerts' settings for drills: the same rules, at a quicker pace. */
export function drillSettings(config: AlertsConfig): AlertsConfig {
  const { poll, keep } = config;
  return {
    ...config,
    poll: { ...poll, time: Math.min(poll.time, POLL_INTERVAL) },
    keep: { ...keep, for: Math.min(keep.for, MAX_KEEP) },
  };
}

export interface DrillDependencies {
  /** Built with `config`. */
  readonly engine: Pick<
    AlertEngine,
    "processObservation" | "snapshot" | "subscriptions" | "putSubscriptions" | "openEpisodes" | "history"
  >;
  /** See drillSettings. */
  readonly config: AlertsConfig;
  readonly clock: Clock;
  readonly log: Log;
}

/** Observes drills as the schedule observes networks. */
export type Drills = ReturnType<typeof createDrills>;

/** A drill, and whether its node answers the next observation. */
interface ActiveDrill {
  readonly name: string;
  readonly by: string;
  readonly answers: boolean;
}

/**
 * Only the nodes' answers are made up: the watcher of sources judges them, and the engine opens an episode and plans
 * deliveries, as for a real alert. A drill's progress is read from the engine's state, so that it goes on after a crash:
 * until there is an episode its node is down, from then on it answers again.
 */
export function createDrills({ engine, config, clock, log }: DrillDependencies) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const run = randomUUID();
  const watcher = sourcesWatcher({ network: DRILL_NETWORK, config, clock, run });
  const thresholds = sourceThresholds(config);
  /** Drills that this process has observed: at the first observation their nodes answer. */
  const observed = new Set<string>();
  let running: Promise<void> | undefined;

  async function activeDrills(): Promise<ActiveDrill[]> {
    const subscribed = (await engine.subscriptions()).filter(isActive);
    // An open episode comes to its end even where every channel was lost meanwhile.
    const open = await engine.openEpisodes(DRILL_NETWORK);
    const names = new Set([...subscribed.flatMap(({ subjects }) => subjects), ...open.map(({ subject }) => subject)]);
    const drills: ActiveDrill[] = [];
    for (const name of names) {
      const own = subscribed.filter(({ subjects }) => subjects.includes(name));
      const episode = (await engine.history(drillEpisode(name)))?.episode;
      const late = own.some(({ created }) => toMillis(clock.wallClock()) - created > MAX_START_DELAY);
      if (episode === undefined ? late : !isOpen(episode)) await end(name, own);
      else drills.push({ name, by: own[0]?.by.name ?? "", answers: episode !== undefined || !observed.has(name) });
    }
    return drills;
  }

  async function end(name: string, own: readonly Subscription[]): Promise<void> {
    observed.delete(name);
    const over = own.map((one): Subscription => ({ ...one, state: "removed", why: "the drill is over" }));
    await engine.putSubscriptions(over, "Bellwether");
  }

  async function observe(drills: readonly ActiveDrill[]): Promise<void> {
    const wallClock = clock.wallClock();
    const round = { witnesses: witnessesOf(drills, wallClock), atMillis: clock.monotonicMillis(), wallClock };
    const stored = await engine.snapshot(DRILL_NETWORK, watcher.name);
    const before = watcher.snapshot.safeParse(stored?.data).data;
    const snapshot = snapshotOf(run, round, judgeRound(run, round, decodeSources(before), thresholds));
    const { readings } = watcher.judge(before, snapshot, wallClock);
    await engine.processObservation({
      network: DRILL_NETWORK,
      watcher: { name: watcher.name, every: watcher.every },
      snapshot,
      readings: readings.filter(({ kind, subject }) => kind === DRILL_KIND && subject !== STEADY_NODE),
      events: [],
      at: wallClock,
    });
    for (const { name } of drills) observed.add(name);
  }

  async function runAll(): Promise<void> {
    for (;;) {
      const drills = await activeDrills();
      if (drills.length === 0) return;
      await observe(drills);
      await clock.sleep(watcher.every, signal);
    }
  }

  return {
    /** Starts with the drills among the subscriptions: new ones, and those that a crash interrupted. */
    watch(subscriptions: readonly Subscription[]): void {
      if (running !== undefined || signal.aborted || !subscriptions.some(isActive)) return;
      running = runAll()
        .catch((thrown: unknown) => {
          if (!signal.aborted) log.error({ why: messageOf(thrown) }, "drill step failed");
        })
        .finally(() => {
          running = undefined;
        });
    },
    /** Resolves once no drill runs any more. */
    async stop() {
      stopped.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      await running;
    },
  };
}

function isActive(one: Subscription): boolean {
  return isDrill(one) && one.state === "active";
}

function witnessesOf(drills: readonly ActiveDrill[], time: Nanoseconds): Witness[] {
  return [
    { node: STEADY_NODE, reachable: true, time },
    ...drills.map(({ name, by, answers }): Witness => {
      const why = `this node is made up for a drill${by === "" ? "" : `, which ${by} asked for`}`;
      return answers ? { node: name, reachable: true, time } : { node: name, reachable: false, why };
    }),
  ];
}
