import type { Subscription } from "../../../alerts/route/subscription.ts";
import { type Action, amended, invalidatingAction, type Reply } from "../../../reply/reply.ts";
import { text, type Text } from "../../../reply/text.ts";
import { formatCount } from "../../../units/format-number.ts";
import { DAY, type Milliseconds, toMillis } from "../../../units/time.ts";
import type { AlertCommandContext } from "../alerts.ts";
import { contentKey } from "./subscriptions.ts";
import { roughly, spanWords, timesWords, watchedMillis } from "./trial-reply.ts";
import { lengthOf, tryAll, type TriedResult } from "./try-subscription.ts";

const LOOKED_BACK: Milliseconds = 30 * DAY;

/**
 * The answer about a subscription, which says later what that would have told in the past. `before`: as it was before it
 * was changed.
 */
export function withPast(
  given: Reply,
  context: AlertCommandContext & Pick<Parameters<typeof tryAll>[2], "signal">,
  subscription: Subscription,
  before?: Subscription,
): Reply {
  const later = async (signal: AbortSignal): Promise<Reply | undefined> => {
    const said = await pastOf({ ...context, network: subscription.network, signal }, subscription, before);
    return said && (await stands(subscription, context)) ? amended(given, said.words, said.actions) : undefined;
  };
  return { ...given, later };
}

/** Whether it is as it was stored: what somebody did meanwhile stays in view. */
async function stands(one: Subscription, { alerts }: AlertCommandContext): Promise<boolean> {
  const now = (await alerts.subscriptions()).find(({ id }) => id === one.id);
  return now?.state === one.state && contentKey(now, alerts.config) === contentKey(one, alerts.config);
}

async function pastOf(
  context: Parameters<typeof withPast>[1],
  subscription: Subscription,
  before: Subscription | undefined,
): Promise<{ readonly words: Text; readonly actions: readonly Action[] } | undefined> {
  const now = toMillis(context.now());
  const tried = before === undefined ? [subscription] : [subscription, before];
  const answer = await tryAll(tried, { from: now - LOOKED_BACK, to: now }, context, true);
  const [result, was] = answer.results;
  const watched = watchedMillis(answer, result);
  if (result === undefined || watched < DAY || result.uncounted.length === subscription.kinds.length) return undefined;
  const { told, uncounted } = result;
  const ids = new Set(told.map(({ id }) => id));
  const lost = was?.told.filter(({ id }) => id !== undefined && !ids.has(id)).length ?? 0;
  const longest = Math.max(0, ...told.map((one) => lengthOf(one, now)));
  const more = [
    ...(told.length === 0 ? [] : [`${was === undefined ? ", " : "; "}${roughly(longest)} at most`]),
    ...(lost === 0 ? [] : [`; ${lost === 1 ? "an alert" : `${formatCount(lost)} alerts`} of then would not have come`]),
    ...(uncounted.length === 0 ? [] : [`; ${notCounted(uncounted)}`]),
  ];
  const isWorse = was !== undefined && (told.length > was.told.length || lost > 0);
  return {
    words: text`In ${spanWords(watched)} this would have told you ${countWords(result, was)}${more.join("")}.`,
    actions: isWorse ? [undoAction(subscription)] : [],
  };
}

/** `17 times, was 3`. */
function countWords({ told }: TriedResult, was: TriedResult | undefined): string {
  const count = told.length === 0 ? "nothing" : timesWords(told.length);
  if (was === undefined) return count;
  return was.told.length === told.length ? `${count}, as before` : `${count}, was ${formatCount(was.told.length)}`;
}

function notCounted(kinds: TriedResult["uncounted"]): string {
  const [only] = kinds;
  return kinds.length === 1 ? `${only} is not counted` : `${formatCount(kinds.length)} kinds are not counted`;
}

/** Undoes this change alone: somebody may make another one before it is pressed. */
function undoAction({ id, undo }: Subscription): Action {
  return invalidatingAction("Undo", "alerts resume", { id, undo: true, change: String(undo?.until) });
}
