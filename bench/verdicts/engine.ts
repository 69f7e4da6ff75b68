import { DEFAULT_ALERTS_CONFIG, type AlertsConfig } from "../../src/alerts/alerts-config.ts";
import type { Observation } from "../../src/alerts/judge/judge.ts";
import { JudgeInMemory } from "../../src/alerts/judge/judge-in-memory.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import { buildSubscriptionIndex } from "../../src/alerts/route/subscription-index.ts";
import type { Episode } from "../../src/alerts/judge/rules/episode.ts";
import type { PollRound } from "../../src/api/verdict/verdict.ts";
import type { Nanoseconds } from "../../src/units/nanoseconds.ts";
import { judgeLook } from "../../src/watchers/sources/sources.ts";
import { SourcesState } from "../../src/watchers/sources/sources-state.ts";
import { SnapshotsJudge } from "./snapshots.ts";
import type { Round, World, WorldPlan } from "./world.ts";

/** An alert that was given: its kind and subject, when it fired and ended (true time). */
export interface Told {
  readonly kind: string;
  readonly subject: string;
  readonly fired: number;
  readonly why: string;
  ended?: number;
  whyEnded?: string;
}

/** A rule that watches a world. */
export interface Watch {
  see(round: Round): void;
  /** All alerts so far. */
  readonly told: readonly Told[];
}

const NETWORK = "mainnet";

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
  readonly told: Told[] = [];
  readonly #config: AlertsConfig;
  readonly #every: number;
  readonly #judge: SourcesJudge;
  readonly #engine: JudgeInMemory;
  readonly #toldOf = new Map<string, Told>();
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
    for (const { change, episode } of judged.changes) {
      if (episode !== undefined) this.#note(change, judged.episodes.get(episode), round.at);
    }
  }

  #note(change: string, episode: Episode | undefined, at: number): void {
    if (episode === undefined) return;
    if (change === "fired") {
      const { kind, subject, first } = episode;
      const told: Told = { kind, subject, fired: at, why: first.why ?? "" };
      this.#toldOf.set(episode.id, told);
      this.told.push(told);
    } else if (change === "resolved" || change === "gone") {
      const told = this.#toldOf.get(episode.id);
      if (told !== undefined) Object.assign(told, { ended: at, whyEnded: episode.last.why ?? "" });
      this.#toldOf.delete(episode.id);
    }
  }
}
