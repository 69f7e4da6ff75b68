// A trial: what rules would have told of looks that are kept, judged by the same state machines in virtual time. It is
// pure; main/trial.ts reads the looks, in a thread of its own.
import type { Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import type { Observation, RuleIndex, TimedObservation } from "../judge/judge.ts";
import { isBlindness, JudgeInMemory } from "../judge/judge-in-memory.ts";
import { timeFromText } from "../judge/kinds/json-fields.ts";
import { type ConditionKind, KINDS } from "../judge/kinds/kinds.ts";
import { labelOf, type Reading } from "../judge/kinds/reading.ts";
import type { Severity } from "../judge/kinds/severity.ts";
import { type Episode, isOpen } from "../judge/rules/episode.ts";
import type { Rule } from "../judge/rules/rules.ts";

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
  /** In the order in which they fired. */
  readonly episodes: readonly TrialEpisode[];
  /** When notices of flapping would have come. */
  readonly flapping: readonly Milliseconds[];
  /** Since when there is something to judge each kind by; a kind that is absent could not be judged. */
  readonly known: ReadonlyMap<ConditionKind, Milliseconds>;
}

/** What is tried. */
export interface TrialRequest {
  readonly network: string;
  /** In Unix milliseconds, both included. */
  readonly from: Milliseconds;
  readonly to: Milliseconds;
  /** Judged together in one pass. */
  readonly tried: readonly TriedRules[];
}

/** A time in which nobody looked, or all that was looked at. In Unix milliseconds. */
export interface Stretch {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
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

/** Looks of one watcher in a row. */
export interface Looks {
  readonly observation: (look: number) => TimedObservation;
  /** The last look in a row, before another one, that shows the same as a look. */
  readonly lastLike: (look: number, to: number) => number;
}

/** Tries the rules of one subscription, as if it had been there from the first look on. */
export class RuleTrial {
  readonly #judge: JudgeInMemory;
  readonly #episodes = new Map<string, Episode>();
  readonly #flapping: Milliseconds[] = [];
  readonly #known = new Map<ConditionKind, Milliseconds>();
  readonly #kinds: ReadonlySet<string>;

  constructor({ rules, subjects }: TriedRules, config: Pick<AlertsConfig, "keep" | "flap">) {
    this.#judge = new JudgeInMemory(indexOf(rules, subjects), config);
    this.#kinds = new Set(rules.map(({ kind }) => kind));
  }

  /** Another process goes on from what is stored. */
  restart(): void {
    this.#judge.restart();
  }

  see(observation: TimedObservation): void {
    if (!this.#passes(observation)) this.#judgeAll(observation);
  }

  /**
   * Whether looks that show no more than some readings change nothing but the time, so that the last one stands for all,
   * unless the network is blind in it. The readings are the corners of what is shown: figures are compared with limits one
   * by one, so what is good at all corners is good between them.
   */
  allows(watcher: string, corners: readonly Reading[]): boolean {
    return this.#judge.allows(watcher, corners);
  }

  /**
   * Sees looks that go on from the last one, which show no more than the corners, where those are known. Of those in a row
   * that show the same, and nothing bad, the last stands for all.
   */
  follow(looks: Looks, from: number, to: number, corners: readonly Reading[] | undefined): void {
    const last = looks.observation(to - 1);
    const { readings, watcher } = last;
    if (corners !== undefined && !readings.some(isBlindness) && this.allows(watcher.name, corners)) {
      return this.see(last);
    }
    for (let look = from; look < to; look += 1) {
      const observation = looks.observation(look);
      if (this.#passes(observation)) {
        const same = looks.lastLike(look, to);
        if (same > look) this.#passes(looks.observation(same));
        look = same;
      } else this.#judgeAll(observation);
    }
  }

  #passes(observation: TimedObservation): boolean {
    this.#noteKnown(observation);
    return this.#judge.pass(observation, observation.dueMillis);
  }

  #judgeAll(observation: TimedObservation): void {
    const { episodes, changes } = this.#judge.see(observation, observation.dueMillis);
    for (const [id, episode] of episodes) this.#episodes.set(id, episode);
    for (const { change } of changes) if (change === "flapping") this.#flapping.push(toMillis(observation.at));
  }

  result(): Trial {
    const episodes = [...this.#episodes.values()].map(trialEpisode).toSorted((a, b) => a.fired - b.fired);
    return { episodes, flapping: this.#flapping, known: this.#known };
  }

  #noteKnown({ readings, at }: Observation): void {
    if (this.#known.size === this.#kinds.size) return;
    for (const { kind, state } of readings) {
      if (state !== "unknown" && this.#kinds.has(kind) && !this.#known.has(kind)) this.#known.set(kind, toMillis(at));
    }
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
