// The outbox: deliveries to be sent, stored in the transaction that also stores its cause. A batch for many
// destinations is stored in chunks; fanning a chunk out writes one delivery row for each destination.
// enqueue() adds to it, claim() (claim.ts) takes what is due, record.ts stores what came of it. Whatever reads deliveries
// or notification states fans out the waiting chunks itself: callers always find the outbox whole.
// Read batch.ts (what a batch holds), chunk.ts (how large ones are stored) and message.ts (what a delivery says) next.
// The dispatcher that sends is in ../dispatch.
import type { AlertTables, NewDeliveryRow, NotificationStateRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { subscriptionRow } from "../../route/subscription.ts";
import { joinPlans, type OutboxBatch, type Plan } from "./batch.ts";
import { type Chunk, parseChunk, splitIntoChunks, toChunkRow } from "./chunk.ts";
import { logDecisions } from "./alert-log.ts";
import { updateRollingMessages } from "./rolling-message.ts";
import { destinationKey } from "../../destination.ts";
import { MessageCollector } from "./stored-messages.ts";

/**
 * Adds what was planned. Called inside the transaction that also stores its cause. A large batch is stored in chunks:
 * the first is fanned out at once, the others one after the other while it is being sent.
 */
export async function enqueue(
  tables: AlertTables,
  plan: Plan,
  at: Milliseconds,
  newId: () => string,
  chunkRows?: number,
): Promise<void> {
  const batch = joinPlans([plan]);
  if (batch.deliveries.length + batch.rollingUpdates.length + batch.states.length > 0) {
    // Earlier batches go first.
    await fanOutAll(tables, newId);
    const messages = new MessageCollector();
    const size = (await mayMergeIntoTrigger(tables, batch)) ? Infinity : chunkRows;
    const [first, ...rest] = splitIntoChunks(batch, messages, size);
    await tables.outbox.addMessages(messages.rows(), at);
    await tables.chunks.put(rest.map(({ platform, chunk }) => toChunkRow(platform, chunk, at)));
    if (first !== undefined) await fanOut(tables, first.chunk, at, newId);
  }
  await holdMessages(tables, batch, at);
  const ended = [...new Set(batch.endedSubscriptions)].map((one) => ({
    ...one,
    state: "ended" as const,
    why: "it has seen the final state",
  }));
  await tables.subscriptions.put(ended.map((one) => subscriptionRow(one, at)));
  await logDecisions(tables, batch.decisions, at);
}

/** Whether it holds a message that may merge into an unsent trigger: it must be there when the trigger is sent. */
async function mayMergeIntoTrigger(tables: AlertTables, { deliveries }: OutboxBatch): Promise<boolean> {
  const later = deliveries.filter(({ phase }) => phase === "escalation" || phase === "resolve");
  const episodes = new Set(later.flatMap(({ episode }) => (episode === undefined ? [] : [episode])));
  return tables.outbox.hasOwedTriggers([...episodes]);
}

async function holdMessages(tables: AlertTables, { held }: OutboxBatch, at: Milliseconds): Promise<void> {
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

/** How long edits of one message are gathered into one. */
const EDIT_DELAY: Milliseconds = 1000;

/** Fans out the oldest waiting chunk. False if there is none. */
export async function fanOutNext(tables: AlertTables, newId: () => string): Promise<boolean> {
  const [row] = await tables.chunks.take(1);
  if (row === undefined) return false;
  const { platform, owed, created_at } = row;
  const chunk = parseChunk(row);
  if (chunk !== undefined) await fanOut(tables, chunk, created_at, newId);
  else {
    const detail = `${owed} messages to ${platform}: what was owed cannot be read`;
    const none = { network: null, episode: null, destination: null, delivery: null };
    await tables.log.add([{ ...none, at: created_at, what: "dead letter", detail }]);
  }
  return true;
}

/** Fans out all waiting chunks, before the outbox is read or added to: it is then whole and in order. */
export async function fanOutAll(tables: AlertTables, newId: () => string): Promise<void> {
  while (await fanOutNext(tables, newId));
}

/** Writes a chunk as one row for each delivery. `at` is when its batch was written. */
export async function fanOut(tables: AlertTables, chunk: Chunk, at: Milliseconds, newId: () => string): Promise<void> {
  const messages = new MessageCollector();
  const rolling =
    chunk.rolled.length === 0
      ? { planned: [], reworded: [], rows: [] }
      : await updateRollingMessages(tables, chunk.rolled, messages, at, newId);
  const planned = [...chunk.deliveries, ...rolling.planned];
  const named = planned.flatMap(({ edits, threadOf }) => edits ?? threadOf ?? []);
  const carriersOf = await tables.outbox.carriersOf(named);
  const carrierOf = (id: string | undefined): string | undefined =>
    id === undefined ? undefined : (carriersOf.get(id) ?? id);
  const targets = planned.flatMap(({ edits }) => carrierOf(edits) ?? []);
  const owedEdits = new Map((await tables.outbox.owedEdits(targets)).map((row) => [row.target ?? "", row.id]));
  const rows: NewDeliveryRow[] = [];
  const edits = new Map<string, NewDeliveryRow>();
  const reworded = [...rolling.reworded];
  for (const one of planned) {
    const target = carrierOf(one.edits);
    const owed = target === undefined ? undefined : owedEdits.get(target);
    // Only the last state of a message is owed: an unsent edit becomes the newer one.
    if (owed !== undefined) reworded.push({ delivery: owed, message: one.message });
    else if (target === undefined) rows.push(toDeliveryRow(one, carrierOf(one.threadOf), at));
    else edits.set(target, toDeliveryRow({ ...one, edits: target }, undefined, at));
  }
  await tables.outbox.addMessages(messages.rows(), at);
  for (const [message, all] of Map.groupBy(reworded, (one) => one.message)) {
    await tables.outbox.updateAll(
      all.map(({ delivery }) => delivery),
      { message },
    );
  }
  await tables.outbox.add([...rows, ...edits.values()]);
  await tables.backlog.putRolling(rolling.rows);
  await tables.watch.putNotificationStates(latestStates(chunk));
}

/** The last state of each: PostgreSQL refuses a statement that puts one row twice. */
function latestStates({ tellings }: Chunk): NotificationStateRow[] {
  const last = new Map<string, NotificationStateRow>();
  for (const { episode, destination, telling } of tellings) {
    last.set(JSON.stringify([episode, destination]), { episode, destination, data: JSON.stringify(telling) });
  }
  return [...last.values()];
}

function toDeliveryRow(
  one: Chunk["deliveries"][number],
  threadOf: string | undefined,
  at: Milliseconds,
): NewDeliveryRow {
  const { destination, mention, quiet, groupKey, within } = one;
  // What goes into another thread is another message; a story is told by the message that begins it.
  const place = within === undefined ? "" : (threadOf ?? "");
  const group_key = groupKey === undefined ? null : `${groupKey} ${place}`.trim();
  return {
    id: one.id,
    destination: destinationKey(destination),
    platform: destination.platform,
    kind: one.edits === undefined ? "message" : "edit",
    phase: one.phase,
    urgency: one.urgency ?? 0,
    group_key,
    message: one.message,
    episode: one.episode ?? null,
    target: one.edits ?? null,
    run_at: one.edits === undefined ? at : at + EDIT_DELAY,
    created_at: at,
    data: JSON.stringify({ destination, mention, quiet, threadOf, within }),
  };
}
