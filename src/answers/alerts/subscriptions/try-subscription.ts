import type { AlertsConfig } from "../../../alerts/alerts-config.ts";
import { INHIBITS } from "../../../alerts/judge/kinds/inhibits.ts";
import { type AlertKind, type ConditionKind, isConditionKind } from "../../../alerts/judge/kinds/kinds.ts";
import { compareSeverity } from "../../../alerts/judge/kinds/kind.ts";
import { type Episode, episodeName } from "../../../alerts/judge/rules/episode.ts";
import { isJudgedAlways, type Rule } from "../../../alerts/judge/rules/rules.ts";
import { rulesOf, type Subscription } from "../../../alerts/route/subscription.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { otherThresholds } from "../../../alerts/trial/advice.ts";
import { isKindReplayed, NO_TRIAL, type Trial, type TrialEpisode, trialEpisode } from "../../../alerts/trial/trial.ts";
import type { CommandContext } from "../../../bot/command.ts";
import type { Options } from "../../../bot/options/options.ts";
import type { Milliseconds, Stretch } from "../../../units/time.ts";
import { localText } from "../../../units/local-time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { destinationKey } from "../../../alerts/destination.ts";
import { directMessages } from "../destination.ts";
import { presentThresholds } from "./thresholds.ts";

/** What a subscription would tell, as far as it is tried. */
export type Tried = Pick<Subscription, "network" | "kinds" | "parameters" | "subjects" | "floor">;

/** One alert that would have been told; `id` where it really was. */
export interface TriedEpisode extends TrialEpisode {
  readonly id?: string;
}

/** What a trial found, with what is stored of the rules that are always judged. */
export interface TriedResult {
  /** Since when any of its kinds is counted. */
  readonly from: Milliseconds;
  /** In the order in which they fired, without those that are kept back. */
  readonly told: readonly TriedEpisode[];
  readonly keptBack: number;
  readonly flapping: number;
  /** So many alerts that somebody acknowledged would not have come. */
  readonly missed: number;
  /** Kinds that are not counted: nothing is kept of them. */
  readonly uncounted: readonly AlertKind[];
  /** Kinds of which less is known than of the rest, and since when. */
  readonly later: readonly (readonly [ConditionKind, Milliseconds])[];
}

/** The same for several subscriptions, and what was looked at. */
export interface TriedAnswer {
  readonly results: readonly TriedResult[];
  readonly seen: Stretch | undefined;
  readonly gaps: readonly Stretch[];
  readonly damaged: number;
  readonly isCut: boolean;
}

type Context = Pick<CommandContext<Options>, "network" | "signal" | "here" | "caller" | "platforms"> & {
  readonly alerts: Pick<AlertService, "config" | "trial" | "episodesBetween">;
};

/**
 * Tries subscriptions to one network on what was seen since a moment. `unasked`: nobody asked for it, so that it keeps
 * nobody from asking.
 */
export async function tryAll(
  tried: readonly Tried[],
  { from, to }: Stretch,
  context: Context,
  unasked = false,
): Promise<TriedAnswer> {
  const { alerts, network, signal } = context;
  const rules = tried.map((one) => rulesOf(one, alerts.config));
  const judged = rules.map((all, index) => ({
    rules: all.filter((rule) => !isJudgedAlways(rule) && isKindReplayed(rule.kind)),
    subjects: tried[index]?.subjects ?? [],
  }));
  const asker = `${destinationKey(directMessages(context))}${unasked ? " unasked" : ""}`;
  const [answer, stored] = await Promise.all([
    alerts.trial({ network, from, to, tried: judged }, asker, signal),
    alerts.episodesBetween(network, from, to),
  ]);
  const { seen, gaps, damaged, isCut = false } = answer;
  const past = new Past(
    stored
      .map((one) => ({ ...trialEpisode(one), id: episodeName(one.id), isTaken: isTaken(one) }))
      .filter(({ fired }) => seen !== undefined && fired >= seen.from),
  );
  const results = tried.map((one, index) =>
    resultOf(one, { rules: rules[index] ?? [], past, seen, found: answer.trials[index] ?? NO_TRIAL }),
  );
  return { results, seen, gaps, damaged, isCut };
}

/** An alert that was told; `isTaken`: somebody acknowledged it. */
interface PastEpisode extends TrialEpisode {
  readonly id: string;
  readonly isTaken: boolean;
}

/** Alerts that were told, found by what they are about: thousands of others are compared with them. */
class Past {
  readonly all: readonly PastEpisode[];
  readonly #about: ReadonlyMap<string, readonly PastEpisode[]>;
  readonly #inhibiting: readonly PastEpisode[];

  constructor(all: readonly PastEpisode[]) {
    this.all = all;
    this.#about = Map.groupBy(all, aboutOf);
    this.#inhibiting = all.filter(({ kind }) => INHIBITS[kind] !== undefined);
  }

  /** The one of the same thing at the same time, by whichever thresholds. */
  likeness(episode: TrialEpisode): PastEpisode | undefined {
    return this.#about.get(aboutOf(episode))?.find((other) => overlap(episode, other));
  }

  /** Whether another one kept it back for as long as it lasted. */
  inhibits({ kind, subject, fired, ended = Infinity }: TrialEpisode): boolean {
    return this.#inhibiting.some((other) => {
      const inhibits = INHIBITS[other.kind];
      if (inhibits?.kinds.includes(kind) !== true) return false;
      if (inhibits.sameSubject === true && other.subject !== subject) return false;
      return other.began <= fired && (other.ended ?? Infinity) >= ended;
    });
  }
}

function aboutOf({ kind, subject }: TrialEpisode): string {
  return `${kind}|${subject}`;
}

function overlap(a: TrialEpisode, b: TrialEpisode): boolean {
  return b.began <= (a.ended ?? Infinity) && (b.ended ?? Infinity) >= a.began;
}

function isTaken({ acknowledged, acknowledgedIn }: Episode): boolean {
  return acknowledged !== undefined || acknowledgedIn !== undefined;
}

interface Found {
  readonly rules: readonly Rule[];
  readonly past: Past;
  readonly seen: Stretch | undefined;
  readonly found: Trial;
}

function resultOf({ kinds, subjects, floor }: Tried, { rules, past, seen, found }: Found): TriedResult {
  const { episodes, flapping, known } = found;
  const [storedRules, judgedKinds] = [new Set<string>(), new Set<ConditionKind>()];
  for (const rule of rules) {
    if (isJudgedAlways(rule)) storedRules.add(rule.id);
    else judgedKinds.add(rule.kind);
  }
  const isNamed = (subject: string): boolean => subjects.length === 0 || subject === "" || subjects.includes(subject);
  const all: TriedEpisode[] = [
    ...past.all.filter(({ rule, subject }) => storedRules.has(rule) && isNamed(subject)),
    ...episodes.map((one) => ({ ...one, ...withoutUndefined({ id: past.likeness(one)?.id }) })),
  ]
    .filter(({ severity }) => compareSeverity(severity, floor) >= 0)
    .toSorted((a, b) => a.fired - b.fired);
  const told = all.filter((one) => !past.inhibits(one));
  const isCounted = (kind: ConditionKind): boolean => known.has(kind) || !judgedKinds.has(kind);
  const about = Map.groupBy(all, aboutOf);
  const isTold = (one: PastEpisode): boolean => about.get(aboutOf(one))?.some((other) => overlap(other, one)) === true;
  const missed = past.all.filter(
    (one) => one.isTaken && kinds.includes(one.kind) && isNamed(one.subject) && !isTold(one),
  );
  const from = seen?.from ?? 0;
  return {
    from: storedRules.size > 0 || known.size === 0 ? from : Math.max(from, Math.min(...known.values())),
    told,
    keptBack: all.length - told.length,
    flapping: flapping.length,
    missed: missed.length,
    uncounted: kinds.filter((kind) => !isConditionKind(kind) || !isCounted(kind)),
    later: [...known].filter(([, since]) => seen !== undefined && since - seen.from > LATER),
  };
}

/** A kind that is known this much later than the rest is named. */
const LATER: Milliseconds = 3_600_000;

/** Whether a moment is at night, from 22:00 to 07:00 by the clock of a zone. */
export function isAtNight(at: Milliseconds, zone: string): boolean {
  const hour = Number(localText(zone, at).slice(11, 13));
  return hour >= 22 || hour < 7;
}

/** How long an alert lasted, by a moment at which it may be open. */
export function lengthOf({ began, ended }: TrialEpisode, now: Milliseconds): Milliseconds {
  return Math.max(0, (ended ?? now) - began);
}

/** The same subscription with other thresholds, and what is typed for them. */
export interface OtherTried {
  readonly tried: Tried;
  readonly typed: Readonly<Record<string, string>>;
}

/** Other thresholds that may be better, where it has one kind with thresholds. */
export function othersOf(tried: Tried, config: AlertsConfig): readonly OtherTried[] {
  const [rule, ...more] = rulesOf(tried, config);
  if (rule === undefined || more.length > 0) return [];
  const given = tried.parameters[rule.kind];
  return otherThresholds(rule.parameters, given ?? {}).map((change) => {
    const parameters = { ...tried.parameters, [rule.kind]: { ...given, ...change } };
    return { tried: { ...tried, parameters }, typed: presentThresholds([rule.kind], { [rule.kind]: change }) };
  });
}
