import type { ChosenKinds } from "../../../alerts/route/subscription.ts";
import { kindNoun, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import type { OfferedChange } from "../../../bot/command.ts";
import { managerRemedy } from "../../../bot/invocation.ts";
import { details, field, fields } from "../../../reply/block.ts";
import { listWords } from "../../../reply/enum-words.ts";
import type { Reply } from "../../../reply/reply.ts";
import { text } from "../../../reply/text.ts";
import type { AlertCommandContext } from "../alerts.ts";
import {
  destinationWords,
  directMessages,
  isManager,
  isOperator,
  isSameDestination,
  placeWords,
} from "../destination.ts";
import { type AddValues, draftSubscription, existingSubscriptionReply, toldAlready } from "./add-subscription.ts";
import { countedWith } from "./subscription-checks.ts";

/** The kinds that are named; the rest is counted. */
const NAMED_KINDS = 4;

/**
 * `Subscribe this channel to the ops alerts on mainnet?` Whoever may not manage the channel is offered to be told alone.
 * The answer where all of it is told already.
 */
export async function offeredSubscription(
  context: AlertCommandContext & { readonly openly?: true },
  chosen: ChosenKinds,
  given: AddValues,
): Promise<OfferedChange | Reply> {
  const { alerts } = context;
  const { kinds } = chosen;
  const { values, destination, labels, draft } = await draftSubscription(context, chosen, given);
  const all = await alerts.subscriptions();
  const wanted = draft(all);
  const known = toldAlready(wanted, countedWith(wanted, all, context), alerts, true);
  if (known !== undefined) return existingSubscriptionReply(context, known, wanted, values, labels);
  const isPersonal = !isOperator(context) && isSameDestination(destination, directMessages(context));
  const remedy = managerRemedy(context, context.platforms);
  if (!isPersonal && !isManager(context) && context.openly !== true) {
    const alone = await offeredSubscription(context, chosen, { ...given, to: "me" });
    if (!("question" in alone)) return alone;
    const facts = [...alone.facts, field("This channel", `Only people who manage it subscribe it. ${remedy}`)];
    return { ...alone, facts, options: { to: "me" } };
  }
  const what = subscriptionWords(wanted, labels);
  const named = kinds.slice(0, NAMED_KINDS).map(kindNoun);
  const others = kinds.length - named.length;
  return {
    question: isPersonal
      ? text`Subscribe you, by direct message, to ${what}?`
      : text`Subscribe ${destinationWords(destination, context)} to ${what}?`,
    facts: [
      field("Where", placeWords(destination, context)),
      field("Tells of", listWords([...named, ...(others > 0 ? [`${others} more`] : [])], " and "), { wide: true }),
      // Nobody knows yet what whoever presses may do.
      ...(context.openly === true && !isPersonal ? [field("Who may", "Whoever manages this channel")] : []),
    ],
    ...(others > 0
      ? { details: details([fields([field("All of them", listWords(kinds.map(kindNoun), " and "))])]) }
      : {}),
  };
}
