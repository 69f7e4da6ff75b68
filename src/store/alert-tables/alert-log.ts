import { type Kysely, sql } from "kysely";

import { inBatches, selectInBatches } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { AlertLog, DeliveredMessages, DeliveryRow, LogQuery, LoggedDelivery } from "./alert-tables.ts";
import { withNumbers } from "./counters.ts";
import { isOpen } from "./outbox.ts";

const LOGGED_COLUMNS = [
  "seq",
  "id",
  "destination",
  "kind",
  "phase",
  "message",
  "episode",
  "state",
  "attempts",
  "created_at",
  "attempted_at",
  "uncertain_since",
  "last_error",
  "settled_at",
] as const satisfies readonly (keyof LoggedDelivery)[];

/** Finds the log's lines by `seq`; a page then reads its own rows whole. */
export function createAlertLog(db: Kysely<Schema>): AlertLog {
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
    async add(rows) {
      await inBatches(await withNumbers(db, "decisions", rows), (batch) =>
        db.insertInto("alert_decisions").values(batch).execute(),
      );
    },
    read({ episode, destination, network, limit }) {
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
    async counts(of) {
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
    decisions: (of, take) =>
      decisions(of).select(["seq", "at"]).orderBy("seq", "desc").limit(Math.min(of.within, take)).execute(),
    outcomes: (of, take) => outcomes({ ...of, within: Math.min(of.within, take) }).execute(),
    decisionsBefore: (seq, take) =>
      db
        .selectFrom("alert_decisions")
        .selectAll()
        .$if(seq !== undefined, (query) => query.where("seq", "<", seq ?? 0))
        .orderBy("seq", "desc")
        .limit(take)
        .execute(),
    deliveriesBefore: (last, take, destination) =>
      db
        .selectFrom("alert_deliveries")
        .select(LOGGED_COLUMNS)
        .where("settled_at", "is not", null)
        .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
        .$if(last !== undefined, (query) => {
          const { seq = 0, settled_at: at = 0 } = last ?? {};
          return query
            .where("settled_at", "<=", at)
            .where((eb) => eb.or([eb("settled_at", "<", at), eb("seq", "<", seq)]));
        })
        .orderBy("settled_at", "desc")
        .orderBy("seq", "desc")
        .limit(take)
        .execute(),
    decisionsAt: (seqs) =>
      selectInBatches(seqs, (batch) =>
        db.selectFrom("alert_decisions").selectAll().where("seq", "in", batch).execute(),
      ),
    deliveriesAt: (seqs) =>
      selectInBatches(seqs, (batch) =>
        db.selectFrom("alert_deliveries").select(LOGGED_COLUMNS).where("seq", "in", batch).execute(),
      ),
  };
}

/** By `seq`, the order in which they were owed; what is critical may have been sent before what precedes it. */
export function createDeliveredMessages(db: Kysely<Schema>): DeliveredMessages {
  const sent = (destination: string, kind: DeliveryRow["kind"]) =>
    db
      .selectFrom("alert_deliveries")
      .selectAll()
      .where("destination", "=", destination)
      .where("kind", "=", kind)
      .where("state", "=", "sent")
      // As in the condition of the partial index.
      .where("settled_at", "is not", null);
  return {
    after: (destination, seq, limit) =>
      sent(destination, "message")
        .where("seq", ">", seq)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("alert_deliveries as e")
                .select("e.seq")
                .where("e.destination", "=", destination)
                .where(isOpen("e"))
                .where("e.kind", "=", "message")
                .whereRef("e.seq", "<", "alert_deliveries.seq"),
            ),
          ),
        )
        .orderBy("seq")
        .limit(limit)
        .execute(),
    async last(destination, limit) {
      return (await sent(destination, "message").orderBy("seq", "desc").limit(limit).execute()).toReversed();
    },
    async rollingEdits(destination, since, limit) {
      const rows = await sent(destination, "edit")
        .where("phase", "=", "rolling")
        .where("settled_at", ">=", since)
        .orderBy("seq", "desc")
        .limit(limit)
        .execute();
      return rows.toReversed();
    },
  };
}
