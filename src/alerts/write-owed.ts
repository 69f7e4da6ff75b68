import type { AlertTables, DeliveryRow, NewDeliveryRow, RollingRow } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { AlertEvent } from "./event.ts";
import { AlertMessage, messageId } from "./message.ts";
import type { Decision, Owed, Planned } from "./owed.ts";
import { destinationKey, type Subscription } from "./subscription.ts";

/** Edits are gathered for so long before one is made. */
export const GATHER_EDITS: Milliseconds = 1000;
/** How many of the day's events a rolling message names; the rest it counts. */
const ROLLING_SHOWN = 10;
const DAY: Milliseconds = 86_400_000;

/** Writes what is owed. Called inside the transaction that also keeps what was seen. */
export async function writeOwed(tables: AlertTables, owed: Owed, at: Milliseconds, newId: () => string): Promise<void> {
  const rolling = await roll(tables, owed, at, newId);
  const planned = [...owed.deliveries, ...rolling.planned];
  const messages = new MessageIds();
  const edits = new Map(
    (await tables.outbox.owedEdits(planned.flatMap(({ edits }) => (edits === undefined ? [] : [edits])))).map((row) => [
      row.target,
      row,
    ]),
  );
  const rows: NewDeliveryRow[] = [];
  for (const one of planned) {
    const message = messages.of(one.message);
    const coalesced = one.edits === undefined ? undefined : edits.get(one.edits);
    // Only the last state of a message is owed: an edit that has not gone yet becomes the newer one.
    if (coalesced === undefined) rows.push(rowOf(one, message, at));
    else await tables.outbox.change(coalesced.id, { message });
  }
  for (const [delivery, message] of rolling.changed) {
    await tables.outbox.change(delivery, { message: messages.of(message) });
  }
  const held = owed.held.map((one) => ({
    destination: destinationKey(one.destination),
    release_at: one.until,
    message: messages.of(one.message),
    data: JSON.stringify(one.destination),
  }));
  await tables.outbox.addMessages(messages.rows(), at);
  await tables.outbox.add(rows);
  await tables.backlog.hold(held);
  await tables.backlog.putRolling(rolling.rows);
  await tables.watch.putTellings(
    owed.tellings.map(({ episode, destination, telling }) => ({ episode, destination, data: JSON.stringify(telling) })),
  );
  for (const one of owed.ended) {
    await putSubscription(tables, { ...one, state: "ended", why: "it has seen the final state" });
  }
  await logDecisions(tables, owed.decisions, at);
}

export async function putSubscription(tables: AlertTables, subscription: Subscription): Promise<void> {
  const { id, network, state } = subscription;
  const destination = destinationKey(subscription.destination);
  await tables.choices.putSubscription({ id, destination, network, state, data: JSON.stringify(subscription) });
}

export async function logDecisions(
  tables: AlertTables,
  decisions: readonly Decision[],
  at: Milliseconds,
): Promise<void> {
  const none = { network: null, episode: null, destination: null, delivery: null, detail: null };
  await tables.log.add(decisions.map((one) => ({ ...none, ...one, at })));
}

function rowOf(one: Planned, message: string, at: Milliseconds): NewDeliveryRow {
  const { destination, mention, quiet, threadOf } = one;
  return {
    id: one.id,
    destination: destinationKey(destination),
    platform: destination.platform,
    kind: one.edits === undefined ? "message" : "edit",
    phase: one.phase,
    message,
    episode: one.episode ?? null,
    target: one.edits ?? null,
    run_at: one.edits === undefined ? at : at + GATHER_EDITS,
    created_at: at,
    data: JSON.stringify({ destination, mention, quiet, threadOf }),
  };
}

/** Equal messages are written once. */
class MessageIds {
  readonly #byMessage = new Map<AlertMessage, string>();
  readonly #byId = new Map<string, string>();

  of(message: AlertMessage): string {
    const known = this.#byMessage.get(message);
    if (known !== undefined) return known;
    const data = JSON.stringify(message);
    const id = messageId(data);
    this.#byMessage.set(message, id);
    this.#byId.set(id, data);
    return id;
  }

  rows(): { id: string; data: string }[] {
    return [...this.#byId].map(([id, data]) => ({ id, data }));
  }
}

interface Rolling {
  readonly planned: Planned[];
  readonly changed: Map<string, AlertMessage>;
  readonly rows: RollingRow[];
}

/** Adds events to the messages of the day: a new message each day, an edit for what comes later. */
async function roll(tables: AlertTables, owed: Owed, at: Milliseconds, newId: () => string): Promise<Rolling> {
  const result: Rolling = { planned: [], changed: new Map(), rows: [] };
  if (owed.rolled.length === 0) return result;
  const day = new Date(at).toISOString().slice(0, 10);
  const groups = Map.groupBy(owed.rolled, ({ subscription, message: { event } }) =>
    [destinationKey(subscription.destination), event.kind, event.network, day].join("|"),
  );
  const known = new Map((await tables.backlog.rolling([...groups.keys()])).map((row) => [row.key, row]));
  const deliveries = new Map(
    (await tables.outbox.get([...known.values()].map((row) => row.delivery))).map((row) => [row.id, row]),
  );
  // Most destinations have the same day behind them: what it comes to is worked out once.
  const grown = new Map<string, AlertMessage>();
  for (const [key, [first, ...rest]] of groups) {
    if (first === undefined) continue;
    const before = known.get(key);
    const added = [first, ...rest].map(({ message }) => message.event);
    const { kind, network } = first.message.event;
    const same = [before?.data ?? "", kind, network, ...added.map((event) => event.key)].join("|");
    const message = grown.get(same) ?? grow(before?.data, added, day, first.message.simulated);
    grown.set(same, message);
    const delivery = before === undefined ? undefined : deliveries.get(before.delivery);
    const { destination } = first.subscription;
    const base = { destination, phase: "rolling", message, quiet: true } as const;
    let id = before?.delivery;
    if (id === undefined || delivery === undefined || isGivenUp(delivery)) {
      id = newId();
      result.planned.push({ id, ...base });
    } else if (isUntouched(delivery)) {
      result.changed.set(id, message);
    } else {
      result.planned.push({ id: newId(), ...base, edits: id });
    }
    const day_ends_at = Math.floor(at / DAY) * DAY + DAY;
    result.rows.push({ key, delivery: id, day_ends_at, data: JSON.stringify(message) });
  }
  return result;
}

function grow(
  before: string | undefined,
  added: readonly AlertEvent[],
  day: string,
  simulated: true | undefined,
): AlertMessage {
  const parsed = before === undefined ? undefined : AlertMessage.parse(JSON.parse(before));
  const last = parsed?.type === "rolling" ? parsed : undefined;
  const [first] = added;
  if (first === undefined) throw new RangeError("a rolling message grows by events");
  return {
    type: "rolling",
    ...(simulated === undefined ? {} : { simulated }),
    kind: first.kind,
    network: first.network,
    day,
    total: (last?.total ?? 0) + added.length,
    events: [...(last?.events ?? []), ...added].slice(-ROLLING_SHOWN),
  };
}

/** Certainly not sent yet, so that it can still be worded anew. */
function isUntouched(row: DeliveryRow): boolean {
  return row.state === "owed" && row.uncertain_since === null;
}

function isGivenUp(row: DeliveryRow): boolean {
  return row.state === "dead";
}
