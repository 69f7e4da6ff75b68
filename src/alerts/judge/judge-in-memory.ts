import { type Milliseconds, type Nanoseconds, toMillis } from "../../units/time.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { blindnessIn, followOne, lastSeen, mayBeBlind, type Path, type Row, type Subject } from "./follow.ts";
import { isJudged, judgeObservation, type Observation, ProcessMemory, type RuleIndex, wasGood } from "./judge.ts";
import type { Reading } from "./kinds/reading.ts";
import { type Episode, episodeId, isOpen, type Machine } from "./rules/episode.ts";
import { judgeReading, type Rule } from "./rules/rules.ts";
import { RuleSubjectMap } from "./rules/state-cache.ts";
import { endFlapping } from "./rules/state-machine.ts";

/** What came of looks in a row. */
interface Followed {
  readonly closed: Episode[];
  readonly flapped: Nanoseconds[];
}

/** Judges the observations of one network one after the other as the engine does, with no store and nobody to tell. */
export class JudgeInMemory {
  readonly machines = new RuleSubjectMap<Machine>();
  readonly open = new Map<string, Episode>();
  readonly #stored = new Map<string, Milliseconds>();
  #index: RuleIndex;
  #config: Pick<AlertsConfig, "keep" | "flap">;
  #memory = new ProcessMemory();
  /** The machines that are not ok, and those that flap. */
  readonly #busy = new Set<Machine>();
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
  }

  /** Another process goes on from what is stored. */
  restart(): void {
    this.#memory = new ProcessMemory();
  }

  /** What changes with an observation, which is due at `dueMillis` by the monotonic clock of its process. */
  see(observation: Observation, dueMillis: Milliseconds) {
    const { name } = observation.watcher;
    const [index, config, open, memory] = [this.#index, this.#config, this.open, this.#memory];
    const of = { index, config, open, memory, machines: this.#known, stored: this.#stored.get(name) };
    const judged = judgeObservation({ ...of, ruleWords: () => "" }, observation, dueMillis);
    for (const machine of judged.machines.values()) this.#set(machine);
    this.#endFlapping(name, observation.at);
    for (const one of judged.episodes.values()) this.#keep(one);
    this.#memory.remember(name, judged);
    this.#stored.set(name, toMillis(observation.at));
    return judged;
  }

  /**
   * Whether nothing begins in looks, and none is blind: something was known before of all that they speak of, and nothing
   * waits for its time.
   */
  allows({ network, subjects }: Pick<Row, "network" | "subjects">): boolean {
    if (this.#busy.size > 0 || this.#memory.isBlind) return false;
    const isCalm = (rule: Rule, of: Subject): boolean =>
      isJudged(this.#memory.seen.get(rule.id, of.subject)) && this.#isGood(rule, of);
    return subjects.every((of) => !mayBeBlind(of) && this.#rulesOf(network, of).every((rule) => isCalm(rule, of)));
  }

  /**
   * Sees looks in a row as if each were seen, but machine after machine: what becomes of one does not depend on the others,
   * as long as no rule is a part of a whole. Gives the episodes that ended, and when machines began to flap.
   */
  follow(row: Row): Followed {
    const { network, watcher, subjects, to } = row;
    const progress = this.#memory.progress.get(watcher.name);
    if (progress === undefined) throw new RangeError("looks in a row go on from another one");
    const isBlind = blindnessIn(row, this.#memory.isBlind);
    const path: Path = { row, progress, isBlind, config: this.#config };
    const found: Followed = { closed: [], flapped: [] };
    const gone = new Set(this.#busy);
    for (const of of subjects) {
      for (const one of gone) if (one.kind === of.kind && one.subject === of.subject) gone.delete(one);
      for (const rule of this.#rulesOf(network, of)) this.#followOne(rule, of, path, found);
    }
    for (const { kind, subject, rule: id } of gone) {
      const of = { kind, subject, corners: undefined, readingOf: () => undefined, stateOf: () => undefined };
      const rule = this.#rulesOf(network, of).find((one) => one.id === id);
      if (rule !== undefined) this.#followOne(rule, of, path, found);
    }
    const [known, monotonicMillis] = [lastSeen(path, to), row.dueMillis(to - 1)];
    this.#memory.progress.set(watcher.name, { ...progress, known, monotonicMillis });
    this.#memory.isBlind = isBlind(to - 1);
    this.#stored.set(watcher.name, row.atMillis(to - 1));
    return found;
  }

  #followOne(rule: Rule, of: Subject, path: Path, { closed, flapped }: Followed): void {
    const [{ id }, { subject }, last] = [rule, of, path.row.to - 1];
    const seen = this.#memory.seen.get(id, subject);
    if (this.#isGood(rule, of)) {
      // Of looks in which nothing begins the last one stands for all.
      const isKnown = !path.isBlind(last) && isKnownIn(rule, of, last);
      if (isKnown || isJudged(seen)) return this.#memory.seen.set(id, subject, isKnown ? "judged" : "lost");
    }
    const machine = this.machines.get(id, subject);
    const open = machine && this.open.get(episodeId(machine, machine.number));
    const after = followOne(rule, of, path, { machine, open, seen });
    if (after.machine !== undefined) this.#set(after.machine);
    if (after.seen !== undefined) this.#memory.seen.set(id, subject, after.seen);
    closed.push(...after.closed);
    if (open !== undefined) this.open.delete(open.id);
    if (after.open !== undefined) this.open.set(after.open.id, after.open);
    flapped.push(...after.flapped);
  }

  #keep(episode: Episode): void {
    if (isOpen(episode)) this.open.set(episode.id, episode);
    else this.open.delete(episode.id);
  }

  /** Whether nothing begins in what is shown of a subject. */
  #isGood(rule: Rule, { subject, corners }: Subject): boolean {
    if (!wasGood(this.machines.get(rule.id, subject))) return false;
    return corners?.every((one) => judgeReading(rule, one).state !== "bad") === true;
  }

  #rulesOf(network: string, { kind, subject }: Pick<Subject, "kind" | "subject">): readonly Rule[] {
    return this.#index.rules(kind, { network, subject });
  }

  #endFlapping(watcher: string, at: Nanoseconds): void {
    for (const machine of this.#busy) {
      if (machine.watcher === watcher) this.#set(endFlapping(machine, at, this.#config) ?? machine);
    }
  }

  #set(machine: Machine): void {
    const before = this.machines.get(machine.rule, machine.subject);
    if (before === machine) return;
    if (before !== undefined) this.#busy.delete(before);
    if (!wasGood(machine)) this.#busy.add(machine);
    this.machines.set(machine.rule, machine.subject, machine);
  }
}

/** Whether a rule can be judged by a look, which is decoded only where what may stand for it is judged differently. */
function isKnownIn(rule: Rule, { corners, readingOf, stateOf }: Subject, look: number): boolean {
  const isKnown = (one: Reading): boolean => judgeReading(rule, one).state !== "unknown";
  const state = stateOf(look);
  const all = new Set(corners?.filter((one) => one.state === state).map(isKnown));
  const reading = all.size === 1 ? undefined : readingOf(look);
  return reading === undefined ? all.has(true) : isKnown(reading);
}
