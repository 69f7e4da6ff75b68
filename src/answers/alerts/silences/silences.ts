import { isConditionKind } from "../../../alerts/kinds/kinds.ts";
import { quietUntil } from "../../../alerts/routing/quiet-hours.ts";
import type { Silence } from "../../../alerts/routing/silence.ts";
import { covers, destinationKey, type Subscription } from "../../../alerts/routing/subscription.ts";
import type { Destination } from "../../../alerts/sender.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { silenceScopeWords } from "../../../alerts/wording/silence-words.ts";
import { nearest, quoteTyped } from "../../../bot/nearest.ts";
import type { Choice, SuggestContext } from "../../../bot/options/options.ts";
import { UserError } from "../../../errors.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { type CallerContext, destinationHere, isOperator } from "../destination.ts";
import { findByShortId, shortIdChoices } from "../short-id.ts";

/** The silences that bear on this place: its own and those that hold everywhere; operators see all. */
export function visibleSilences(all: readonly Silence[], context: CallerContext): Silence[] {
  const here = destinationKey(destinationHere(context));
  return isOperator(context)
    ? [...all]
    : all.filter(({ scope }) => scope.destination === undefined || scope.destination === here);
}

/**
 * The silence that is meant, which the caller may end.
 * @throws UserError where there is none, or it was made for all channels.
 */
export async function findSilence(
  desk: Pick<AlertService, "silences">,
  typed: string,
  context: CallerContext,
): Promise<Silence> {
  const visible = visibleSilences(await desk.silences(), context);
  const found = findByShortId(visible, typed);
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const near = nearest(
      typed,
      visible.map(({ id }) => id),
    );
    throw new UserError(
      found.length > 1
        ? `${quoteTyped(typed)} could be ${found.length} silences.`
        : `No silence ${quoteTyped(typed)} holds here.`,
      {
        option: "id",
        remedy: `${near === undefined ? "" : `Did you mean ${near}? `}It may be over already. This shows those that hold:`,
        suggestion: "alerts silences",
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

/** Completion of a silence's id. */
export async function suggestSilences(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const all = visibleSilences(await context.alerts.silences(), context);
  return shortIdChoices(
    all.map((one) => ({ id: one.id, words: silenceScopeWords(one) })),
    typed,
  );
}

/** Those who are told, in these places, of what a silence keeps back, and who have quiet hours at some time. */
export function withQuietHours(
  { scope }: Pick<Silence, "scope">,
  places: readonly Destination[],
  subscriptions: readonly Subscription[],
): Subscription[] {
  const keys = new Set(places.map(destinationKey));
  return subscriptions.filter(
    (one) =>
      one.state === "active" &&
      one.quietHours !== undefined &&
      keys.has(destinationKey(one.destination)) &&
      // What one waits for oneself is silenced by silences of its own place alone.
      (one.personal !== true || scope.destination !== undefined) &&
      one.kinds.some((kind) => isConditionKind(kind) && (scope.kind ?? kind) === kind) &&
      covers(one, { network: scope.network ?? one.network, subject: scope.subject ?? "" }),
  );
}

/** When the quiet hours end that run at a moment (Unix milliseconds), each moment once, the first one first. */
export function quietHoursEnds(subscriptions: readonly Subscription[], at: Milliseconds): Milliseconds[] {
  const ends = subscriptions.flatMap(({ quietHours }) =>
    quietHours === undefined ? [] : (quietUntil(quietHours, at) ?? []),
  );
  return [...new Set(ends)].toSorted((a, b) => a - b);
}
