// The store's tables for alerts, reached only inside a transaction, so that an observation and the deliveries that follow
// from it are stored together or not at all; what is old is deleted here.
// Next: alert-rows.ts (the rows), then the tables by purpose: subscriptions, watch-state, outbox, items, chunks, alert-log.

import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import { inBatches, isNoneOf, lastNumber } from "../queries.ts";
import type { Schema } from "../schema.ts";
import { createChunks, createItems } from "./messages.ts";
import { createAlertLog, createDeliveredMessages } from "./alert-log.ts";
import { createOutbox } from "./outbox.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createWatchState } from "./watch-state.ts";

export type * from "./alert-rows.ts";
export type { ArrivedQuery, DecisionQuery, LogQuery, LoggedDelivery, PlacedDelivery } from "./alert-log.ts";

/** Older decisions are deleted, however young they are. */
export const MAX_DECISIONS = 200_000;

/** Gauges of the alerts. */
export type AlertCounts = Awaited<ReturnType<typeof countAlerts>>;

export type AlertTables = ReturnType<typeof createAlertTables>;

/** The alerts' tables, bound to a transaction. */
export function createAlertTables(db: Kysely<Schema>) {
  return {
    subscriptions: createSubscriptions(db),
    watch: createWatchState(db),
    outbox: createOutbox(db),
    chunks: createChunks(db),
    delivered: createDeliveredMessages(db),
    items: createItems(db),
    log: createAlertLog(db),
    counts: (at: Milliseconds) => countAlerts(db, at),
    /**
     * Deletes finished rows older than that moment; open and owed ones stay. `whole` also searches all notification states
     * for those without an episode, which may take seconds.
     */
    async prune(before: Milliseconds, whole: boolean = false) {
      const last = await lastNumber(db, "decisions");
      // An episode is old once its last decision is, so that the history of a long one stays whole.
      const over = await db
        .deleteFrom("alert_episodes")
        .where("open", "=", 0)
        .where("opened_at", "<", before)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("alert_decisions as d")
                .select("d.seq")
                .whereRef("d.episode", "=", "alert_episodes.id")
                .where("d.at", ">=", before),
            ),
          ),
        )
        .returning("id")
        .execute();
      await inBatches(
        over.map(({ id }) => id),
        (batch) => db.deleteFrom("alert_notification_states").where("episode", "in", batch).execute(),
      );
      const episodes = { table: "alert_episodes", column: "id" } as const;
      const isOfNone = (episode: string) => isNoneOf(db, episode, episodes);
      await db
        .deleteFrom("alert_decisions")
        .where((eb) => {
          const isOld = eb.and([
            eb("at", "<", before),
            eb.or([eb("episode", "is", null), isOfNone("alert_decisions.episode")]),
          ]);
          return eb.or([isOld, eb("seq", "<=", last - MAX_DECISIONS)]);
        })
        .execute();
      await db
        .deleteFrom("alert_deliveries")
        .where("settled_at", "<", before)
        .where("state", "not in", ["held", "owed", "sending"])
        .where((eb) => eb.or([eb("episode", "is", null), isOfNone("alert_deliveries.episode")]))
        .execute();
      await db
        .deleteFrom("alert_items")
        .where(isNoneOf(db, "alert_items.delivery", { table: "alert_deliveries", column: "id" }))
        .execute();
      await db.deleteFrom("alert_silences").where("ends_at", "<", before).execute();
      if (whole)
        await db.deleteFrom("alert_notification_states").where(isOfNone("alert_notification_states.episode")).execute();
      await db
        .deleteFrom("alert_receipts")
        .where("at", "<", before)
        .where(isNoneOf(db, "alert_receipts.delivery", { table: "alert_deliveries", column: "id" }))
        .execute();
      await db
        .deleteFrom("alert_messages")
        .where("created_at", "<", before)
        .where(isNoneOf(db, "alert_messages.id", { table: "alert_deliveries", column: "message" }))
        .where(isNoneOf(db, "alert_messages.id", { table: "alert_items", column: "message" }))
        .execute();
    },
  };
}

/** Gauges, queues and what `read` makes of the tables, for an inspection. */
export async function inspectAlerts<R>(
  db: Kysely<Schema>,
  at: Milliseconds,
  read: (tables: AlertTables) => Promise<R>,
) {
  const tables = createAlertTables(db);
  return { ...(await tables.counts(at)), waiting: await tables.outbox.depth(), read: await read(tables) };
}

/** Dead letters are counted this far back, so that an index serves the count and it falls by itself. */
const DEAD_LETTER_WINDOW: Milliseconds = 86_400_000;

/** Deliveries dead-lettered within the last day, subscriptions, and messages that wait for quiet hours to end. */
async function countAlerts(db: Kysely<Schema>, at: Milliseconds) {
  const count = db.fn.countAll<number>().as("count");
  const dead = await db
    .selectFrom("alert_deliveries")
    .select(["platform", count])
    .where("settled_at", ">=", at - DEAD_LETTER_WINDOW)
    .where("state", "=", sql.lit("dead"))
    .groupBy("platform")
    .orderBy("platform")
    .execute();
  const subscriptions = await db
    .selectFrom("alert_subscriptions")
    .select(["state", count])
    .groupBy("state")
    .orderBy("state")
    .execute();
  const held = await db
    .selectFrom("alert_deliveries")
    .select(count)
    // In the very words of the partial index.
    .where(sql<boolean>`state = 'held'`)
    .executeTakeFirstOrThrow();
  return { dead, subscriptions, held: held.count };
}
