import type { AlertTables, SubscriptionRow } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { MessageCollector } from "./message-ids.ts";
import type { Decision, ReadonlyOutboxBatch } from "./owed.ts";
import { toChunkRow, splitIntoChunks } from "./parcel.ts";
import { fanOut, fanOutAll } from "./spread.ts";
import { destinationKey, isAlive, type Subscription } from "./subscription.ts";

/**
 * Writes what is owed. Called inside the transaction that also keeps what was seen. What is owed to many is kept in
 * portions: the first is spread over its destinations at once, the others by the dispatcher, one after the other.
 */
export async function writeBatch(
  tables: AlertTables,
  owed: ReadonlyOutboxBatch,
  at: Milliseconds,
  newId: () => string,
  portion?: number,
): Promise<void> {
  if (owed.deliveries.length + owed.rollingUpdates.length + owed.states.length > 0) {
    // What was owed before goes before.
    await fanOutAll(tables, newId);
    const messages = new MessageCollector();
    const [first, ...rest] = splitIntoChunks(
      owed,
      messages,
      (await mergesWithTrigger(tables, owed)) ? Infinity : portion,
    );
    await tables.outbox.addMessages(messages.rows(), at);
    await tables.chunks.put(rest.map(({ platform, parcel }) => toChunkRow(platform, parcel, at)));
    if (first !== undefined) await fanOut(tables, first.parcel, at, newId);
  }
  await holdMessages(tables, owed, at);
  for (const one of owed.endedSubscriptions) {
    await putSubscription(tables, { ...one, state: "ended", why: "it has seen the final state" }, at);
  }
  await logDecisions(tables, owed.decisions, at);
}

/** A trigger that has not gone yet says what came of it, too: that must then be there when it goes. */
async function mergesWithTrigger(tables: AlertTables, { deliveries }: ReadonlyOutboxBatch): Promise<boolean> {
  const later = deliveries.filter(({ phase }) => phase === "escalation" || phase === "resolve");
  const episodes = new Set(later.flatMap(({ episode }) => (episode === undefined ? [] : [episode])));
  return tables.outbox.hasOwedTriggers([...episodes]);
}

async function holdMessages(tables: AlertTables, { held }: ReadonlyOutboxBatch, at: Milliseconds): Promise<void> {
  const messages = new MessageCollector();
  const rows = held.map((one) => ({
    destination: destinationKey(one.destination),
    release_at: one.until,
    message: messages.add(one.message),
    data: JSON.stringify(one.destination),
  }));
  await tables.outbox.addMessages(messages.rows(), at);
  await tables.backlog.hold(rows);
}

/** Keeps a subscription, with the moment at which it ended where it has. */
export async function putSubscription(tables: AlertTables, given: Subscription, at: Milliseconds): Promise<void> {
  await tables.subscriptions.put([subscriptionRow(given, at)]);
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
  await tables.decisions.add(decisions.map((one) => ({ ...none, ...one, at })));
}
