import { isDeepStrictEqual } from "node:util";

import type { AlertTables, HeldRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { quietUntil } from "../routing/quiet-hours.ts";
import type { SubscriptionIndex } from "../routing/subscription-index.ts";
import { covers, destinationKey, isAlive, StoredDestination, type Subscription } from "../routing/subscription.ts";
import type { OutboxBatch } from "./batch.ts";
import { type AlertMessage, readMessages } from "./message.ts";

/**
 * Makes one digest for each destination and network of what waited for quiet hours or a silence to end; without what nobody there
 * wants to be told of any more.
 */
export async function releaseHeld(
  tables: AlertTables,
  choices: SubscriptionIndex,
  at: Milliseconds,
  newId: () => string,
  book: OutboxBatch,
): Promise<void> {
  const held = await tables.backlog.release(at);
  if (held.length === 0) return;
  const messages = await readMessages(
    tables,
    held.map(({ message }) => message),
  );
  const lost = lostDestinations(choices);
  for (const [destination, waiting] of Map.groupBy(held, (row) => row.destination)) {
    if (lost.has(destination)) {
      book.decisions.push({ what: "digest given up", destination, detail: "the destination is lost" });
      continue;
    }
    const unread = waiting.filter(({ message }) => !messages.has(message)).length;
    if (unread > 0) {
      const detail = `${unread} of the ${waiting.length} messages that waited for it cannot be read`;
      book.decisions.push({ what: "dead letter", destination, detail });
    }
    const listeners = choices.subscriptions.filter((one) => destinationKey(one.destination) === destination);
    const wanted = waiting.filter(({ message }) => isWanted(messages.get(message), listeners));
    const dropped = waiting.length - unread - wanted.length;
    if (dropped > 0) {
      const detail = `${dropped} that waited: nobody there is subscribed to that any more`;
      book.decisions.push({ what: "suppressed by a change", destination, detail });
    }
    for (const [network, group] of Map.groupBy(wanted, (row) => networkOf(messages.get(row.message)))) {
      const isQuiet = listeners.some(({ quietHours }) => quietHours !== undefined);
      const digest = heldDigest(network, group, messages, isQuiet ? "quiet hours" : "held");
      const [first] = group;
      if (digest === undefined || first === undefined) continue;
      const to = StoredDestination.parse(JSON.parse(first.data));
      book.deliveries.push({ id: newId(), destination: to, phase: "digest", message: digest });
    }
  }
}

/** Whether a place still listens to that; what one waited for oneself ended that subscription by itself. */
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

/** Those that cannot be reached any more, and have not been subscribed again since. */
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
): AlertMessage | undefined {
  const said = group.flatMap((row) => messages.get(row.message) ?? []);
  const events = said.flatMap((message) => (message.type === "event" ? [message.event] : []));
  const episodes = said.flatMap((message) => (message.type === "condition" ? [message.episode] : []));
  if (events.length + episodes.length === 0) return undefined;
  const simulated = said.some((message) => message.simulated === true) ? { simulated: true as const } : {};
  return { type: "digest", ...simulated, reason, network, events, episodes };
}

function networkOf(message: AlertMessage | undefined): string {
  if (message?.type === "event") return message.event.network;
  return message?.type === "condition" ? message.episode.network : "";
}

/**
 * What waits for quiet hours to end waits for them as they are now: a place whose quiet hours were changed, or taken
 * away, is told when those that it has end. `all` is how subscriptions stand with the changes.
 */
export async function rescheduleHeld(
  tables: Pick<AlertTables, "backlog">,
  before: ReadonlyMap<string, Subscription>,
  changed: readonly Subscription[],
  all: readonly Subscription[],
  at: Milliseconds,
): Promise<void> {
  const places = new Set(
    changed
      .filter(({ id, quietHours }) => before.has(id) && !isDeepStrictEqual(before.get(id)?.quietHours, quietHours))
      .map(({ destination }) => destinationKey(destination)),
  );
  for (const place of places) {
    await tables.backlog.reschedule(place, quietHoursEndAt(place, all, at));
  }
}

/** When the quiet hours that a place has at a moment end; that moment where it has none. */
export function quietHoursEndAt(place: string, all: readonly Subscription[], at: Milliseconds): Milliseconds {
  const ends = all.flatMap(({ destination, state, quietHours }) => {
    const listens = destinationKey(destination) === place && (state === "active" || state === "ended");
    return listens && quietHours !== undefined ? [quietUntil(quietHours, at) ?? at] : [];
  });
  return Math.max(at, ...ends);
}
