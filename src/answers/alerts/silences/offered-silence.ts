import { silenceScopeWords, silenceTimeWords } from "../../../alerts/words/silence-words.ts";
import type { OfferedChange } from "../../../bot/command.ts";
import { field } from "../../../reply/block.ts";
import { text } from "../../../reply/text.ts";
import { formatDuration } from "../../../units/duration.ts";
import { toMillis } from "../../../units/nanoseconds.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import type { AlertCommandContext } from "../alerts.ts";
import { destinationHere, destinationWords, isOperator, placeWords } from "../destination.ts";
import { inCallersZone, parseSilenceScope, parseSilenceTimes, type SilenceValues } from "./parse-silence.ts";
import { isResolved } from "./silence-options.ts";

/** `Silence all of sim-2 in this channel for 2 h?` */
export async function offeredSilence(context: AlertCommandContext, typed: SilenceValues): Promise<OfferedChange> {
  const now = toMillis(context.now());
  const values = await inCallersZone(context, typed);
  const when = parseSilenceTimes(values, now);
  const { scope, label } = await parseSilenceScope(context, values);
  const destination = isOperator(context) ? undefined : destinationHere(context);
  const where = destination === undefined ? text`everywhere` : text`in ${destinationWords(destination, context)}`;
  const isForNow = when.recurrence === undefined && when.from <= now && values.for !== undefined;
  const held = isForNow ? text`for ${formatDuration(when.until - now)}` : silenceTimeWords(when, now);
  const what = silenceScopeWords({ scope, ...withoutUndefined({ label }) });
  return {
    question: text`Silence ${what} ${where} ${isResolved(values.until) ? text`until it is over` : held}?`,
    facts: [
      ...(destination === undefined ? [] : [field("Where", placeWords(destination, context))]),
      ...(isForNow ? [field("Holds", silenceTimeWords(when, now))] : []),
      field("Network", scope.network ?? "all of them"),
    ],
  };
}
