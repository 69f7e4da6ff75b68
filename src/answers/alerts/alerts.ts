// Shared by all alerts commands: their context, the announcement of changes, and serialized changes. destination.ts:
// the caller's rights and typed destinations. alert-options.ts: options of several. alert-*.ts: typed values. Folders:
// subscriptions/, silences/, episodes/ (episodes, their timeline, the log, status, drills).

import { isDrill } from "../../alerts/judge/rules/episode.ts";
import { timeToText } from "../../alerts/judge/kinds/kind.ts";
import type { ChangeMessage, TestMessage } from "../../alerts/message/message.ts";
import type { Announcement } from "../../alerts/service/service.ts";
import type { Labels } from "../../alerts/words/subscription-words.ts";
import type { Nanoseconds } from "../../units/time.ts";
import type { ResolveContext } from "../ids/typed-ids.ts";
import { type AlertsContext, destinationHere, directMessages, isSameDestination } from "./destination.ts";
import type { Destination } from "../../alerts/destination.ts";

/** The context of a command that changes subscriptions, silences or acknowledgements. */
export interface AlertCommandContext extends AlertsContext, ResolveContext {
  /** The caller's time zone. */
  zone(): Promise<string>;
  now(): Nanoseconds;
  tellHere?(): void;
}

/** The maximum number of channels that a change is announced to. */
const MAX_ANNOUNCED_DESTINATIONS = 50;

/**
 * The messages that announce a change to its channels. The user who made it gets none by direct message, and a channel that
 * reads the answer none either.
 */
export function changeAnnouncements(
  context: AlertCommandContext,
  destinations: readonly Destination[],
  change: ChangeMessage["change"],
  labels: Labels = {},
): Announcement[] {
  const message: ChangeMessage = {
    type: "change",
    ...authorship(context),
    ...(isOfDrill(change) ? { drill: true } : {}),
    change,
    ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }),
  };
  const here = destinationHere(context);
  const isTold = context.tellHere !== undefined && destinations.some((one) => isSameDestination(one, here));
  if (isTold) context.tellHere?.();
  return destinations
    .filter((one) => !(one.channel.startsWith("user:") && isSameDestination(one, directMessages(context))))
    .filter((one) => !isTold || !isSameDestination(one, here))
    .slice(0, MAX_ANNOUNCED_DESTINATIONS)
    .map((destination) => ({ destination, message }));
}

function isOfDrill(change: ChangeMessage["change"]): boolean {
  if (change.what === "acknowledged") return isDrill(change.episode);
  return "silence" in change && isDrill({ network: change.silence.scope.network ?? "" });
}

/** A message that shows that a destination can be reached. */
export function testAnnouncement(
  context: AlertCommandContext,
  destination: Destination,
  added: Pick<TestMessage, "first" | "standing" | "subscription">,
): Announcement {
  return { destination, message: { type: "test", ...authorship(context), ...added } };
}

/** Who asked for a message, and when. */
function authorship(context: AlertCommandContext): Pick<TestMessage, "simulated" | "by" | "at"> {
  const simulated = context.api.simulated ? { simulated: true as const } : {};
  return { ...simulated, by: context.caller.name, at: timeToText(context.now()) };
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
