import { isDeepStrictEqual } from "node:util";

import type { AlertTables, HeldRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { quietUntil } from "../../route/quiet-hours.ts";
import type { SubscriptionIndex } from "../../route/subscription-index.ts";
import { covers, isAlive, type Subscription } from "../../route/subscription.ts";
import type { Plan, PlannedDelivery } from "./batch.ts";
import type { AlertMessage } from "../../message/message.ts";
import { destinationKey, StoredDestination } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";
import { readMessages } from "./stored-messages.ts";

/**
 * Plans one digest for each destination and network of the messages held for quiet hours or a silence that have ended;
 * without those that nobody there is subscribed to any more.
 */
export async function releaseHeld(
  tables: AlertTables,
  index: SubscriptionIndex,
  at: Milliseconds,
  newId: () => string,
): Promise<Plan> {
  const held = await tables.backlog.release(at);
  if (held.length === 0) return {};
  const messages = await readMessages(
    tables,
    held.map(({ message }) => message),
  );
  const lost = lostDestinations(index);
  const deliveries: PlannedDelivery[] = [];
  const decisions: Decision[] = [];
  for (const [destination, waiting] of Map.groupBy(held, (row) => row.destination)) {
    if (lost.has(destination)) {
      decisions.push({ what: "digest given up", destination, detail: "the destination is lost" });
      continue;
    }
    const unread = waiting.filter(({ message }) => !messages.has(message)).length;
    if (unread > 0) {
      const detail = `${unread} of the ${waiting.length} messages that waited for it cannot be read`;
      decisions.push({ what: "dead letter", destination, detail });
    }
    const listeners = index.subscriptions.filter((one) => destinationKey(one.destination) === destination);
    const wanted = waiting.filter(({ message }) => isWanted(messages.get(message), listeners));
    const dropped = waiting.length - unread - wanted.length;
    if (dropped > 0) {
      const detail = `${dropped} that waited: nobody there is subscribed to that any more`;
      decisions.push({ what: "suppressed by a change", destination, detail });
    }
    for (const [network, group] of Map.groupBy(wanted, (row) => networkOf(messages.get(row.message)))) {
      const isQuiet = listeners.some(({ quietHours }) => quietHours !== undefined);
      const message = heldDigest(network, group, messages, isQuiet ? "quiet hours" : "held");
      const [first] = group;
      if (first === undefined) continue;
      const to = StoredDestination.parse(JSON.parse(first.data));
      deliveries.push({ id: newId(), destination: to, phase: "digest", message });
    }
  }
  return { deliveries, decisions };
}

/** Whether a destination is still subscribed to it. A personal subscription ends with its last event. */
function isWanted(message: AlertMessage | undefined, listeners: readonly Subscription[]): boolean {
  const about = message?.type === "event" ? message.event : message?.type === "condition" ? message.episode : undefined;
  return (
    about !== undefined &&
    listeners.some(
      (one) =>
        (one.state === "active" || one.state === "ended") && one.kinds.includes(about.kind) && covers(one, about),
    )
  );
}

/** Destinations that are lost and have not been subscribed again since. */
function lostDestinations({ subscriptions }: SubscriptionIndex): ReadonlySet<string> {
  const keysOf = (all: readonly Subscription[]): string[] => all.map(({ destination }) => destinationKey(destination));
  const back = new Set(keysOf(subscriptions.filter(isAlive)));
  const retired = keysOf(subscriptions.filter(({ state }) => state === "retired"));
  return new Set(retired.filter((key) => !back.has(key)));
}

function heldDigest(
  network: string,
  group: readonly HeldRow[],
  messages: ReadonlyMap<string, AlertMessage>,
  reason: "quiet hours" | "held",
): AlertMessage {
  const read = group.flatMap((row) => messages.get(row.message) ?? []);
  const events = read.flatMap((message) => (message.type === "event" ? [message.event] : []));
  const episodes = read.flatMap((message) => (message.type === "condition" ? [message.episode] : []));
  const simulated = read.some((message) => message.simulated === true) ? { simulated: true as const } : {};
  return { type: "digest", ...simulated, reason, network, events, episodes };
}

function networkOf(message: AlertMessage | undefined): string {
  if (message?.type === "event") return message.event.network;
  return message?.type === "condition" ? message.episode.network : "";
}

/**
 * Messages held for quiet hours wait for their end as it is now: a destination whose quiet hours were changed, or
 * removed, gets them when its new ones end. `all` are the subscriptions with the changes.
 */
export async function rescheduleHeld(
  tables: Pick<AlertTables, "backlog">,
  before: ReadonlyMap<string, Subscription>,
  changed: readonly Subscription[],
  all: readonly Subscription[],
  at: Milliseconds,
): Promise<void> {
  const destinations = new Set(
    changed
      .filter(({ id, quietHours }) => before.has(id) && !isDeepStrictEqual(before.get(id)?.quietHours, quietHours))
      .map(({ destination }) => destinationKey(destination)),
  );
  for (const destination of destinations) {
    await tables.backlog.reschedule(destination, quietHoursEndAt(destination, all, at));
  }
}

/** When the quiet hours of a destination at a moment end; that moment if it has none. */
export function quietHoursEndAt(key: string, all: readonly Subscription[], at: Milliseconds): Milliseconds {
  const ends = all.flatMap(({ destination, state, quietHours }) => {
    const listens = destinationKey(destination) === key && (state === "active" || state === "ended");
    return listens && quietHours !== undefined ? [quietUntil(quietHours, at) ?? at] : [];
  });
  return Math.max(at, ...ends);
}
