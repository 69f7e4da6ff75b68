import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import { inBatches, selectInBatches, withNumbers } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { DecisionRow, DeliveryRow } from "./alert-rows.ts";
import { isOpen } from "./conditions.ts";

/** A filter of decisions, which are read newest first. */
export interface DecisionQuery {
  readonly episode?: string;
  readonly destination?: string;
  readonly network?: string;
  readonly limit: number;
}

/** A range of the log. */
export interface LogQuery {
  /** The number of last decisions, and of last finished deliveries, to read. */
  readonly within: number;
  /** Narrows these decisions to those about a destination or about none, and the deliveries to those to it. */
  readonly destination?: string | undefined;
}

const LOGGED_COLUMNS = [
  "seq",
  "id",
  "destination",
  "phase",
  "message",
  "episode",
  "state",
  "shown",
  "attempts",
  "created_at",
  "attempted_at",
  "uncertain_since",
  "last_error",
  "settled_at",
] as const satisfies readonly (keyof DeliveryRow)[];
/** A delivery as the log shows it. */
export type LoggedDelivery = Pick<DeliveryRow, (typeof LOGGED_COLUMNS)[number]>;

/** The log's lines by `seq`, so that a page reads only its own rows. Times are Unix milliseconds. */
export function createAlertLog(db: Kysely<Schema>) {
  const decisions = ({ within, destination }: LogQuery) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom("alert_decisions")
          .select(["seq", "at", "destination"])
          .orderBy("seq", "desc")
          .limit(within)
          .as("last"),
      )
      .$if(destination !== undefined, (query) =>
        query.where((eb) => eb.or([eb("destination", "is", null), eb("destination", "=", destination ?? "")])),
      );
  const outcomes = ({ within, destination }: LogQuery) =>
    db
      .selectFrom("alert_deliveries")
      .select([
        "seq",
        sql<number>`settled_at`.as("at"),
        "created_at",
        sql<0 | 1>`case when episode is null then 0 else 1 end`.as("of_episode"),
      ])
      .where("settled_at", "is not", null)
      .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
      .orderBy("settled_at", "desc")
      .orderBy("seq", "desc")
      .limit(within);
  return {
    async add(rows: readonly DecisionRow[]) {
      await inBatches(await withNumbers(db, "decisions", rows), (batch) =>
        db.insertInto("alert_decisions").values(batch).execute(),
      );
    },
    read({ episode, destination, network, limit }: DecisionQuery) {
      return db
        .selectFrom("alert_decisions")
        .select(["at", "what", "network", "episode", "destination", "delivery", "detail"])
        .$if(episode !== undefined, (query) => query.where("episode", "=", episode ?? ""))
        .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
        .$if(network !== undefined, (query) => query.where("network", "=", network ?? ""))
        .orderBy("seq", "desc")
        .limit(Math.max(0, Math.trunc(limit)))
        .execute();
    },
    async counts(of: LogQuery) {
      const decided = await decisions(of)
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      const settled = await db
        .selectFrom(outcomes(of).as("last"))
        .select((eb) => [
          eb.fn.countAll<number>().as("count"),
          eb.fn.coalesce(eb.fn.sum<number>("of_episode"), eb.lit(0)).as("of_episodes"),
        ])
        .executeTakeFirstOrThrow();
      return { decisions: decided.count, outcomes: settled.count, ofEpisodes: settled.of_episodes };
    },
    /** Newest first. */
    decisions: (of: LogQuery, take: number) =>
      decisions(of).select(["seq", "at"]).orderBy("seq", "desc").limit(Math.min(of.within, take)).execute(),
    /** Finished deliveries, the last ones first. */
    outcomes: (of: LogQuery, take: number) => outcomes({ ...of, within: Math.min(of.within, take) }).execute(),
    /** In no order. */
    decisionsAt: (seqs: readonly number[]) =>
      selectInBatches(seqs, (batch) =>
        db.selectFrom("alert_decisions").selectAll().where("seq", "in", batch).execute(),
      ),
    /** In no order. */
    deliveriesAt: (seqs: readonly number[]) =>
      selectInBatches(seqs, (batch) =>
        db.selectFrom("alert_deliveries").select(LOGGED_COLUMNS).where("seq", "in", batch).execute(),
      ),
  };
}

/** Messages that arrived within a range of time, or grew then: to some destinations, or to all. */
export interface ArrivedQuery {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
  readonly destinations: readonly string[] | undefined;
  readonly limit: number;
}

/** For how long a message may grow. */
const GROWS_FOR: Milliseconds = 86_400_000;

/**
 * The messages delivered to a destination, by `seq`: the order in which they were owed. A critical one may have been
 * sent before those that precede it.
 */
export function createDeliveredMessages(db: Kysely<Schema>) {
  const sent = (destination: string) =>
    db
      .selectFrom("alert_deliveries")
      .selectAll()
      .where("destination", "=", destination)
      .where("shown", "is not", null)
      // As in the condition of the partial index.
      .where("settled_at", "is not", null);
  return {
    /** The last ones first. */
    async within({ from, to, destinations, limit }: ArrivedQuery) {
      const arrived = (batch?: readonly string[]) =>
        db
          .selectFrom("alert_deliveries")
          .select(LOGGED_COLUMNS)
          .where("settled_at", ">=", from - GROWS_FOR)
          .where("settled_at", "<", to)
          .where("shown", "is not", null)
          .where((eb) => eb.or([eb("settled_at", ">=", from), eb("attempted_at", ">=", from)]))
          .$if(batch !== undefined, (query) => query.where("destination", "in", batch ?? []))
          .orderBy("settled_at", "desc")
          .orderBy("seq", "desc")
          .limit(limit)
          .execute();
      if (destinations === undefined) return arrived();
      const rows = await selectInBatches(destinations, arrived);
      return rows.toSorted((a, b) => (b.settled_at ?? 0) - (a.settled_at ?? 0)).slice(0, limit);
    },
    /**
     * Those behind a delivery's `seq`, oldest first, up to the first that is still owed: a reader that goes on behind the
     * last of them misses none.
     */
    after: (destination: string, seq: number, limit: number) =>
      sent(destination)
        .where("seq", ">", seq)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("alert_deliveries as e")
                .select("e.seq")
                .where("e.destination", "=", destination)
                .where(isOpen("e"))
                .where("e.shown", "is", null)
                .whereRef("e.seq", "<", "alert_deliveries.seq"),
            ),
          ),
        )
        .orderBy("seq")
        .limit(limit)
        .execute(),
    /** The last ones; oldest first. */
    async last(destination: string, limit: number) {
      return (await sent(destination).orderBy("seq", "desc").limit(limit).execute()).toReversed();
    },
    /** The last messages of a day that were edited since that moment; oldest first. */
    async grown(destination: string, since: Milliseconds, limit: number) {
      const rows = await sent(destination)
        .where("phase", "=", "rolling")
        .where("shown", ">", 0)
        .where("attempted_at", ">=", since)
        .orderBy("seq", "desc")
        .limit(limit)
        .execute();
      return rows.toReversed();
    },
  };
}
