import type { ChosenKinds } from "../../../alerts/route/subscription.ts";
import { kindNoun, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import type { OfferedChange } from "../../../bot/command.ts";
import { field } from "../../../reply/block.ts";
import { listWords } from "../../../reply/enum-words.ts";
import { text } from "../../../reply/text.ts";
import { resolveSubjects, subjectLabels } from "../alert-subjects.ts";
import type { AlertCommandContext } from "../alerts.ts";
import { destinationHere, destinationWords, directMessages, parseDestination, placeWords } from "../destination.ts";
import type { AddValues } from "./add-subscription.ts";
import { parseThresholds } from "./thresholds.ts";

/** The kinds that are named; the rest is counted. */
const NAMED_KINDS = 4;

/** `Subscribe this channel to the ops alerts on mainnet?` */
export async function offeredSubscription(
  context: AlertCommandContext,
  { kinds }: ChosenKinds,
  values: AddValues,
  isPersonal: boolean,
): Promise<OfferedChange> {
  const { network } = context;
  const here = isPersonal ? directMessages(context) : destinationHere(context);
  const destination = values.to === undefined ? here : parseDestination(values.to, context);
  const subjects = values.subjects === undefined ? [] : await resolveSubjects(kinds, values.subjects, context);
  const labels = await subjectLabels([{ kinds, ids: subjects }], context);
  const what = subscriptionWords({ kinds, subjects, parameters: parseThresholds(kinds, values), network }, labels);
  const named = kinds.slice(0, NAMED_KINDS).map(kindNoun);
  const others = kinds.length - named.length;
  return {
    question: text`Subscribe ${destinationWords(destination, context)} to ${what}?`,
    facts: [
      field("Where", placeWords(destination, context)),
      field("Tells of", listWords([...named, ...(others > 0 ? [`${others} more`] : [])], " and ")),
      field("Network", network),
    ],
  };
}
