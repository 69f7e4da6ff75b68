import type { AlertTables, NewDeliveryRow, NotificationStateRow } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { MessageCollector } from "./message-ids.ts";
import { parseChunk, type Parcel } from "./parcel.ts";
import { updateRollingMessages } from "./roll.ts";
import { destinationKey } from "./subscription.ts";

/** Edits are gathered for so long before one is made. */
export const EDIT_DELAY: Milliseconds = 1000;

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
export async function fanOut(
  tables: AlertTables,
  parcel: Parcel,
  at: Milliseconds,
  newId: () => string,
): Promise<void> {
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
