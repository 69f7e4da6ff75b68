import { isDeepStrictEqual } from "node:util";

import type { AlertTables } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { quietUntil } from "../../route/quiet-hours.ts";
import type { SubscriptionIndex } from "../../route/subscription-index.ts";
import { covers, isAlive, type Subscription } from "../../route/subscription.ts";
import type { PlannedDelivery } from "./batch.ts";
import type { MessageOf } from "../../message/message.ts";
import { destinationKey } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";
import { MessageCollector, readMessages } from "./stored-messages.ts";

type Digest = MessageOf<"digest">;

/** Keeps an event, or the end of an alert, for the digest of its network at the end of quiet hours or of a silence. */
export function holdMessage(
  to: Pick<PlannedDelivery, "id" | "destination">,
  held: MessageOf<"event" | "condition">,
  until: Milliseconds,
): PlannedDelivery {
  const { network } = held.type === "event" ? held.event : held.episode;
  const message: Digest = {
    type: "digest",
    ...(held.simulated === true ? { simulated: true } : {}),
    reason: "quiet hours",
    network,
    events: held.type === "event" ? [held.event] : [],
    episodes: held.type === "condition" ? [held.episode] : [],
  };
  return { ...to, phase: "digest", message, heldUntil: until };
}

/**
 * Owes the digests whose quiet hours or silence have ended, without what nobody there is subscribed to any more. Returns
 * how many are owed, and what was decided.
 */
export async function releaseHeld(
  tables: AlertTables,
  index: SubscriptionIndex,
  at: Milliseconds,
): Promise<{ readonly owed: number; readonly decisions: readonly Decision[] }> {
  const held = await tables.outbox.heldUntil(at);
  if (held.length === 0) return { owed: 0, decisions: [] };
  const read = await readMessages(tables, held);
  const lost = lostDestinations(index);
  const decisions: Decision[] = [];
  let owed = 0;
  for (const { id, destination, message } of held) {
    const digest = read.get(message);
    const drop = async (what: string, detail: string): Promise<void> => {
      decisions.push({ what, destination, detail });
      await tables.outbox.update(id, { state: "dropped", settled_at: at, last_error: detail, join_key: null });
    };
    if (digest?.type !== "digest") {
      await drop("dead letter", "the messages that waited for it cannot be read");
      continue;
    }
    if (lost.has(destination)) {
      await drop("digest given up", "the destination is lost");
      continue;
    }
    const listeners = index.subscriptions.filter((one) => destinationKey(one.destination) === destination);
    const events = digest.events.filter((one) => isWanted(one, listeners));
    const episodes = digest.episodes.filter((one) => isWanted(one, listeners));
    const wanted = events.length + episodes.length;
    const unwanted = digest.events.length + digest.episodes.length - wanted;
    const why = `${unwanted} that waited: nobody there is subscribed to that any more`;
    if (wanted === 0) {
      await drop("suppressed by a change", why);
      continue;
    }
    if (unwanted > 0) decisions.push({ what: "suppressed by a change", destination, detail: why });
    const isQuiet = listeners.some(({ quietHours }) => quietHours !== undefined);
    const messages = new MessageCollector();
    const said = messages.add({ ...digest, reason: isQuiet ? "quiet hours" : "held", events, episodes });
    await tables.outbox.addMessages(messages.rows(), at);
    await tables.outbox.release(id, at, said);
    owed += 1;
  }
  return { owed, decisions };
}

/** Whether a destination is still subscribed to it. A personal subscription ends with its last event. */
function isWanted(
  about: Digest["events"][number] | Digest["episodes"][number],
  listeners: readonly Subscription[],
): boolean {
  return listeners.some(
    (one) => (one.state === "active" || one.state === "ended") && one.kinds.includes(about.kind) && covers(one, about),
  );
}

/** Destinations that are lost and have not been subscribed again since. */
function lostDestinations({ subscriptions }: SubscriptionIndex): ReadonlySet<string> {
  const keysOf = (all: readonly Subscription[]): string[] => all.map(({ destination }) => destinationKey(destination));
  const back = new Set(keysOf(subscriptions.filter(isAlive)));
  const retired = keysOf(subscriptions.filter(({ state }) => state === "retired"));
  return new Set(retired.filter((key) => !back.has(key)));
}

/**
 * Messages held for quiet hours wait for their end as it is now: a destination whose quiet hours were changed, or
 * removed, gets them when its new ones end. `all` are the subscriptions with the changes.
 */
export async function rescheduleHeld(
  tables: Pick<AlertTables, "outbox">,
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
  for (const destination of destinations) await rescheduleAt(tables, destination, all, at);
}

/** What is held for a destination is due when its quiet hours end, at once where it has none. */
export async function rescheduleAt(
  tables: Pick<AlertTables, "outbox">,
  destination: string,
  all: readonly Subscription[],
  at: Milliseconds,
): Promise<void> {
  await tables.outbox.rescheduleHeld(destination, quietHoursEndAt(destination, all, at));
}

/** When the quiet hours of a destination at a moment end; that moment if it has none. */
export function quietHoursEndAt(key: string, all: readonly Subscription[], at: Milliseconds): Milliseconds {
  const ends = all.flatMap(({ destination, state, quietHours }) => {
    const listens = destinationKey(destination) === key && (state === "active" || state === "ended");
    return listens && quietHours !== undefined ? [quietUntil(quietHours, at) ?? at] : [];
  });
  return Math.max(at, ...ends);
}
