import type { Reply } from "../../reply/reply.ts";
import type { AlertTables, DeliveryRow } from "../../store/alert-tables/alert-tables.ts";
import type { Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { triggerDeliveryTime } from "../dispatch/claim.ts";
import { deliverySubject, isMerged } from "../outbox/delivery-subject.ts";
import { readMessages } from "../outbox/message.ts";
import { destinationKey } from "../routing/subscription.ts";
import type { DeliverySubject, Destination } from "../sender.ts";
import type { describe as describeMessage } from "../wording/wording.ts";

/** One message that has arrived. */
export interface FeedAlert {
  /** Grows from each to the next. */
  readonly place: number;
  /** When it arrived: Unix milliseconds. */
  readonly at: Milliseconds;
  /** The delivery's id. */
  readonly id: string;
  readonly about: DeliverySubject;
  /** Worded by this program, whichever one sent it. */
  readonly reply: Reply;
}

/** A place in the feed, and when what stands there, or next to it, arrived: Unix milliseconds. */
export interface FeedPlace {
  readonly place: number;
  readonly at: Milliseconds;
}

export interface FeedPage {
  readonly alerts: readonly FeedAlert[];
  readonly place: number;
  readonly more: boolean;
}

/** What has arrived at one destination, for readers that come and go. Rejects where the database fails. */
export interface AlertFeed {
  /** Where a delivery stands; undefined where none of that id has arrived here, or it is not kept any more. */
  placeOf(id: string): Promise<FeedPlace | undefined>;
  /** The place right before the last so many. */
  placeBefore(count: number): Promise<FeedPlace>;
  /** Up to a place, the last one about each episode that is not over yet: of the newest so many episodes, oldest first. */
  openEpisodes(place: number, limit: number): Promise<readonly FeedAlert[]>;
  /** What messages of the day have grown to since a moment: the last state of each, under its own id. */
  grownSince(since: Milliseconds): Promise<readonly FeedAlert[]>;
  /** Those behind a place, oldest first; where to go on from, and whether there is more. */
  after(place: number, limit: number): Promise<FeedPage>;
  get(id: string): Promise<FeedAlert | undefined>;
}

/** Edits read at once: each message has its last one among them. */
const MAX_EDITS_READ = 200;

export function createAlertFeed(store: Pick<Store, "transaction">, destination: Destination): AlertFeed {
  const key = destinationKey(destination);
  const find = async (tables: AlertTables, id: string): Promise<DeliveryRow | undefined> => {
    const [row] = await tables.outbox.get([id]);
    return row?.destination === key && row.state === "sent" && row.kind === "message" ? row : undefined;
  };
  return {
    placeOf: (id) =>
      store.transaction(async ({ alerts: tables }) => {
        const row = await find(tables, id);
        return row === undefined ? undefined : { place: row.seq, at: row.settled_at ?? row.created_at };
      }),
    placeBefore: (count) =>
      store.transaction(async ({ alerts: tables }) => {
        const [first] = await tables.delivered.last(key, count);
        return first === undefined
          ? { place: 0, at: 0 }
          : { place: first.seq - 1, at: first.settled_at ?? first.created_at };
      }),
    async openEpisodes(place, limit) {
      const describe = await loadDescribe();
      return store.transaction(async ({ alerts: tables }) => {
        const open = (await tables.watch.openEpisodes()).slice(-limit);
        const last: DeliveryRow[] = [];
        for (const { id } of open) {
          const told = (await tables.outbox.ofEpisode(id, key)).findLast(
            ({ seq, kind, state }) => seq <= place && kind === "message" && state === "sent",
          );
          if (told !== undefined) last.push(told);
        }
        return toFeedAlerts(
          tables,
          last.toSorted((a, b) => a.seq - b.seq),
          describe,
        );
      });
    },
    async grownSince(since) {
      const describe = await loadDescribe();
      return store.transaction(async ({ alerts: tables }) => {
        const rows = await tables.delivered.rollingEdits(key, since, MAX_EDITS_READ);
        const last = new Map(rows.map((row) => [row.target, row]));
        const targets = new Map(rows.map(({ id, target }) => [id, target]));
        const alerts = await toFeedAlerts(tables, [...last.values()], describe);
        return alerts.map((alert) => ({ ...alert, id: targets.get(alert.id) ?? alert.id }));
      });
    },
    async after(place, limit) {
      const describe = await loadDescribe();
      return store.transaction(async ({ alerts: tables }) => {
        const rows = await tables.delivered.after(key, place, limit);
        const alerts = await toFeedAlerts(tables, rows, describe);
        return { alerts, place: rows.at(-1)?.seq ?? place, more: rows.length === limit };
      });
    },
    async get(id) {
      const describe = await loadDescribe();
      return store.transaction(async ({ alerts: tables }) => {
        const row = await find(tables, id);
        return row === undefined ? undefined : (await toFeedAlerts(tables, [row], describe))[0];
      });
    },
  };
}

/** Loaded by the first reader: a start waits for nothing that it does not need. */
async function loadDescribe(): Promise<typeof describeMessage> {
  return (await import("../wording/wording.ts")).describe;
}

/** What this program cannot read any more is left out: nobody could say what it was. */
async function toFeedAlerts(
  tables: AlertTables,
  rows: readonly DeliveryRow[],
  describe: typeof describeMessage,
): Promise<FeedAlert[]> {
  const messages = await readMessages(
    tables,
    rows.map(({ message }) => message),
  );
  const fed: FeedAlert[] = [];
  for (const row of rows) {
    const message = messages.get(row.message);
    if (message === undefined) continue;
    const told = await triggerDeliveryTime(tables, row);
    const wording = {
      ...(isMerged(message, row) ? { merged: true as const } : {}),
      ...(told === undefined ? {} : { told }),
    };
    const at = row.settled_at ?? row.created_at;
    fed.push({
      place: row.seq,
      at,
      id: row.id,
      about: deliverySubject(message, row.phase),
      reply: describe(message, wording),
    });
  }
  return fed;
}
