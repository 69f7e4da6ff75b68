// Shared by all alerts commands: their context, the announcement of changes, and serialized changes. destination.ts:
// the caller's rights and typed destinations. alert-options.ts: options of several. alert-*.ts: typed values. Folders:
// subscriptions/, silences/, episodes/ (episodes, their timeline, the log, status, drills).

import { isDrill } from "../../alerts/judge/drill.ts";
import { timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { ChangeMessage } from "../../alerts/message/message.ts";
import type { AlertService, Announcement } from "../../alerts/service/service.ts";
import type { Labels } from "../../alerts/words/subscription-words.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import type { ResolveContext } from "../ids/resolve-id.ts";
import { type CallerContext, directMessages, isSameDestination } from "./destination.ts";
import type { Destination } from "../../alerts/destination.ts";

/** The context of a command that changes subscriptions, silences or acknowledgements. */
export interface AlertCommandContext extends CallerContext, ResolveContext {
  readonly alerts: AlertService;
  now(): Nanoseconds;
}

/** The maximum number of channels that a change is announced to. */
const MAX_ANNOUNCED_DESTINATIONS = 50;

/** The messages that announce a change to its channels; the user who made it gets none by direct message. */
export function changeAnnouncements(
  context: AlertCommandContext,
  destinations: readonly Destination[],
  change: ChangeMessage["change"],
  labels: Labels = {},
): Announcement[] {
  const message: ChangeMessage = {
    type: "change",
    ...(context.api.simulated ? { simulated: true } : {}),
    ...(change.what === "acknowledged" && isDrill(change.episode) ? { drill: true } : {}),
    by: context.caller.name,
    at: timeToText(context.now()),
    change,
    ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }),
  };
  return destinations
    .filter((one) => !(one.channel.startsWith("user:") && isSameDestination(one, directMessages(context))))
    .slice(0, MAX_ANNOUNCED_DESTINATIONS)
    .map((destination) => ({ destination, message }));
}

/** The last work queued for each object. */
const tails = new WeakMap<object, Promise<unknown>>();

/**
 * Serializes work per object, so that a second press of a button sees the changes of the first. A failure does not stop
 * the work queued behind it.
 */
export async function runExclusive<T>(key: object, work: () => Promise<T>): Promise<T> {
  const previous = tails.get(key) ?? Promise.resolve();
  const result = previous.then(work, work);
  tails.set(key, result);
  return result;
}
