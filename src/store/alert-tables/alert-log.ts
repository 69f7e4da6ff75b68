import { type Kysely, sql } from "kysely";

import type { Milliseconds, Stretch } from "../../units/time.ts";
import { inBatches, POSITIONS, recordsOf, selectInBatches, takeNumbers, withNumbers } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { DeliveryRow, NewDecisionRow } from "./alert-rows.ts";

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
    async add(rows: readonly NewDecisionRow[]) {
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
    /** Those about the states of episodes of a network in a range of Unix milliseconds, both ends included, oldest first. */
    ofEpisodes: (network: string, from: Milliseconds, to: Milliseconds) =>
      db
        .selectFrom("alert_decisions")
        .select(["at", "what", "episode"])
        .where("network", "=", network)
        .where("lasting", "=", 1)
        .where("at", ">=", from)
        .where("at", "<=", to)
        .orderBy("seq")
        .execute(),
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
export interface ArrivedQuery extends Stretch {
  readonly destinations: readonly string[] | undefined;
  readonly limit: number;
}

/** For how long a message may grow. */
const GROWS_FOR: Milliseconds = 86_400_000;

/** A delivered message, and its position among those of its platform. */
export type PlacedDelivery = DeliveryRow & { readonly position: number };

/**
 * The messages delivered to a destination by position: the order in which they arrived. A critical one may stand before
 * those that were owed earlier.
 */
export function createDeliveredMessages(db: Kysely<Schema>) {
  const placed = (destination: string) =>
    db
      .selectFrom("alert_receipts as r")
      .innerJoin("alert_deliveries as d", "d.id", "r.delivery")
      .selectAll("d")
      .select("r.position")
      // A destination's key begins with its platform.
      .where("r.platform", "=", destination.split("/", 1)[0] ?? "")
      .where("d.destination", "=", destination)
      .where("d.shown", "is not", null)
      .$narrowType<{ position: number }>();
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
     * Gives a position to each message that has arrived on a platform and has none, be it stored by an earlier version. A
     * position becomes visible after all before it, so that a reader that goes on behind the last one misses none.
     */
    async place(platform: string) {
      const arrived = await db
        .selectFrom("alert_receipts as r")
        .leftJoin("alert_deliveries as d", "d.id", "r.delivery")
        .select("r.delivery")
        .where("r.platform", "=", platform)
        .where("r.position", "is", null)
        .orderBy("d.seq")
        .execute();
      if (arrived.length === 0) return;
      const first = await takeNumbers(db, POSITIONS, arrived.length);
      const placed = arrived.map(({ delivery }, index) => ({ delivery, to: first + index }));
      await inBatches(placed, (batch) =>
        db
          .updateTable("alert_receipts")
          .from(recordsOf(db, { delivery: "text", to: "bigint" }, batch).as("p"))
          .set((eb) => ({ position: eb.ref("p.to") }))
          .whereRef("alert_receipts.delivery", "=", "p.delivery")
          .execute(),
      );
    },
    /** Those behind a position, in their order. */
    after: (destination: string, position: number, limit: number): Promise<PlacedDelivery[]> =>
      placed(destination).where("r.position", ">", position).orderBy("r.position").limit(limit).execute(),
    /** The last ones, in their order. */
    async last(destination: string, limit: number): Promise<PlacedDelivery[]> {
      const rows = await placed(destination)
        .where("r.position", "is not", null)
        .orderBy("r.position", "desc")
        .limit(limit)
        .execute();
      return rows.toReversed();
    },
    /** Of these deliveries, those that have a position, in their order. */
    of: async (destination: string, ids: readonly string[]): Promise<PlacedDelivery[]> => {
      const rows = await selectInBatches(ids, (batch) =>
        placed(destination).where("r.delivery", "in", batch).where("r.position", "is not", null).execute(),
      );
      return rows.toSorted((a, b) => a.position - b.position);
    },
    /** The last messages of a day that were edited since that moment; oldest first. */
    async grown(destination: string, since: Milliseconds, limit: number) {
      const rows = await db
        .selectFrom("alert_deliveries")
        .selectAll()
        .where("destination", "=", destination)
        // As in the condition of the partial index.
        .where("settled_at", "is not", null)
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
