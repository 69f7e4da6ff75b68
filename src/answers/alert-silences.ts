import type { Silence } from "../alerts/routing/silence.ts";
import { destinationKey } from "../alerts/routing/subscription.ts";
import type { AlertService } from "../alerts/service/service.ts";
import { silenceScopeWords } from "../alerts/wording/silence-words.ts";
import { nearest, quoteTyped } from "../bot/nearest.ts";
import type { Choice, SuggestContext } from "../bot/option.ts";
import { UserError } from "../errors.ts";
import { type CallerContext, destinationHere, isOperator } from "./alert-place.ts";
import { findByShortId, shortIdChoices } from "./short-id.ts";

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
