import { randomUUID } from "node:crypto";

import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { DRILL_KIND, DRILL_NETWORK, drillEpisode, isDrill } from "../alerts/drill.ts";
import type { AlertEngine } from "../alerts/engine/engine.ts";
import type { Subscription } from "../alerts/routing/subscription.ts";
import { isOpen } from "../alerts/rules/episode.ts";
import type { Clock } from "../api/clock.ts";
import type { Witness } from "../api/verdict/verdict.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import { type Nanoseconds, toMillis } from "../units/nanoseconds.ts";
import { decodeSources, snapshotOf } from "./sources/sources-state.ts";
import { sourcesWatcher, sourceThresholds } from "./sources/sources.ts";

/** Nobody is kept waiting for a drill as long as for a real node. */
const POLL_INTERVAL: Milliseconds = 250;
/** Long enough for the alert to arrive before its end does, where nothing holds it up. */
const MAX_KEEP: Milliseconds = 1000;
/** What nobody has begun to watch by then is not begun any more: who asked for it has gone home. */
const MAX_START_DELAY: Milliseconds = 3_600_000;
/** A network on which nothing answers would be seen as blind: this node answers always. */
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
  /** With the settings below. */
  readonly engine: Pick<
    AlertEngine,
    "record" | "snapshot" | "subscriptions" | "putSubscriptions" | "openEpisodes" | "why"
  >;
  /** See drillSettings. */
  readonly config: AlertsConfig;
  readonly clock: Clock;
  readonly log: Log;
}

/** Watches what is drilled, as the schedule watches networks. */
export interface Drills {
  /** Takes up the drills among the subscriptions, where it has not yet: new ones, and what a crash left behind. */
  watch(subscriptions: readonly Subscription[]): void;
  /** Resolves once nothing of it runs any more. */
  stop(): Promise<void>;
}

/** One drill under way, and what its node does in the next look. */
interface ActiveDrill {
  readonly name: string;
  readonly by: string;
  readonly answers: boolean;
}

/**
 * Everything but what the made-up nodes say is the way of a real alert: the watcher of sources judges their words, the
 * engine makes an episode of it and owes it. How far a drill has come is read from what the engine has kept, so that it
 * goes on after a crash: until there is an episode its node is down, from then on it answers again.
 */
export function createDrills({ engine, config, clock, log }: DrillDependencies): Drills {
  const stopped = new AbortController();
  const { signal } = stopped;
  const run = randomUUID();
  const watcher = sourcesWatcher({ network: DRILL_NETWORK, config, clock, run });
  const thresholds = sourceThresholds(config);
  /** Drills that this process has looked at: at the first look there is nothing wrong. */
  const met = new Set<string>();
  let attending: Promise<void> | undefined;

  async function underWay(): Promise<ActiveDrill[]> {
    const told = (await engine.subscriptions()).filter(isActive);
    // Where every channel was lost meanwhile, what is open still comes to its end.
    const open = await engine.openEpisodes(DRILL_NETWORK);
    const names = new Set([...told.flatMap(({ subjects }) => subjects), ...open.map(({ subject }) => subject)]);
    const drills: ActiveDrill[] = [];
    for (const name of names) {
      const own = told.filter(({ subjects }) => subjects.includes(name));
      const episode = (await engine.why(drillEpisode(name)))?.episode;
      const late = own.some(({ created }) => toMillis(clock.wallClock()) - created > MAX_START_DELAY);
      if (episode === undefined ? late : !isOpen(episode)) await end(name, own);
      else drills.push({ name, by: own[0]?.by.name ?? "", answers: episode !== undefined || !met.has(name) });
    }
    return drills;
  }

  async function end(name: string, own: readonly Subscription[]): Promise<void> {
    met.delete(name);
    const over = own.map((one): Subscription => ({ ...one, state: "removed", why: "the drill is over" }));
    await engine.putSubscriptions(over, "Bellwether");
  }

  async function look(drills: readonly ActiveDrill[]): Promise<void> {
    const wallClock = clock.wallClock();
    const round = { witnesses: witnessesOf(drills, wallClock), atMillis: clock.monotonicMillis(), wallClock };
    const kept = await engine.snapshot(DRILL_NETWORK, watcher.name);
    const before = watcher.snapshot.safeParse(kept?.data).data;
    const snapshot = snapshotOf(run, round, decodeSources(before), thresholds);
    const { readings } = watcher.judge(before, snapshot, wallClock);
    await engine.record({
      network: DRILL_NETWORK,
      watcher: { name: watcher.name, every: watcher.every },
      snapshot,
      readings: readings.filter(({ kind, subject }) => kind === DRILL_KIND && subject !== STEADY_NODE),
      events: [],
      at: wallClock,
    });
    for (const { name } of drills) met.add(name);
  }

  async function attendAll(): Promise<void> {
    for (;;) {
      const drills = await underWay();
      if (drills.length === 0) return;
      await look(drills);
      await clock.sleep(watcher.every, signal);
    }
  }

  return {
    watch(subscriptions) {
      if (attending !== undefined || signal.aborted || !subscriptions.some(isActive)) return;
      attending = attendAll()
        .catch((thrown: unknown) => {
          if (!signal.aborted) log.error({ why: messageOf(thrown) }, "a drill cannot go on; trying again");
        })
        .finally(() => {
          attending = undefined;
        });
    },
    async stop() {
      stopped.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      await attending;
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
