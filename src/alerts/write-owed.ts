import type { AlertTables, SubscriptionRow } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { MessageIds } from "./message-ids.ts";
import type { Decision, Owed } from "./owed.ts";
import { parcelRow, portionsOf } from "./parcel.ts";
import { spread, spreadAll } from "./spread.ts";
import { destinationKey, isAlive, type Subscription } from "./subscription.ts";

/**
 * Writes what is owed. Called inside the transaction that also keeps what was seen. What is owed to many is kept in
 * portions: the first is spread over its destinations at once, the others by the dispatcher, one after the other.
 */
export async function writeOwed(
  tables: AlertTables,
  owed: Owed,
  at: Milliseconds,
  newId: () => string,
  portion?: number,
): Promise<void> {
  if (owed.deliveries.length + owed.rolled.length + owed.tellings.length > 0) {
    // What was owed before goes before.
    await spreadAll(tables, newId);
    const messages = new MessageIds();
    const [first, ...rest] = portionsOf(owed, messages, (await isToMerge(tables, owed)) ? Infinity : portion);
    await tables.outbox.addMessages(messages.rows(), at);
    await tables.parcels.put(rest.map(({ platform, parcel }) => parcelRow(platform, parcel, at)));
    if (first !== undefined) await spread(tables, first.parcel, at, newId);
  }
  await hold(tables, owed, at);
  for (const one of owed.ended) {
    await putSubscription(tables, { ...one, state: "ended", why: "it has seen the final state" }, at);
  }
  await logDecisions(tables, owed.decisions, at);
}

/** A trigger that has not gone yet says what came of it, too: that must then be there when it goes. */
async function isToMerge(tables: AlertTables, { deliveries }: Owed): Promise<boolean> {
  const later = deliveries.filter(({ phase }) => phase === "escalation" || phase === "resolve");
  const episodes = new Set(later.flatMap(({ episode }) => (episode === undefined ? [] : [episode])));
  return tables.outbox.oweTriggers([...episodes]);
}

async function hold(tables: AlertTables, { held }: Owed, at: Milliseconds): Promise<void> {
  const messages = new MessageIds();
  const rows = held.map((one) => ({
    destination: destinationKey(one.destination),
    release_at: one.until,
    message: messages.of(one.message),
    data: JSON.stringify(one.destination),
  }));
  await tables.outbox.addMessages(messages.rows(), at);
  await tables.backlog.hold(rows);
}

/** Keeps a subscription, with the moment at which it ended where it has. */
export async function putSubscription(tables: AlertTables, given: Subscription, at: Milliseconds): Promise<void> {
  await tables.choices.putSubscriptions([subscriptionRow(given, at)]);
}

/** The same as a row. Only one that is retired can come back by itself. */
export function subscriptionRow(given: Subscription, at: Milliseconds): SubscriptionRow {
  const { over = at, returns, ...rest } = given;
  const ended = { ...rest, ...(given.state === "retired" && returns !== undefined ? { returns } : {}), over };
  const subscription: Subscription = isAlive(given) ? rest : ended;
  const { id, network, state } = subscription;
  const destination = destinationKey(subscription.destination);
  return { id, destination, network, state, data: JSON.stringify(subscription) };
}

export async function logDecisions(
  tables: AlertTables,
  decisions: readonly Decision[],
  at: Milliseconds,
): Promise<void> {
  const none = { network: null, episode: null, destination: null, delivery: null, detail: null };
  await tables.log.add(decisions.map((one) => ({ ...none, ...one, at })));
}
