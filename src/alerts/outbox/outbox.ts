import type {
  AlertTables,
  NewDeliveryRow,
  NotificationStateRow,
  SubscriptionRow,
} from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { destinationKey, isAlive, type Subscription } from "../routing/subscription.ts";
import type { Decision, ReadonlyOutboxBatch } from "./batch.ts";
import { type Parcel, parseChunk, splitIntoChunks, toChunkRow } from "./chunk.ts";
import { MessageCollector } from "./message.ts";
import { updateRollingMessages } from "./rolling-message.ts";

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

/** Edits are gathered for so long before one is made. */
const EDIT_DELAY: Milliseconds = 1000;

/** Spreads the oldest portion that waits for it. False where there is none. */
export async function fanOutNext(tables: AlertTables, newId: () => string): Promise<boolean> {
  const [row] = await tables.chunks.take(1);
  if (row === undefined) return false;
  const { platform, owed, created_at } = row;
  const parcel = parseChunk(row);
  if (parcel !== undefined) await fanOut(tables, parcel, created_at, newId);
  else {
    const detail = `${owed} messages to ${platform}: what was owed cannot be read`;
    const none = { network: null, episode: null, destination: null, delivery: null };
    await tables.decisions.add([{ ...none, at: created_at, what: "dead letter", detail }]);
  }
  return true;
}

/** Spreads all that waits: whoever looks at what is owed, or adds to it, finds it whole and in order. */
export async function fanOutAll(tables: AlertTables, newId: () => string): Promise<void> {
  while (await fanOutNext(tables, newId));
}

/** Writes what a portion owes, a row for each. `at` is when it came to be owed. */
async function fanOut(tables: AlertTables, parcel: Parcel, at: Milliseconds, newId: () => string): Promise<void> {
  const messages = new MessageCollector();
  const rolling = await updateRollingMessages(tables, parcel.rolled, messages, at, newId);
  const planned = [...parcel.deliveries, ...rolling.planned];
  const targets = planned.flatMap(({ edits }) => (edits === undefined ? [] : [edits]));
  const owedEdits = new Map((await tables.outbox.owedEdits(targets)).map((row) => [row.target, row.id]));
  const rows: NewDeliveryRow[] = [];
  const reworded = [...rolling.reworded];
  for (const one of planned) {
    const owed = one.edits === undefined ? undefined : owedEdits.get(one.edits);
    // Only the last state of a message is owed: an edit that has not gone yet becomes the newer one.
    if (owed === undefined) rows.push(toDeliveryRow(one, at));
    else reworded.push({ delivery: owed, message: one.message });
  }
  await tables.outbox.addMessages(messages.rows(), at);
  for (const [message, all] of Map.groupBy(reworded, (one) => one.message)) {
    await tables.outbox.setMessage(
      all.map(({ delivery }) => delivery),
      message,
    );
  }
  await tables.outbox.add(rows);
  await tables.backlog.putRolling(rolling.rows);
  await tables.watch.putNotificationStates(latestStates(parcel));
}

/** The last word on each: PostgreSQL refuses a statement that puts one row twice. */
function latestStates({ tellings }: Parcel): NotificationStateRow[] {
  const last = new Map<string, NotificationStateRow>();
  for (const { episode, destination, telling } of tellings) {
    last.set(JSON.stringify([episode, destination]), { episode, destination, data: JSON.stringify(telling) });
  }
  return [...last.values()];
}

function toDeliveryRow(one: Parcel["deliveries"][number], at: Milliseconds): NewDeliveryRow {
  const { destination, mention, quiet, threadOf } = one;
  return {
    id: one.id,
    destination: destinationKey(destination),
    platform: destination.platform,
    kind: one.edits === undefined ? "message" : "edit",
    phase: one.phase,
    message: one.message,
    episode: one.episode ?? null,
    target: one.edits ?? null,
    run_at: one.edits === undefined ? at : at + EDIT_DELAY,
    created_at: at,
    data: JSON.stringify({ destination, mention, quiet, threadOf }),
  };
}
