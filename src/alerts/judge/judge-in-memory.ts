import { toMillis } from "../../units/nanoseconds.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { judgeObservation, type Observation, type RuleIndex, type Seen, type WatcherProgress } from "./judge.ts";
import { type Episode, isOpen, type Machine } from "./rules/episode.ts";
import { RuleSubjectMap } from "./rules/state-cache.ts";

/** Judges the observations of one network one after the other as the engine does, with no store and nobody to tell. */
export class JudgeInMemory {
  readonly machines = new RuleSubjectMap<Machine>();
  readonly #open = new Map<string, Episode>();
  readonly #stored = new Map<string, Milliseconds>();
  #index: RuleIndex;
  #config: Pick<AlertsConfig, "keep" | "flap">;
  #memory = new RuleSubjectMap<Seen>();
  #progress = new Map<string, WatcherProgress>();
  #wasBlind = false;

  constructor(index: RuleIndex, config: Pick<AlertsConfig, "keep" | "flap">) {
    [this.#index, this.#config] = [index, config];
  }

  /** Judges by other rules and settings from now on. */
  settle(index: RuleIndex, config: Pick<AlertsConfig, "keep" | "flap">): void {
    [this.#index, this.#config] = [index, config];
  }

  /** Another process goes on from what is stored. */
  restart(): void {
    this.#memory = new RuleSubjectMap();
    this.#progress = new Map();
    this.#wasBlind = false;
  }

  /** What changes with an observation, which is due at `dueMillis` by the monotonic clock of its process. */
  see(observation: Observation, dueMillis: Milliseconds) {
    const { name } = observation.watcher;
    const judged = judgeObservation(
      {
        index: this.#index,
        ruleWords: () => "",
        config: this.#config,
        machines: this.machines,
        open: this.#open,
        stored: this.#stored.get(name),
        last: this.#progress.get(name),
        memory: this.#memory,
        wasBlind: this.#wasBlind,
      },
      observation,
      dueMillis,
    );
    for (const machine of judged.machines.values()) this.machines.set(machine.rule, machine.subject, machine);
    for (const episode of judged.episodes.values()) {
      if (isOpen(episode)) this.#open.set(episode.id, episode);
      else this.#open.delete(episode.id);
    }
    for (const one of judged.remembered) this.#memory.set(...one);
    this.#progress.set(name, judged.progress);
    this.#wasBlind = judged.isBlind;
    this.#stored.set(name, toMillis(observation.at));
    return judged;
  }
}
