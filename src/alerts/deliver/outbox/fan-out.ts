import type { AlertTables, NewDeliveryRow, NotificationStateRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { type Chunk, parseChunk } from "./chunk.ts";
import { updateRollingMessages } from "./rolling-message.ts";
import { destinationKey } from "../../destination.ts";
import { MessageCollector } from "./stored-messages.ts";

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
  const rolling = await updateRollingMessages(tables, chunk.rolled, messages, at, newId);
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
