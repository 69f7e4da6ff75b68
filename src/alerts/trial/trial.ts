// A trial: what rules would have told of looks that are kept, judged by the same state machines in virtual time. It is
// pure; main/trial.ts reads the looks, in a thread of its own.
import { type Milliseconds, type Nanoseconds, type Stretch, toMillis } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import type { RuleIndex, TimedObservation } from "../judge/judge.ts";
import type { Row } from "../judge/follow.ts";
import { JudgeInMemory } from "../judge/judge-in-memory.ts";
import { type Severity, timeFromText } from "../judge/kinds/kind.ts";
import { type ConditionKind, KINDS } from "../judge/kinds/kinds.ts";
import { labelOf, type Reading } from "../judge/kinds/reading.ts";
import { type Episode, isOpen, machineKey } from "../judge/rules/episode.ts";
import { judgeReading, type Rule } from "../judge/rules/rules.ts";

/** The watchers whose looks hold all that a threshold needs, so that they are judged again. */
export const REPLAYED = ["sources", "markets", "checkpoints", "snapshots"] as const;
export type Replayed = (typeof REPLAYED)[number];

export function isKindReplayed(kind: ConditionKind): boolean {
  return KINDS[kind].watchers.some((watcher) => REPLAYED.some((one) => one === watcher));
}

/** The rules of one subscription, and the subjects that it names; none = all. */
export interface TriedRules {
  readonly rules: readonly Rule[];
  readonly subjects: readonly string[];
}

/** One alert that a trial would have told. Times in Unix milliseconds. */
export interface TrialEpisode {
  readonly rule: string;
  readonly kind: ConditionKind;
  readonly subject: string;
  readonly label?: string;
  readonly began: Milliseconds;
  readonly fired: Milliseconds;
  /** Absent where it is open. */
  readonly ended?: Milliseconds;
  /** The worst that it was. */
  readonly severity: Severity;
  /** Its end was not observed: its subject is gone. */
  readonly gone?: true;
}

/** What rules would have told. */
export interface Trial {
  /** In the order in which they fired; of one look by rule and subject. */
  readonly episodes: readonly TrialEpisode[];
  /** When notices of flapping would have come. */
  readonly flapping: readonly Milliseconds[];
  /** Since when there is something to judge each kind by; a kind that is absent could not be judged. */
  readonly known: ReadonlyMap<ConditionKind, Milliseconds>;
}

/** What is tried, and on the looks of which time; both its ends are included. */
export interface TrialRequest extends Stretch {
  readonly network: string;
  /** Judged together in one pass. */
  readonly tried: readonly TriedRules[];
}

/** What came of it. */
export interface TrialAnswer {
  /** As they were asked for. */
  readonly trials: readonly Trial[];
  /** From the first look to the last; undefined where there is none. */
  readonly seen: Stretch | undefined;
  /** No look for longer than three intervals. */
  readonly gaps: readonly Stretch[];
  /** Rows of looks that cannot be read: what they had is left out. */
  readonly damaged: number;
  /** The time was over before all looks were judged. */
  readonly isCut?: true;
}

/** Of rules that nothing was kept for. */
export const NO_TRIAL: Trial = { episodes: [], flapping: [], known: new Map() };

/** Tries the rules of one subscription, as if it had been there from the first look on. */
export class RuleTrial {
  readonly #judge: JudgeInMemory;
  /** Those that are over, as they are told: their readings are not kept. */
  readonly #over: TrialEpisode[] = [];
  readonly #flapping: Milliseconds[] = [];
  readonly #known = new Map<ConditionKind, Milliseconds>();
  readonly #kinds: ReadonlySet<string>;
  readonly #index: RuleIndex;

  constructor({ rules, subjects }: TriedRules, config: Pick<AlertsConfig, "keep" | "flap">) {
    this.#index = indexOf(rules, subjects);
    this.#judge = new JudgeInMemory(this.#index, config);
    this.#kinds = new Set(rules.map(({ kind }) => kind));
  }

  /** Another process goes on from what is stored. */
  restart(): void {
    this.#judge.restart();
  }

  see(observation: TimedObservation): void {
    for (const reading of observation.readings) this.#noteKnown(reading, observation.at);
    const { episodes, changes } = this.#judge.see(observation, observation.dueMillis);
    for (const one of episodes.values()) if (!isOpen(one)) this.#over.push(trialEpisode(one));
    for (const { change } of changes) if (change === "flapping") this.#flapping.push(toMillis(observation.at));
  }

  /** Whether nothing begins in looks. */
  allows(row: Pick<Row, "network" | "subjects">): boolean {
    return this.#judge.allows(row);
  }

  /** Sees looks in a row. */
  follow(row: Row): void {
    for (let look = row.from; look < row.to && this.#known.size < this.#kinds.size; look += 1) {
      for (const { readingOf } of row.subjects) this.#noteKnown(readingOf(look), row.at(look));
    }
    const { closed, flapped } = this.#judge.follow(row);
    for (const one of closed) this.#over.push(trialEpisode(one));
    this.#flapping.push(...flapped.map(toMillis));
  }

  result(): Trial {
    const episodes = [...this.#over, ...[...this.#judge.open.values()].map(trialEpisode)].toSorted(inOrder);
    return { episodes, flapping: this.#flapping.toSorted((a, b) => a - b), known: this.#known };
  }

  /** A kind is known once a rule could be judged: of one market there may be figures, and none of the one that is named. */
  #noteKnown(reading: Reading | undefined, at: Nanoseconds): void {
    if (reading === undefined || reading.state === "unknown" || this.#known.has(reading.kind)) return;
    const rules = this.#index.rules(reading.kind, reading);
    const isKnown = rules.some((rule) => judgeReading(rule, reading).state !== "unknown");
    if (isKnown) this.#known.set(reading.kind, toMillis(at));
  }
}

function indexOf(rules: readonly Rule[], subjects: readonly string[]): RuleIndex {
  const byKind = Map.groupBy(rules, ({ kind }) => kind);
  const named = new Set(subjects);
  const always = [{ created: Number.NEGATIVE_INFINITY }];
  return {
    rules: (kind, { subject }) =>
      named.size === 0 || subject === "" || named.has(subject) ? (byKind.get(kind) ?? []) : [],
    subscribers: () => always,
  };
}

/** The order of a trial's episodes. */
export function inOrder(one: TrialEpisode, other: TrialEpisode): number {
  if (one.fired !== other.fired) return one.fired - other.fired;
  return machineKey(one.rule, one.subject) < machineKey(other.rule, other.subject) ? -1 : 1;
}

/** An episode as a trial tells it. Pure. */
export function trialEpisode(episode: Episode): TrialEpisode {
  const { rule, kind, subject, began, detected, ended, severity, state, last } = episode;
  return {
    rule,
    kind,
    subject,
    ...withoutUndefined({ label: labelOf(last) }),
    began: toMillis(timeFromText(began)),
    fired: toMillis(timeFromText(detected)),
    ...(isOpen(episode) || ended === undefined ? {} : { ended: toMillis(timeFromText(ended)) }),
    severity,
    ...(state === "gone" ? { gone: true as const } : {}),
  };
}
