import { destinationKey } from "../../../alerts/destination.ts";
import { silenceScopeWords, silenceTimeWords } from "../../../alerts/words/silence-words.ts";
import type { OfferedChange } from "../../../bot/command.ts";
import { UserError } from "../../../errors.ts";
import { field, paragraph } from "../../../reply/block.ts";
import { reply, type Reply } from "../../../reply/reply.ts";
import { text } from "../../../reply/text.ts";
import { formatDuration, toMillis } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import type { AlertCommandContext } from "../alerts.ts";
import { destinationHere, destinationWords, isOperator, requireManagerOrMentioned } from "../destination.ts";
import { standingSilenceReply } from "./add-silence.ts";
import { inCallersZone, parseSilenceScope, parseSilenceTimes, type SilenceValues } from "./parse-silence.ts";
import { isResolved } from "./silence-options.ts";

/** `Silence all of sim-2 in this channel for 2 h?` Whoever may not is told so, and whom to ask. */
export async function offeredSilence(
  context: AlertCommandContext & { readonly openly?: true },
  typed: SilenceValues,
): Promise<OfferedChange | Reply> {
  const { openly } = context;
  const refused = openly === true ? undefined : await maySilence(context).then(() => undefined, asUserError);
  if (refused !== undefined) {
    const own = "What you are told alone, you silence in your direct messages.";
    return reply({ tone: "warning", title: refused.message, blocks: [paragraph(`${refused.remedy ?? ""} ${own}`)] });
  }
  const now = toMillis(context.now());
  const values = await inCallersZone(context, typed);
  const when = parseSilenceTimes(values, now);
  const { scope, label } = await parseSilenceScope(context, values);
  const destination = isOperator(context) ? undefined : destinationHere(context);
  const place = destination === undefined ? {} : { destination: destinationKey(destination) };
  const wanted = { scope: { ...place, ...scope }, ...when };
  // Which alerts it waits for is known once it is made.
  const stands = isResolved(values.until)
    ? undefined
    : standingSilenceReply(wanted, await context.alerts.silences(), now);
  if (stands !== undefined) return stands;
  const where = destination === undefined ? text`in all channels` : text`in ${destinationWords(destination, context)}`;
  const isForNow = when.recurrence === undefined && when.from <= now && values.for !== undefined;
  const held = isForNow ? text`for ${formatDuration(when.until - now)}` : silenceTimeWords(when, now);
  const what = silenceScopeWords({ scope, ...withoutUndefined({ label }) });
  return {
    question: text`Silence ${what} ${where} ${isResolved(values.until) ? text`until it is over` : held}?`,
    label: isForNow ? `Silence ${formatDuration(when.until - now)}` : "Silence",
    facts: [
      ...(isForNow ? [field("Holds", silenceTimeWords(when, now))] : []),
      ...(values.reason === undefined ? [] : [field("Reason", values.reason)]),
      ...(scope.network === undefined ? [field("Network", "all of them")] : []),
      ...(openly === true ? [field("Who may", "Whoever manages this channel, or whom its alerts mention")] : []),
    ],
  };
}

/** @throws UserError for whoever may not silence this channel's alerts. */
export function maySilence(context: AlertCommandContext): Promise<unknown> {
  return requireManagerOrMentioned(context, "silence its alerts");
}

function asUserError(thrown: unknown): UserError {
  if (thrown instanceof UserError) return thrown;
  throw thrown;
}
