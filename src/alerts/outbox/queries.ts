import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fanOutAll } from "./fan-out.ts";
import { NotificationState } from "./notification-state.ts";

/** The notification states of episodes, by episode and destination. */
export async function readNotificationStates(
  tables: AlertTables,
  episodes: Iterable<string>,
  newId: () => string,
): Promise<ReadonlyMap<string, ReadonlyMap<string, NotificationState>>> {
  await fanOutAll(tables, newId);
  const rows = await tables.watch.notificationStates([...new Set(episodes)]);
  return new Map(
    [...Map.groupBy(rows, (row) => row.episode)].map(([episode, all]) => [
      episode,
      new Map(all.map((row) => [row.destination, NotificationState.parse(JSON.parse(row.data))])),
    ]),
  );
}

/** The dispatcher fans a large batch out within a second or two. */
const FAN_OUT_WITHIN: Milliseconds = 10_000;

/** Whether a large batch is still being fanned out by the dispatcher. Without a dispatcher it is fanned out here. */
export async function isFanningOut(tables: AlertTables, at: Milliseconds, newId: () => string): Promise<boolean> {
  const since = await tables.chunks.oldestAt();
  if (since === undefined) return false;
  if (at - since < FAN_OUT_WITHIN) return true;
  await fanOutAll(tables, newId);
  return false;
}

/** How many deliveries wait on a platform. */
export async function waitingOn(tables: AlertTables, platform: string, newId: () => string): Promise<number> {
  await fanOutAll(tables, newId);
  return (await tables.outbox.depth()).find((one) => one.platform === platform)?.owed ?? 0;
}

/** How many messages were dead-lettered on a platform since that moment, by destination. */
export async function unsentOn(
  tables: AlertTables,
  platform: string,
  since: Milliseconds,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tables.outbox.countDeadLetters(platform, since);
  return new Map(rows.map((row) => [row.destination, row.count]));
}
