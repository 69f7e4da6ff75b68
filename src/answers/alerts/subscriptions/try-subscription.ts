import { INHIBITS } from "../../../alerts/judge/kinds/inhibits.ts";
import { type AlertKind, type ConditionKind, isConditionKind, KINDS } from "../../../alerts/judge/kinds/kinds.ts";
import { compareSeverity } from "../../../alerts/judge/kinds/severity.ts";
import { type Episode, episodeName } from "../../../alerts/judge/rules/episode.ts";
import { isJudgedAlways, type Rule } from "../../../alerts/judge/rules/rules.ts";
import { rulesOf, type Subscription } from "../../../alerts/route/subscription.ts";
import { type Stretch, type TrialAnswer, type TrialEpisode, trialEpisode } from "../../../alerts/trial/trial.ts";
import type { CommandContext } from "../../../bot/command.ts";
import type { Options } from "../../../bot/options/options.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { localText } from "../../../units/local-time.ts";
import { destinationKey } from "../../../alerts/destination.ts";
import { directMessages } from "../destination.ts";

/** What a subscription would tell, as far as it is tried. */
export type Tried = Pick<Subscription, "network" | "kinds" | "parameters" | "subjects" | "floor">;

/** One alert that would have been told; `id` where it really was. */
export interface TriedEpisode extends TrialEpisode {
  readonly id?: string;
  /** Another alert kept it back for as long as it lasted. */
  readonly keptBackBy?: ConditionKind;
}

/** What a trial found, with what is stored of the rules that are always judged. */
export interface TriedResult {
  /** In the order in which they fired, without those that are kept back. */
  readonly told: readonly TriedEpisode[];
  readonly keptBack: readonly TriedEpisode[];
  readonly flapping: number;
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
  readonly isCut: boolean;
}

/** The watchers of which all that a threshold needs is kept. */
const KEPT: readonly string[] = ["sources", "markets", "checkpoints", "snapshots"];

type Context = Pick<CommandContext<Options>, "alerts" | "network" | "signal" | "here" | "caller" | "platforms">;

/** Tries subscriptions to one network on what was seen since a moment. */
export async function tryAll(tried: readonly Tried[], { from, to }: Stretch, context: Context): Promise<TriedAnswer> {
  const { alerts, network, signal } = context;
  const rules = tried.map((one) => rulesOf(one, alerts.config));
  const judged = rules.map((all, index) => ({
    rules: all.filter((rule) => !isJudgedAlways(rule) && isKept(rule)),
    subjects: tried[index]?.subjects ?? [],
  }));
  const asker = destinationKey(directMessages(context));
  const [answer, stored] = await Promise.all([
    alerts.trial({ network, from, to, tried: judged }, asker, signal),
    alerts.episodesBetween(network, from, to),
  ]);
  const { seen, gaps, isCut = false } = answer;
  const results = tried.map((one, index) => resultOf(one, rules[index] ?? [], stored, { answer, index }));
  return { results, seen, gaps, isCut };
}

function isKept({ kind }: Rule): boolean {
  return KINDS[kind].watchers.some((watcher) => KEPT.includes(watcher));
}

function resultOf(
  { kinds, subjects, floor }: Tried,
  rules: readonly Rule[],
  stored: readonly Episode[],
  { answer, index }: { readonly answer: TrialAnswer; readonly index: number },
): TriedResult {
  const { seen } = answer;
  const { episodes, flapping, known } = answer.trials[index] ?? { episodes: [], flapping: [], known: new Map() };
  const always = new Set(rules.filter((rule) => isJudgedAlways(rule)).map(({ id }) => id));
  const named = new Set(subjects);
  const past = stored
    .filter(({ rule, subject }) => always.has(rule) && (named.size === 0 || subject === "" || named.has(subject)))
    .map((one) => ({ ...trialEpisode(one), id: episodeName(one.id) }))
    .filter(({ fired }) => seen !== undefined && fired >= seen.from);
  const all = [...past, ...episodes.map((one) => ({ ...one, ...idOf(one, stored) }))]
    .filter(({ severity }) => compareSeverity(severity, floor) >= 0)
    .toSorted((a, b) => a.fired - b.fired)
    .map((one) => ({ ...one, ...keptBackBy(one, stored) }));
  const judgedKinds = [...new Set(rules.filter((rule) => !always.has(rule.id)).map(({ kind }) => kind))];
  const isCounted = (kind: ConditionKind): boolean => known.has(kind) || !judgedKinds.includes(kind);
  return {
    told: all.filter((one) => one.keptBackBy === undefined),
    keptBack: all.filter((one) => one.keptBackBy !== undefined),
    flapping: flapping.length,
    uncounted: kinds.filter((kind) => !isConditionKind(kind) || !isCounted(kind)),
    later: [...known].filter(([, since]) => seen !== undefined && since - seen.from > LATER),
  };
}

/** A kind that is known this much later than the rest is named. */
const LATER: Milliseconds = 3_600_000;

/** The alert that was really told of the same thing then, by whichever threshold. */
function idOf({ kind, subject, fired, ended = Infinity }: TrialEpisode, stored: readonly Episode[]): { id?: string } {
  const told = stored.map(trialEpisode);
  const index = told.findIndex(
    (one) => one.kind === kind && one.subject === subject && one.fired <= ended && (one.ended ?? Infinity) >= fired,
  );
  const found = stored[index];
  return found === undefined ? {} : { id: episodeName(found.id) };
}

function keptBackBy(episode: TrialEpisode, stored: readonly Episode[]): { keptBackBy?: ConditionKind } {
  const { kind, subject, fired, ended = Infinity } = episode;
  for (const other of stored) {
    const inhibits = INHIBITS[other.kind];
    if (inhibits?.kinds.includes(kind) !== true || (inhibits.sameSubject === true && other.subject !== subject))
      continue;
    const { began, ended: over = Infinity } = trialEpisode(other);
    if (began <= fired && over >= ended) return { keptBackBy: other.kind };
  }
  return {};
}

/** Whether a moment is at night, from 22:00 to 07:00 by the clock of a zone. */
export function isAtNight(at: Milliseconds, zone: string): boolean {
  const hour = Number(localText(zone, at).slice(11, 13));
  return hour >= 22 || hour < 7;
}

/** How long an alert lasted, by a moment at which it may be open. */
export function lengthOf({ began, ended }: TrialEpisode, now: Milliseconds): Milliseconds {
  return Math.max(0, (ended ?? now) - began);
}
