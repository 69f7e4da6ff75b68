import { isDrill } from "../../alerts/drill.ts";
import type { Announcement } from "../../alerts/engine/engine.ts";
import { timeToText } from "../../alerts/kinds/json-fields.ts";
import type { ChangeMessage } from "../../alerts/outbox/message.ts";
import type { Destination } from "../../alerts/sender.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import type { Labels } from "../../alerts/wording/subscription-words.ts";
import type { ApiClient } from "../../api/api-client.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { type CallerContext, directMessages, isSameDestination } from "./destination.ts";

/** What a command that changes alerts works with. */
export interface AlertCommandContext extends CallerContext {
  readonly alerts: AlertService;
  readonly api: ApiClient;
  readonly network: string;
  readonly signal: AbortSignal;
  now(): Nanoseconds;
}

/** A change of many channels' alerts at once is announced in so many of them at most. */
const MAX_ANNOUNCED_DESTINATIONS = 50;

/** What channels are told of a change; nobody is told in direct messages what they have just done there. */
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

/** What is under way on something, by that. */
const tails = new WeakMap<object, Promise<unknown>>();

/**
 * Work on the same thing one after the other, so that a button pressed twice finds the second time what the first has
 * done. Gives what the work gives; one that fails keeps nobody else from theirs.
 */
export async function runExclusive<T>(thing: object, work: () => Promise<T>): Promise<T> {
  const before = tails.get(thing) ?? Promise.resolve();
  const mine = before.then(work, work);
  tails.set(thing, mine);
  return mine;
}
