// Finds silences for the alerts commands: visible ones, by id, and the destinations that a silence affects.
// add-silence.ts makes a new one; parse-silence.ts reads its scope and times.

import { timeToText } from "../../../alerts/judge/kinds/kind.ts";
import { isConditionKind } from "../../../alerts/judge/kinds/kinds.ts";
import type { NetworkStatus } from "../../../alerts/judge/kinds/network-status.ts";
import { quietUntil } from "../../../alerts/route/quiet-hours.ts";
import { isSilenceActive, matchesSilence, type Silence, silenceActiveUntil } from "../../../alerts/route/silence.ts";
import { covers, isAlive, type Subscription } from "../../../alerts/route/subscription.ts";
import type { Episode } from "../../../alerts/judge/rules/episode.ts";
import { silenceScopeWords } from "../../../alerts/words/silence-words.ts";
import { nearest, quoteTyped } from "../../../bot/nearest.ts";
import type { Choice, SuggestContext } from "../../../bot/options/options.ts";
import { UserError } from "../../../errors.ts";
import { fromMillis, type Milliseconds } from "../../../units/time.ts";
import { findKind } from "../alert-kinds.ts";
import { type AlertsContext, type CallerContext, destinationHere, isOperator } from "../destination.ts";
import { exactEpisode } from "../episodes/episodes.ts";
import { findByShortId, shortIdChoices } from "../short-id.ts";
import { type Destination, destinationKey, distinctDestinations } from "../../../alerts/destination.ts";

/** The silences that affect this destination: its own and those for all; operators see all. */
export function visibleSilences(all: readonly Silence[], context: CallerContext): Silence[] {
  const here = destinationKey(destinationHere(context));
  return isOperator(context)
    ? [...all]
    : all.filter(({ scope }) => scope.destination === undefined || scope.destination === here);
}

/**
 * The silence with that id or prefix, or with that scope, which the caller may end. Silences made here come first.
 * @throws UserError where none matches, or it was made for all channels.
 */
export async function findSilence(typed: string, context: AlertsContext): Promise<Silence> {
  const { alerts } = context;
  const visible = visibleSilences(await alerts.silences(), context);
  const byId = findByShortId(visible, typed);
  const byWords = byId.length > 0 ? byId : visible.filter((one) => isOf(one, typed));
  const called = byWords.length > 0 ? byWords : silencesOf(await exactEpisode(alerts, typed), visible);
  const place = isOperator(context) ? undefined : destinationKey(destinationHere(context));
  const own = called.filter(({ scope }) => scope.destination === place);
  const found = own.length > 0 ? own : called;
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const ids = visible.map(({ id }) => id);
    const near = nearest(typed, ids);
    throw new UserError(
      found.length > 1
        ? `${quoteTyped(typed)} could be ${found.length} silences.`
        : `No silence ${quoteTyped(typed)} holds here.`,
      {
        option: "id",
        remedy: `${near === undefined ? "" : `Did you mean ${near}? `}It may be over. Silences are listed by:`,
        suggestion: "alerts silences",
        meanings: { typed, values: silenceChoices(found.length > 1 ? found : visible) },
      },
    );
  }
  if (!isOperator(context) && only.scope.destination === undefined) {
    throw new UserError(`Silence ${only.id} holds for all channels: ${only.by} made it at the console.`, {
      option: "id",
      remedy: "It can only be ended there.",
    });
  }
  return only;
}

/** The silences that keep back an episode. */
function silencesOf(episode: Episode | undefined, visible: readonly Silence[]): readonly Silence[] {
  if (episode === undefined) return [];
  // At the beginning of the silence, since one that has not begun can be ended, too.
  return visible.filter((one) =>
    matchesSilence(one, { ...episode, destination: one.scope.destination ?? "" }, one.from),
  );
}

/** Whether it keeps back what is typed, as at `alerts silence`. */
function isOf({ scope, label }: Silence, typed: string): boolean {
  const { kind, subject } = scope;
  if (isEverything(typed)) return coversEverything(scope);
  const wanted = typed.trim().toLowerCase();
  if ([subject, label].some((one) => one?.toLowerCase() === wanted)) return true;
  return kind !== undefined && kind === findKind(typed);
}

/** Whether no kind and no subject narrows it. */
export function coversEverything({ kind, subject, subjects }: Silence["scope"]): boolean {
  return kind === undefined && subject === undefined && subjects === undefined;
}

/** `all`, as it is typed for a silence of everything. */
export function isEverything(typed: string): boolean {
  return /^(?:all|everything)$/iu.test(typed.trim());
}

export async function suggestSilences(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  return silenceChoices(visibleSilences(await context.alerts.silences(), context), typed);
}

function silenceChoices(all: readonly Silence[], typed = ""): readonly Choice[] {
  return shortIdChoices(
    all.map((one) => ({
      id: one.id,
      words: silenceScopeWords(one),
      kinds: one.scope.kind === undefined ? [] : [one.scope.kind],
    })),
    typed,
  );
}

/** The channels that a silence affects. */
export async function affectedDestinations({ alerts }: AlertsContext, { scope }: Silence): Promise<Destination[]> {
  const concerned = (await alerts.subscriptions()).filter(
    (one) => isAlive(one) && one.personal !== true && concerns(scope, one),
  );
  return distinctDestinations(concerned.map(({ destination }) => destination));
}

/** The subjects that a silence is about; undefined = all. */
function silentSubjects({ subject, subjects }: Silence["scope"]): readonly string[] | undefined {
  return subjects ?? (subject === undefined ? undefined : [subject]);
}

/** Whether a silence keeps back any of what a subscription tells. One for all channels covers no personal watch. */
function concerns(scope: Silence["scope"], one: Subscription): boolean {
  const { destination, personal, network, kinds } = one;
  return (
    (scope.destination === undefined ? personal !== true : scope.destination === destinationKey(destination)) &&
    (scope.network ?? network) === network &&
    (scope.kind === undefined || kinds.some((kind) => kind === scope.kind)) &&
    (silentSubjects(scope) ?? [""]).some((subject) => covers(one, { network, subject }))
  );
}

/**
 * Until when silences keep back what a subscription tells, at a moment (Unix milliseconds): all of it, where one silence
 * does, else a part; undefined where none holds for it.
 */
export function silencedUntil(
  subscription: Subscription,
  silences: readonly Silence[],
  at: Milliseconds,
): NetworkStatus["silenced"] {
  const { kinds, subjects } = subscription;
  const found = silences.flatMap((one) => {
    const { scope } = one;
    const silent = silentSubjects(scope);
    const holds = isSilenceActive(one, at) && concerns(scope, subscription);
    const all =
      (scope.kind === undefined || kinds.every((kind) => kind === scope.kind)) &&
      (silent === undefined || (subjects.length > 0 && subjects.every((of) => silent.includes(of))));
    return holds ? [{ until: silenceActiveUntil(one, at), all, waits: one.untilOver !== undefined }] : [];
  });
  const whole = found.filter(({ all }) => all);
  const counted = whole.length === 0 ? found : whole;
  const [last] = counted.toSorted((a, b) => b.until - a.until);
  return last === undefined
    ? undefined
    : {
        until: timeToText(fromMillis(last.until)),
        ...(last.waits ? { untilOver: true as const } : {}),
        all: last.all,
      };
}

/** The subscriptions that a silence concerns and that have quiet hours. */
export function withQuietHours({ scope }: Silence, subscriptions: readonly Subscription[]): Subscription[] {
  return subscriptions.filter(
    (one) =>
      one.state === "active" &&
      one.quietHours !== undefined &&
      concerns(scope, one) &&
      one.kinds.some((kind) => isConditionKind(kind) && (scope.kind ?? kind) === kind),
  );
}

/** The ends of the quiet hours that run at a moment (Unix milliseconds): distinct, earliest first. */
export function quietHoursEnds(subscriptions: readonly Subscription[], at: Milliseconds): Milliseconds[] {
  const ends = subscriptions.flatMap(({ quietHours }) =>
    quietHours === undefined ? [] : (quietUntil(quietHours, at) ?? []),
  );
  return [...new Set(ends)].toSorted((a, b) => a - b);
}
