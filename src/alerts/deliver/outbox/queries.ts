import type {
  AlertTables,
  ArrivedQuery,
  DeliveryRow,
  PlacedDelivery,
} from "../../../store/alert-tables/alert-tables.ts";
import { fromMillis, type Milliseconds, type Nanoseconds, toMillis } from "../../../units/time.ts";
import { timeFromText } from "../../judge/kinds/kind.ts";
import { type Episode, parseEpisode } from "../../judge/rules/episode.ts";
import { fanOutAll } from "./outbox.ts";
import { type NotificationState, parseNotificationState } from "./notification-state.ts";
import { readMessages } from "./stored-messages.ts";
import { deliverySubject } from "../../message/delivery-subject.ts";
import type { AlertMessage, MessageOf } from "../../message/message.ts";

/** The notification states of episodes, by episode and destination. */
export async function readNotificationStates(
  tables: AlertTables,
  episodes: Iterable<string>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, NotificationState>>> {
  await fanOutAll(tables);
  const rows = await tables.watch.notificationStates([...new Set(episodes)]);
  return new Map(
    [...Map.groupBy(rows, (row) => row.episode)].map(([episode, all]) => [
      episode,
      new Map(all.map((row) => [row.destination, parseNotificationState(row)])),
    ]),
  );
}

/** The dispatcher fans a large batch out within a second or two. */
const FAN_OUT_WITHIN: Milliseconds = 10_000;

/** Whether a large batch is still being fanned out by the dispatcher. Without a dispatcher it is fanned out here. */
export async function isFanningOut(tables: AlertTables, at: Milliseconds): Promise<boolean> {
  const since = await tables.chunks.oldestAt();
  if (since === undefined) return false;
  if (at - since < FAN_OUT_WITHIN) return true;
  await fanOutAll(tables);
  return false;
}

/** How many messages wait for a token or a destination, by its key. */
export async function waitingOn(tables: AlertTables, key: string): Promise<number> {
  await fanOutAll(tables);
  return tables.outbox.countUnsent(key);
}

/** How many messages for a token or a destination, by its key, were dead-lettered since that moment, by destination. */
export async function unsentOn(
  tables: AlertTables,
  key: string,
  since: Milliseconds,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tables.outbox.countDeadLetters(key, since);
  return new Map(rows.map((row) => [row.destination, row.count]));
}

/**
 * What is stored of an episode's deliveries, without those still in chunks: those whose messages say it, in order, the items
 * by which it joined those of other episodes, and the receipts of those that arrived.
 */
export async function deliveriesOf({ outbox, items }: AlertTables, episode: string) {
  const deliveries = await outbox.ofEpisode(episode);
  const receipts = await outbox.receipts(deliveries.map(({ id }) => id));
  return { deliveries, items: await items.ofEpisode(episode), receipts };
}

/** What deliveries say, and to which destination's key; without those that were pruned or cannot be read. */
export async function messagesOf(
  tables: AlertTables,
  ids: readonly string[],
): Promise<readonly (Pick<DeliveryRow, "id" | "destination"> & { readonly message: AlertMessage })[]> {
  await fanOutAll(tables);
  const rows = await tables.outbox.get(ids);
  const messages = await readMessages(tables, rows);
  return rows.flatMap(({ id, destination, message: said }) => {
    const message = messages.get(said);
    return message === undefined ? [] : [{ id, destination, message }];
  });
}

/** One thing that a message said at a destination. */
export interface Told {
  readonly at: Milliseconds;
  /** The key of the destination. */
  readonly destination: string;
  /** The id of the message: equal contents have equal ids. */
  readonly id: string;
  readonly message: AlertMessage;
  /** The message's alert as it stands now. */
  readonly episode?: Episode;
}

/** The things that people were told within a range of time, and whether there are more messages than the limit. */
export async function toldWithin(
  tables: AlertTables,
  query: ArrivedQuery,
): Promise<{ readonly told: readonly Told[]; readonly more: boolean }> {
  const rows = await tables.delivered.within(query);
  const items = Map.groupBy(await tables.items.of(rows.map(({ id }) => id)), ({ delivery }) => delivery);
  const parts = rows.flatMap((row) => [
    { row, ...row },
    ...(items.get(row.id) ?? [])
      .filter(({ revision }) => revision <= (row.shown ?? -1))
      .map((item) => ({ row, ...item, phase: "item" })),
  ]);
  const messages = await readMessages(tables, parts);
  const ids = [...new Set(parts.flatMap(({ episode }) => episode ?? []))];
  const episodes = new Map((await tables.watch.episodes(ids)).map((row) => [row.id, parseEpisode(row)]));
  const told = parts.flatMap(({ row, phase, message: id, episode: of }): Told[] => {
    const stored = messages.get(id);
    const arrived = row.settled_at ?? row.created_at;
    const message = stored?.type === "rolling" ? dayWithin(stored, arrived, query) : stored;
    if (message === undefined) return [];
    // A thing that joined a message was told once it had happened.
    const joined = phase === "item" || message.type === "rolling";
    const happened = joined ? toMillis(timeFromText(deliverySubject(message, "").at)) : arrived;
    const at = Math.max(arrived, happened);
    const episode = episodes.get(of ?? "");
    if (at < query.from || at >= query.to) return [];
    return [{ at, destination: row.destination, id, message, ...(episode === undefined ? {} : { episode }) }];
  });
  return { told, more: rows.length === query.limit };
}

/** What the message of a day told within a range; undefined where that is nothing. */
function dayWithin(
  message: MessageOf<"rolling">,
  arrived: Milliseconds,
  { from, to }: ArrivedQuery,
): AlertMessage | undefined {
  const timeOf = ({ at }: (typeof message.events)[number]): Milliseconds => toMillis(timeFromText(at));
  const before = message.events.filter((event) => timeOf(event) < to);
  const events = before.filter((event) => timeOf(event) >= from);
  // The first ones of many are counted, and not kept.
  const isWhole = arrived >= from && events.length === before.length;
  const total = isWhole ? message.total - (message.events.length - before.length) : events.length;
  return total === 0 ? undefined : { ...message, events, total };
}

/** Finished deliveries, newest first; to one destination where it is named. */
export function finishedDeliveries({ outbox }: AlertTables, limit: number, destination?: string) {
  return outbox.finished(limit, destination);
}

/** How many messages are owed on each platform, and since when the oldest; see the table. */
export function outboxDepth({ outbox }: AlertTables, of?: Parameters<AlertTables["outbox"]["depth"]>[0]) {
  return outbox.depth(of);
}

/** A message that arrived at a destination, by its delivery's id; undefined where it did not, or was pruned. */
export async function arrivedMessage(
  { outbox }: AlertTables,
  id: string,
  destination: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await outbox.get([id]);
  return row?.destination === destination && row.shown !== null ? row : undefined;
}

/** The last message about an episode that arrived at a destination, no later than that position. */
export async function lastArrivedOf(
  { outbox, delivered }: AlertTables,
  episode: string,
  destination: string,
  position: number,
): Promise<PlacedDelivery | undefined> {
  const ids = (await outbox.ofEpisode(episode, destination)).map(({ id }) => id);
  return (await delivered.of(destination, ids)).findLast((row) => row.position <= position);
}

/** Of what follows a trigger, or is its edit: when the trigger arrived at the same destination. */
export async function triggerDeliveryTime(tables: AlertTables, row: DeliveryRow): Promise<Nanoseconds | undefined> {
  if (row.episode === null || (row.phase !== "resolve" && row.shown === null)) return undefined;
  const all = row.phase === "resolve" ? await tables.outbox.ofEpisode(row.episode, row.destination) : [row];
  const trigger = all.find((one) => one.phase === "trigger");
  return trigger === undefined || trigger.shown === null || trigger.settled_at === null
    ? undefined
    : fromMillis(trigger.settled_at);
}
