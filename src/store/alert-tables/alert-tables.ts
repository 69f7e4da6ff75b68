// The store's tables for alerts, reached only inside a transaction, so that an observation and the deliveries that follow
// from it are stored together or not at all; what is old is deleted here.
// Next: alert-rows.ts (the rows), then the tables by purpose: subscriptions, watch-state, outbox, items, chunks, alert-log.

import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import { inBatches, isNoneOf, lastNumber, REPEATS_UNTIL } from "../queries.ts";
import type { Schema } from "../schema.ts";
import { createChunks, createItems } from "./messages.ts";
import { createAlertLog, createDeliveredMessages } from "./alert-log.ts";
import { createOutbox } from "./outbox.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createWatchState } from "./watch-state.ts";

export type * from "./alert-rows.ts";
export type { ArrivedQuery, DecisionQuery, LogQuery, LoggedDelivery, PlacedDelivery } from "./alert-log.ts";

/** Older decisions are deleted, however young they are: of those that last, and of the others. */
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
    /** What is planned for before that moment was perhaps told: the database lacks what was stored. */
    expectRepeats: (until: Milliseconds) =>
      db
        .insertInto("alert_counters")
        .values({ name: REPEATS_UNTIL, value: until })
        .onConflict((conflict) =>
          conflict.column("name").doUpdateSet({ value: until }).where("alert_counters.value", "<", until),
        )
        .execute(),
    /**
     * Deletes finished rows older than that moment; open and owed ones stay. Of an episode that ended before it, its state
     * and the decisions about that stay until `lastingBefore`, without those who acknowledged it. `whole` also searches all
     * notification states for those without an episode, which may take seconds.
     */
    async prune(before: Milliseconds, whole: boolean = false, lastingBefore: Milliseconds = before) {
      await pruneEpisodes(db, before, lastingBefore);
      await pruneDecisions(db, before, lastingBefore);
      const isOfNone = (episode: string) => isNoneOf(db, episode, WHOLE_EPISODES);
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

const EPISODES = { table: "alert_episodes", column: "id" } as const;
/** Those of which it is known whom they were told. */
const WHOLE_EPISODES = { ...EPISODES, where: sql`bare = 0` } as const;

/** Deletes the episodes that were over before `lastingBefore`, and makes those bare that were over before the other moment. */
async function pruneEpisodes(db: Kysely<Schema>, before: Milliseconds, lastingBefore: Milliseconds): Promise<void> {
  for (const [bare, until] of [
    [0, before],
    [1, lastingBefore],
  ] as const) {
    // An episode is old once its last decision is, so that the history of a long one stays whole.
    const over = await db
      .selectFrom("alert_episodes")
      .select(["id", "opened_at", "data"])
      .where("bare", "=", bare)
      .where("open", "=", 0)
      .where("opened_at", "<", until)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("alert_decisions as d")
              .select("d.seq")
              .whereRef("d.episode", "=", "alert_episodes.id")
              .where("d.at", ">=", until),
          ),
        ),
      )
      .execute();
    const left =
      bare === 1 || lastingBefore >= before ? [] : over.flatMap(({ id, data }) => bareEpisode(id, data) ?? []);
    const stays = new Set(left.map(({ id }) => id));
    const ids = over.map(({ id }) => id);
    await inBatches(
      ids.filter((id) => !stays.has(id)),
      (batch) => db.deleteFrom("alert_episodes").where("id", "in", batch).execute(),
    );
    for (const { id, data } of left) {
      await db.updateTable("alert_episodes").set({ bare: 1, data }).where("id", "=", id).execute();
    }
    if (bare === 1) continue;
    await inBatches(ids, (batch) => db.deleteFrom("alert_notification_states").where("episode", "in", batch).execute());
  }
}

/** The row of an episode without the people who acknowledged it; undefined where it is damaged. */
function bareEpisode(id: string, data: string): { readonly id: string; readonly data: string } | undefined {
  try {
    const { acknowledged: _, acknowledgedIn: __, ...episode } = JSON.parse(data) as Readonly<Record<string, unknown>>;
    return { id, data: JSON.stringify(episode) };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** Deletes decisions that are old and belong to no episode that is kept with them, and all beyond the last ones of a sort. */
async function pruneDecisions(db: Kysely<Schema>, before: Milliseconds, lastingBefore: Milliseconds): Promise<void> {
  const last = await lastNumber(db, "decisions");
  const beyond = await db
    .selectFrom("alert_decisions")
    .select("at")
    .where("lasting", "=", 1)
    .orderBy("at", "desc")
    .offset(MAX_DECISIONS)
    .limit(1)
    .executeTakeFirst();
  const sorts = [
    { lasting: 0, until: before, episodes: WHOLE_EPISODES, isBeyond: sql<boolean>`seq <= ${last - MAX_DECISIONS}` },
    { lasting: 1, until: lastingBefore, episodes: EPISODES, isBeyond: sql<boolean>`at <= ${beyond?.at ?? -1}` },
  ] as const;
  for (const { lasting, until, episodes, isBeyond } of sorts) {
    const old = db.deleteFrom("alert_decisions").where("lasting", "=", lasting);
    await old
      .where("at", "<", until)
      .where((eb) => eb.or([eb("episode", "is", null), isNoneOf(db, "alert_decisions.episode", episodes)]))
      .execute();
    await old.where(isBeyond).execute();
  }
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
