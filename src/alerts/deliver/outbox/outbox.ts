// The outbox: deliveries to be sent, stored in the transaction that also stores its cause. A batch for many
// destinations is stored in chunks; fanning a chunk out writes one delivery row for each destination.
// enqueue() adds to it, claim() (claim.ts) takes what is due, record.ts stores what came of it. Whatever reads deliveries
// or notification states fans out the waiting chunks itself: callers always find the outbox whole.
// Read batch.ts (what a batch holds), chunk.ts (how large ones are stored) and message.ts (what a delivery says) next.
// The dispatcher that sends is in ../dispatch.
import type { AlertTables, DeliveryRow, NewDeliveryRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { subscriptionRow } from "../../route/subscription.ts";
import { afterEndings, joinPlans, type OutboxBatch, type Plan, type RuleOf } from "./batch.ts";
import { type Chunk, parseChunk, splitIntoChunks, toChunkRow } from "./chunk.ts";
import { logDecisions } from "./alert-log.ts";
import { joinMessages, openUntil, placedKey } from "./join.ts";
import { destinationKey } from "../../destination.ts";
import { withData } from "./delivery-data.ts";
import { MessageCollector } from "./stored-messages.ts";

/**
 * Adds what was planned. Called inside the transaction that also stores its cause. A large batch is stored in chunks:
 * the first is fanned out at once, the others one after the other while it is being sent. Without `ruleOf` nothing joins a
 * message but what was planned to.
 */
export async function enqueue(
  tables: AlertTables,
  plan: Plan,
  at: Milliseconds,
  chunkRows?: number,
  ruleOf?: RuleOf,
): Promise<void> {
  const batch = joinPlans([plan]);
  if (batch.deliveries.length + batch.states.length > 0) {
    // Earlier batches go first.
    await fanOutAll(tables);
    const messages = new MessageCollector();
    const size = (await mayMergeIntoTrigger(tables, batch)) ? Infinity : chunkRows;
    const [first, ...rest] = splitIntoChunks(batch, messages, size, ruleOf);
    const sentFirst = first?.chunk();
    const stored = rest.map(({ platform, chunk }) => toChunkRow(platform, chunk(), at));
    await tables.outbox.addMessages(messages.rows(), at);
    await tables.chunks.put(stored);
    if (sentFirst !== undefined) await fanOut(tables, sentFirst, at);
  }
  await tables.subscriptions.put(afterEndings(batch.endings).map((one) => subscriptionRow(one, at)));
  await logDecisions(tables, batch.decisions, at);
}

/** Whether it holds a message that may merge into an unsent trigger: it must be there when the trigger is sent. */
async function mayMergeIntoTrigger(tables: AlertTables, { deliveries }: OutboxBatch): Promise<boolean> {
  const later = deliveries.filter(({ phase }) => phase === "escalation" || phase === "resolve");
  const episodes = new Set(later.flatMap(({ episode }) => (episode === undefined ? [] : [episode])));
  return tables.outbox.hasOwedTriggers([...episodes]);
}

type Planned = Chunk["deliveries"][number];

/** How long changes of one message are gathered into one edit. */
const EDIT_DELAY: Milliseconds = 1000;

/** Fans out the oldest waiting chunk. False if there is none. */
export async function fanOutNext(tables: AlertTables): Promise<boolean> {
  const [row] = await tables.chunks.take(1);
  if (row === undefined) return false;
  const { platform, owed, created_at } = row;
  const chunk = parseChunk(row);
  if (chunk !== undefined) await fanOut(tables, chunk, created_at);
  else {
    const detail = `${owed} messages to ${platform}: what was owed cannot be read`;
    await logDecisions(tables, [{ what: "dead letter", detail }], created_at);
  }
  return true;
}

/** Fans out all waiting chunks, before the outbox is read or added to: it is then whole and in order. */
export async function fanOutAll(tables: AlertTables): Promise<void> {
  while (await fanOutNext(tables));
}

/** Writes a chunk as one row for each message. `at` is when its batch was written. */
export async function fanOut(tables: AlertTables, chunk: Chunk, at: Milliseconds): Promise<void> {
  const messages = new MessageCollector();
  const named = chunk.deliveries.flatMap(({ edits, threadOf, cardOf }) => edits ?? threadOf ?? cardOf ?? []);
  const joined = await tables.items.deliveriesOf(named);
  const deliveryOf = (id: string): string => joined.get(id) ?? id;
  const carrierOf = (id: string | undefined) => (id === undefined ? undefined : deliveryOf(id));
  const planned = chunk.deliveries
    .filter(({ edits }) => edits === undefined)
    .map(({ threadOf, cardOf, ...one }) => {
      return { ...one, ...withoutUndefined({ threadOf: carrierOf(threadOf), cardOf: carrierOf(cardOf) }) };
    });
  const { own, begun, grown, items, decisions } = await joinMessages(tables, planned, messages, at);
  await tables.outbox.addMessages(messages.rows(), at);
  await tables.outbox.add(
    own.map((one) => {
      const row = toDeliveryRow(one, at);
      const opened = begun.get(one.id);
      if (opened === undefined) return row;
      const { message, openUntil: open_until, urgency, joined: revision } = opened;
      return { ...row, message, open_until, urgency, revision };
    }),
  );
  await tables.items.add(items);
  await revise(
    tables,
    grown.map(({ id, message, openUntil: open_until, urgency, joined: by }) => {
      return { id, by, to: { message, open_until, urgency } };
    }),
    at,
  );
  await revise(tables, await editsOf(tables, chunk, deliveryOf), at);
  // The last state of each: PostgreSQL refuses a statement that puts one row twice.
  const states = new Map(chunk.states.map((one) => [JSON.stringify([one.episode, one.destination]), one]));
  await tables.watch.putNotificationStates(
    [...states.values()].map(({ state, ...of }) => ({ ...of, data: JSON.stringify(state) })),
  );
  await logDecisions(tables, decisions, at);
}

/** By how many revisions a message changes, and which of its columns. */
interface Revision {
  readonly id: string;
  readonly by: number;
  readonly to: Parameters<AlertTables["outbox"]["revise"]>[1];
}

/** Changes what messages say; each of several that are alike once. */
async function revise(tables: AlertTables, revisions: readonly Revision[], at: Milliseconds): Promise<void> {
  for (const alike of Map.groupBy(revisions, ({ by, to }) => JSON.stringify([by, to])).values()) {
    const [first] = alike;
    if (first === undefined) continue;
    const ids = new Set(alike.map(({ id }) => id));
    await tables.outbox.revise([...ids], first.to, at, at + EDIT_DELAY, first.by);
  }
}

/** What edits change: of an episode that joined another one's message, that message reads how it stands. */
async function editsOf(
  tables: AlertTables,
  { deliveries }: Chunk,
  deliveryOf: (id: string) => string,
): Promise<Revision[]> {
  const edits = deliveries.filter((one) => one.edits !== undefined);
  const [marked, changed] = [edits.filter(isMark), edits.filter((one) => !isMark(one))];
  const marks = Map.groupBy(marked, ({ edits: id = "" }) => deliveryOf(id));
  const rows = await tables.outbox.get([...marks.keys()]);
  const markedData = (row: DeliveryRow): string => {
    const all = (marks.get(row.id) ?? []).map(({ spent, picture }) => withoutUndefined({ spent, picture }));
    return withData(row, Object.assign({}, ...all));
  };
  return [
    ...rows.map((row) => ({ id: row.id, by: 1, to: { data: markedData(row) } })),
    ...changed.map(({ edits: id = "", message }) => {
      const carrier = deliveryOf(id);
      return { id: carrier, by: 1, to: carrier === id ? { message } : {} };
    }),
  ];
}

/** Whether an edit leaves what the message says as it is. */
function isMark({ spent, picture }: Planned): boolean {
  return spent === true || picture !== undefined;
}

function toDeliveryRow(one: Planned, at: Milliseconds): NewDeliveryRow {
  const { id, destination, phase, message, episode = null, heldUntil, mention, quiet, threadOf, cardOf, within } = one;
  return {
    id,
    destination: destinationKey(destination),
    platform: destination.platform,
    phase,
    urgency: one.urgency ?? 0,
    join_key: one.groupKey === undefined ? null : placedKey(one),
    open_until: openUntil(one, at, at),
    message,
    episode,
    state: heldUntil === undefined ? "owed" : "held",
    run_at: heldUntil ?? at,
    created_at: at,
    data: JSON.stringify({ destination, mention, quiet, threadOf, cardOf, within }),
  };
}
