import type { AlertTables, DeliveryRow, RollingRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { Chunk } from "./chunk.ts";
import type { AlertMessage } from "../../message/message.ts";
import { destinationKey } from "../../destination.ts";
import { type MessageCollector, readMessages } from "./stored-messages.ts";

/** How many of the day's events a rolling message lists; the rest it counts. */
const MAX_LISTED_EVENTS = 10;
const DAY: Milliseconds = 86_400_000;

type EventMessage = Extract<AlertMessage, { type: "event" }>;
type RollingMessage = Extract<AlertMessage, { type: "rolling" }>;

interface RollingChanges {
  readonly planned: Chunk["deliveries"];
  /** Unsent deliveries, with their new message. */
  readonly reworded: readonly { readonly delivery: string; readonly message: string }[];
  readonly rows: readonly RollingRow[];
}

/** Names a rolling message in the store. */
export function rollingKey(destination: string, message: Pick<RollingMessage, "kind" | "network" | "day">): string {
  return [destination, message.kind, message.network, message.day].join("|");
}

/** Adds events to rolling messages: a new message each day, an edit for later events. */
export async function updateRollingMessages(
  tables: AlertTables,
  updates: Chunk["rolled"],
  messages: MessageCollector,
  at: Milliseconds,
  newId: () => string,
): Promise<RollingChanges> {
  const planned: Chunk["deliveries"] = [];
  const reworded: { delivery: string; message: string }[] = [];
  const rows: RollingRow[] = [];
  const events = await readMessages(
    tables,
    updates.map(({ message }) => message),
  );
  const day = new Date(at).toISOString().slice(0, 10);
  const groups = Map.groupBy(
    updates.flatMap(({ destination, message }) => {
      const read = events.get(message);
      return read?.type === "event" ? [{ destination, message: read }] : [];
    }),
    ({ destination, message: { event } }) => rollingKey(destinationKey(destination), { ...event, day }),
  );
  const known = new Map((await tables.backlog.rolling([...groups.keys()])).map((row) => [row.key, row]));
  const messagesBefore = await readRollingMessages(
    tables,
    [...known.values()].map((row) => row.message),
  );
  const deliveries = new Map(
    (await tables.outbox.get([...known.values()].map((row) => row.delivery))).map((row) => [row.id, row]),
  );
  // Most destinations have the same events: their message is built once.
  const extended = new Map<string, RollingMessage>();
  for (const [key, group] of groups) {
    const [first] = group;
    if (first === undefined) continue;
    const before = known.get(key);
    const added = group.map(({ message }) => message);
    const same = [before?.message ?? "", ...added.map(({ event }) => [event.kind, event.network, event.key])].join("|");
    const after = extended.get(same) ?? extendRollingMessage(messagesBefore.get(before?.message ?? ""), added, day);
    extended.set(same, after);
    const message = messages.add(after);
    const delivery = before === undefined ? undefined : deliveries.get(before.delivery);
    const base = { destination: first.destination, phase: "rolling", message, quiet: true } as const;
    let id = before?.delivery;
    if (id === undefined || delivery === undefined || isDeadLetter(delivery)) {
      id = newId();
      planned.push({ id, ...base });
    } else if (isUnsent(delivery)) {
      reworded.push({ delivery: id, message });
    } else {
      planned.push({ id: newId(), ...base, edits: id });
    }
    rows.push({ key, delivery: id, day_ends_at: Math.floor(at / DAY) * DAY + DAY, message });
  }
  return { planned, reworded, rows };
}

/** The rolling messages among these. */
export async function readRollingMessages(
  tables: AlertTables,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RollingMessage>> {
  const read = await readMessages(tables, ids);
  return new Map([...read].flatMap(([id, message]) => (message.type === "rolling" ? [[id, message] as const] : [])));
}

function extendRollingMessage(
  before: RollingMessage | undefined,
  added: readonly EventMessage[],
  day: string,
): RollingMessage {
  const [first] = added;
  if (first === undefined) throw new RangeError("a rolling message grows by events");
  const { event, simulated } = first;
  return {
    type: "rolling",
    ...(simulated === undefined ? {} : { simulated }),
    kind: event.kind,
    network: event.network,
    day,
    total: (before?.total ?? 0) + added.length,
    events: [...(before?.events ?? []), ...added.map((one) => one.event)].slice(-MAX_LISTED_EVENTS),
  };
}

/** Certainly not sent yet, so that its message can still be replaced. */
function isUnsent(row: DeliveryRow): boolean {
  return row.state === "owed" && row.uncertain_since === null;
}

function isDeadLetter(row: DeliveryRow): boolean {
  return row.state === "dead";
}
