import { DEFAULT_ALERTS_CONFIG, type AlertsConfig } from "../../src/alerts/alerts-config.ts";
import type { Observation } from "../../src/alerts/judge/judge.ts";
import { JudgeInMemory } from "../../src/alerts/judge/judge-in-memory.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import { buildSubscriptionIndex } from "../../src/alerts/route/subscription-index.ts";
import type { PollRound } from "../../src/api/verdict/verdict.ts";
import type { Nanoseconds } from "../../src/units/time.ts";
import { Alerts, type Told } from "../../src/main/traces/score.ts";
import { judgeLook } from "../../src/watchers/sources/sources.ts";
import { SourcesState } from "../../src/watchers/sources/sources-state.ts";
import { SnapshotsJudge } from "./snapshots.ts";
import type { Round, World, WorldPlan } from "./world.ts";

/** A rule that watches a world. */
export interface Watch {
  see(round: Round): void;
  /** All alerts so far. */
  readonly told: readonly Told[];
}

export const NETWORK = "mainnet";

/** The settings as they come, with the world's poll interval. */
export function configFor({ poll }: Pick<WorldPlan, "poll">): AlertsConfig {
  return { ...DEFAULT_ALERTS_CONFIG, poll: { ...DEFAULT_ALERTS_CONFIG.poll, time: poll } };
}

/** The judgement of rounds by the watcher of sources: its state in memory, stored and read again where a process ends. */
export class SourcesJudge {
  #config: AlertsConfig;
  #state: SourcesState | undefined;
  #process = 0;

  constructor(config: AlertsConfig) {
    this.#config = config;
  }

  /** Judges by other settings from now on. */
  settle(config: AlertsConfig): void {
    this.#config = config;
  }

  readings(round: Round): readonly Reading[] {
    return this.judge(round).readings;
  }

  /** A round as it is stored, with what was judged of it. */
  judge(round: Round) {
    if (round.process !== this.#process) this.#restart(round.process);
    const run = `process ${round.process}`;
    const poll = pollOf(round);
    const before = this.#state;
    const judged = judgeLook({ network: NETWORK, config: this.#config, run }, poll, before);
    this.#state = judged.state;
    return { run, poll, ...judged };
  }

  /** As the next process finds it. */
  #restart(process: number): void {
    this.#process = process;
    if (this.#state === undefined) return;
    const stored: unknown = JSON.parse(JSON.stringify(SourcesState.encode(this.#state)));
    this.#state = SourcesState.parse(stored);
  }
}

function pollOf({ answers, again, dueMillis, wallClock }: Round): PollRound {
  return {
    witnesses: answers.map((answer, node) => again[node] ?? answer) as PollRound["witnesses"][number][],
    atMillis: dueMillis,
    wallClock: wallClock as Nanoseconds,
  };
}

/** The observation that a round makes, as the watch loop passes it on. */
export function observationOf(
  round: Round,
  readings: readonly Reading[],
  every: number,
  name = "sources",
): Observation {
  return {
    network: NETWORK,
    watcher: { name, every },
    snapshot: undefined,
    readings,
    events: [],
    at: round.wallClock as Nanoseconds,
    dueMillis: round.dueMillis,
  };
}

/** Today's engine as far as it is pure: the verdict, its readings and the state machines, with no store. */
export class Bellwether implements Watch {
  readonly #alerts = new Alerts();
  readonly #config: AlertsConfig;
  readonly #every: number;
  readonly #judge: SourcesJudge;
  readonly #engine: JudgeInMemory;
  #process = 0;
  readonly #snapshots: SnapshotsJudge | undefined;

  constructor(plan: Pick<WorldPlan, "poll" | "nodes" | "heights">, world?: Pick<World, "snapshots">) {
    const { poll, nodes, heights } = plan;
    this.#config = configFor({ poll });
    this.#every = poll;
    this.#snapshots = world === undefined || !heights ? undefined : new SnapshotsJudge(NETWORK, nodes, world);
    this.#judge = new SourcesJudge(this.#config);
    this.#engine = new JudgeInMemory(buildSubscriptionIndex([], [], this.#config), this.#config);
  }

  get told(): readonly Told[] {
    return this.#alerts.told;
  }

  /** Whether nothing is bad, pending, firing or flapping: another such round changes nothing that anybody is told. */
  get isQuiet(): boolean {
    for (const { phase, flapping } of this.#engine.machines.values()) {
      if (phase !== "ok" || flapping !== undefined) return false;
    }
    return true;
  }

  see(round: Round): void {
    if (round.process !== this.#process) {
      this.#process = round.process;
      this.#engine.restart();
    }
    this.#observe(observationOf(round, this.#judge.readings(round), this.#every), round);
    const found = this.#snapshots?.look(round);
    if (found !== undefined) this.#observe(observationOf(round, found, this.#config.poll.rest, "snapshots"), round);
  }

  #observe(observation: Observation, round: Round): void {
    const judged = this.#engine.see(observation, round.dueMillis);
    for (const { change, rule, episode: id } of judged.changes) {
      const episode = judged.episodes.get(id ?? "");
      if (episode === undefined) continue;
      const { subject, first, last } = episode;
      this.#alerts.note({ change, rule, subject, why: (change === "fired" ? first : last).why }, toNanos(round.at));
    }
  }
}

/** Milliseconds, in whole nanoseconds as traces have them. */
export function toNanos(millis: number): number {
  return Math.round(millis * 1e6) / 1e6;
}
