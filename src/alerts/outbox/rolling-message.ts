import type { AlertTables, DeliveryRow, RollingRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { destinationKey } from "../routing/subscription.ts";
import type { Parcel } from "./chunk.ts";
import { type AlertMessage, type MessageCollector, readMessages } from "./message.ts";

/** How many of the day's events a rolling message names; the rest it counts. */
const MAX_LISTED_EVENTS = 10;
const DAY: Milliseconds = 86_400_000;

type EventMessage = Extract<AlertMessage, { type: "event" }>;
type RollingMessage = Extract<AlertMessage, { type: "rolling" }>;

export interface RollingChanges {
  readonly planned: Parcel["deliveries"];
  /** Messages that have not gone yet and say more now. */
  readonly reworded: readonly { readonly delivery: string; readonly message: string }[];
  readonly rows: readonly RollingRow[];
}

/** Names the message of a day in the store. */
export function rollingKey(destination: string, message: Pick<RollingMessage, "kind" | "network" | "day">): string {
  return [destination, message.kind, message.network, message.day].join("|");
}

/** Adds events to the messages of the day: a new message each day, an edit for what comes later. */
export async function updateRollingMessages(
  tables: AlertTables,
  rolled: Parcel["rolled"],
  messages: MessageCollector,
  at: Milliseconds,
  newId: () => string,
): Promise<RollingChanges> {
  const planned: Parcel["deliveries"] = [];
  const reworded: { delivery: string; message: string }[] = [];
  const rows: RollingRow[] = [];
  if (rolled.length === 0) return { planned, reworded, rows };
  const events = await readMessages(
    tables,
    rolled.map(({ message }) => message),
  );
  const day = new Date(at).toISOString().slice(0, 10);
  const groups = Map.groupBy(
    rolled.flatMap(({ destination, message }) => {
      const said = events.get(message);
      return said?.type === "event" ? [{ destination, message: said }] : [];
    }),
    ({ destination, message: { event } }) => rollingKey(destinationKey(destination), { ...event, day }),
  );
  const known = new Map((await tables.backlog.rolling([...groups.keys()])).map((row) => [row.key, row]));
  const said = await readRollingMessages(
    tables,
    [...known.values()].map((row) => row.message),
  );
  const deliveries = new Map(
    (await tables.outbox.get([...known.values()].map((row) => row.delivery))).map((row) => [row.id, row]),
  );
  // Most destinations have the same day behind them: what it comes to is worked out once.
  const grown = new Map<string, RollingMessage>();
  for (const [key, group] of groups) {
    const [first] = group;
    if (first === undefined) continue;
    const before = known.get(key);
    const added = group.map(({ message }) => message);
    const same = [before?.message ?? "", ...added.map(({ event }) => [event.kind, event.network, event.key])].join("|");
    const grownTo = grown.get(same) ?? extendRollingMessage(said.get(before?.message ?? ""), added, day);
    grown.set(same, grownTo);
    const message = messages.add(grownTo);
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

/** Those of the messages named that are a day's. */
export async function readRollingMessages(
  tables: AlertTables,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RollingMessage>> {
  const said = await readMessages(tables, ids);
  return new Map([...said].flatMap(([id, message]) => (message.type === "rolling" ? [[id, message] as const] : [])));
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

/** Certainly not sent yet, so that it can still be worded anew. */
function isUnsent(row: DeliveryRow): boolean {
  return row.state === "owed" && row.uncertain_since === null;
}

function isDeadLetter(row: DeliveryRow): boolean {
  return row.state === "dead";
}
