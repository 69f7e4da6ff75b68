// The outbox: deliveries to be sent, stored in the transaction that also stores its cause. A batch for many
// destinations is stored in chunks; fanning a chunk out writes one delivery row for each destination.
// enqueue() adds to it, claim() (claim.ts) takes what is due, record.ts stores what came of it. Whatever reads deliveries
// or notification states fans out the waiting chunks itself: callers always find the outbox whole.
// Read batch.ts (what a batch holds), chunk.ts (how large ones are stored) and message.ts (what a delivery says) next.
// The dispatcher that sends is in ../dispatch.
import type { AlertTables } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { subscriptionRow } from "../../route/subscription.ts";
import { joinPlans, type OutboxBatch, type Plan } from "./batch.ts";
import { splitIntoChunks, toChunkRow } from "./chunk.ts";
import { logDecisions } from "./alert-log.ts";
import { fanOut, fanOutAll } from "./fan-out.ts";
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
