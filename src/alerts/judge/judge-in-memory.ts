import { type Nanoseconds, toMillis } from "../../units/nanoseconds.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import {
  isJudged,
  judgeObservation,
  type Observation,
  type RuleIndex,
  type Seen,
  seenNow,
  type WatcherProgress,
} from "./judge.ts";
import type { Reading } from "./kinds/reading.ts";
import { type Episode, isOpen, type Machine } from "./rules/episode.ts";
import { type Judgement, judgeReading, type Rule } from "./rules/rules.ts";
import { RuleSubjectMap } from "./rules/state-cache.ts";
import { endFlapping } from "./rules/state-machine.ts";

type State = Judgement["state"];
type Remembered = readonly [rule: string, subject: string, seen: Seen];

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
  /** What was passed last: the same once more changes nothing but the time. */
  #passed: readonly Reading[] | undefined;
  /** The machines that are not ok, and those that flap. */
  readonly #busy = new Set<Machine>();
  readonly #flapping = new Set<Machine>();
  readonly #known = {
    get: (rule: string, subject: string) => this.machines.get(rule, subject),
    values: () => this.#busy.values(),
  };

  constructor(index: RuleIndex, config: Pick<AlertsConfig, "keep" | "flap">) {
    [this.#index, this.#config] = [index, config];
  }

  /** Judges by other rules and settings from now on. */
  settle(index: RuleIndex, config: Pick<AlertsConfig, "keep" | "flap">): void {
    [this.#index, this.#config] = [index, config];
    this.#passed = undefined;
  }

  /** Another process goes on from what is stored. */
  restart(): void {
    this.#memory = new RuleSubjectMap();
    this.#progress = new Map();
    this.#wasBlind = false;
    this.#passed = undefined;
  }

  /** What changes with an observation, which is due at `dueMillis` by the monotonic clock of its process. */
  see(observation: Observation, dueMillis: Milliseconds) {
    const { name } = observation.watcher;
    this.#passed = undefined;
    const judged = judgeObservation(
      {
        index: this.#index,
        ruleWords: () => "",
        config: this.#config,
        machines: this.#known,
        open: this.#open,
        stored: this.#stored.get(name),
        last: this.#progress.get(name),
        memory: this.#memory,
        wasBlind: this.#wasBlind,
      },
      observation,
      dueMillis,
    );
    for (const machine of judged.machines.values()) this.#set(machine);
    this.#endFlapping(name, observation.at);
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

  /** Every machine is ok. */
  get isCalm(): boolean {
    return this.#busy.size === 0;
  }

  /**
   * Takes an observation that begins nothing; false, and it is not taken, where it may change more than the time and what
   * is known.
   */
  pass({ at, failure, readings, watcher: { name } }: Observation, dueMillis: Milliseconds): boolean {
    const progress = this.#progress.get(name);
    if (!this.isCalm || progress === undefined || failure !== undefined) return false;
    if (readings !== this.#passed) {
      if (readings.some(isBlindness)) return false;
      if (this.#wasBlind && !readings.some(({ kind }) => kind === "watch.blind")) return false;
      const remembered: Remembered[] = [];
      for (const reading of readings) {
        for (const rule of this.#judging(reading)) {
          const { state } = judgeReading(rule, reading);
          if (!this.#leaves(rule, reading, state)) return false;
          this.#noteSeen(rule, reading, state, remembered);
        }
      }
      this.#wasBlind = false;
      for (const one of remembered) this.#memory.set(...one);
      this.#passed = readings;
    }
    this.#progress.set(name, { ...progress, monotonicMillis: dueMillis, known: at });
    this.#stored.set(name, toMillis(at));
    this.#endFlapping(name, at);
    return true;
  }

  /**
   * Whether nothing begins with observations of a watcher that show no more than some readings, and the last of them, in
   * which the network is not blind, stands for all: something was known before of all that they speak of.
   */
  allows(watcher: string, all: readonly Reading[]): boolean {
    if (!this.isCalm || this.#wasBlind || !this.#progress.has(watcher)) return false;
    if (this.#flapping.size > 0 && all.some(isBlindness)) return false;
    return all.every((reading) =>
      this.#judging(reading).every(
        (rule) =>
          isJudged(this.#memory.get(rule.id, reading.subject)) &&
          this.#leaves(rule, reading, judgeReading(rule, reading).state),
      ),
    );
  }

  /** Without an open alert a whole waits. */
  #judging(reading: Reading): readonly Rule[] {
    const rules = this.#index.rules(reading.kind, reading);
    return rules.some(isWhole) ? rules.filter((rule) => !isWhole(rule)) : rules;
  }

  /** Adds what is known from now on of a rule and a subject, where that differs. */
  #noteSeen({ id }: Rule, { subject }: Reading, state: State, into: Remembered[]): void {
    const before = this.#memory.get(id, subject);
    const now = seenNow(before, state, false);
    if (now !== before) into.push([id, subject, now]);
  }

  /** Whether a reading leaves a machine as it is that is ok: one that flaps counts the time in which it was not known. */
  #leaves(rule: Rule, { subject }: Reading, state: State): boolean {
    const machine = this.#flapping.size === 0 ? undefined : this.machines.get(rule.id, subject);
    return machine?.flapping === undefined ? state !== "bad" : state === "good" && machine.known;
  }

  #endFlapping(watcher: string, at: Nanoseconds): void {
    for (const machine of this.#flapping) {
      if (machine.watcher === watcher) this.#set(endFlapping(machine, at, this.#config) ?? machine);
    }
  }

  #set(machine: Machine): void {
    const before = this.machines.get(machine.rule, machine.subject);
    if (before === machine) return;
    if (before !== undefined) {
      this.#busy.delete(before);
      this.#flapping.delete(before);
    }
    if (machine.phase !== "ok") this.#busy.add(machine);
    if (machine.flapping !== undefined) this.#flapping.add(machine);
    this.machines.set(machine.rule, machine.subject, machine);
  }
}

function isWhole({ id, whole }: Rule): boolean {
  return id === whole;
}

/** Whether a reading says that nothing can be said of the network. */
export function isBlindness({ kind, state }: Reading): boolean {
  return kind === "watch.blind" && state === "bad";
}
