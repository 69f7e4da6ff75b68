import { type Kysely, type RawBuilder, sql } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import { inBatches, lastNumber, REPEATS_UNTIL, rowsOf, selectInBatches, withNumbers } from "../queries.ts";
import type { Schema } from "../schema.ts";
import { createAttempts } from "./attempts.ts";
import type { DeliveryChange, DeliveryState, NewDeliveryRow } from "./alert-rows.ts";
import { ACCOMPANIED, type Deliveries, isNext, isOpen, needs } from "./conditions.ts";
import { createJoins, createMessages } from "./messages.ts";

/** What people have asked for, or what operators must know, is not planned again. */
const ASKED_FOR: ReadonlySet<string> = new Set(["bot", "export", "copy"]);

/** Deliveries with their messages and receipts. */
export function createOutbox(db: Kysely<Schema>) {
  const all = () => db.selectFrom("alert_deliveries").selectAll();
  const owed = () => all().where("state", "=", sql.lit("owed")).where(isOpen("alert_deliveries"));
  const changing = () => db.updateTable("alert_deliveries");
  /** Whether a delivery needs none of the tokens of these keys: one parameter for any number of them. */
  const needsNone = (table: Deliveries, tokens: readonly string[]) =>
    sql<boolean>`not exists (
      select 1 from ${rowsOf(db, tokens)} as token
      where substr(${sql.ref(`${table}.destination`)}, 1, length(token.value) + 1) = token.value || '/'
    )`;
  const change = (ids: readonly string[], to: DeliveryChange) =>
    inBatches(ids, (batch) => changing().set(to).where("id", "in", batch).execute());
  /** Changes when owed deliveries are due. */
  const dueAt = (run_at: Milliseconds | RawBuilder<number>) =>
    changing().set({ run_at }).where("state", "=", sql.lit("owed")).where(isOpen("alert_deliveries"));
  /** Until when what is planned may have been told before; 0 where the database never went back. */
  const repeatsUntil = () => lastNumber(db, REPEATS_UNTIL);
  return {
    repeatsUntil,
    ...createAttempts(db),
    ...createMessages(db),
    ...createJoins(db),
    /** In the order given, behind all deliveries there are. What is there already is not owed twice. */
    async add(rows: readonly NewDeliveryRow[]) {
      const unsent = {
        state: "owed",
        revision: 0,
        shown: null,
        join_key: null,
        open_until: null,
        attempts: 0,
        attempted_at: null,
        claimed_by: null,
        interruptions: 0,
        last_error: null,
        settled_at: null,
      } as const;
      const [numbered, until] = await Promise.all([
        withNumbers(db, "deliveries", rows),
        rows.length === 0 ? 0 : repeatsUntil(),
      ]);
      const owed = numbered.map((row) => ({
        ...unsent,
        ...row,
        owed_at: row.state === "held" ? row.run_at : row.created_at,
        // Nobody knows when it was sent, nor whether as the same delivery: no platform can be relied on to drop it.
        uncertain_since: row.created_at < until && !ASKED_FOR.has(row.phase) ? 0 : null,
      }));
      await inBatches(owed, (batch) =>
        db
          .insertInto("alert_deliveries")
          .values(batch)
          .onConflict((conflict) => conflict.column("id").doNothing())
          .execute(),
      );
    },
    /**
     * Deliveries that may be sent now, the most urgent first: of each destination the first one, none where one is being
     * sent. What overtakes waits for neither. `token` is a platform's id, with a slash and a workspace one workspace's key.
     * None needs the tokens of `tokens`, and what was tried before goes to none of `destinations`.
     */
    due: (
      token: string,
      at: Milliseconds,
      limit: number,
      { tokens = [], destinations = [] }: { tokens?: readonly string[]; destinations?: readonly string[] } = {},
    ) =>
      db
        .selectFrom("alert_deliveries as d")
        .selectAll("d")
        .select(ACCOMPANIED.as("accompanied"))
        .where("d.state", "=", sql.lit("owed"))
        .where(isOpen("d"))
        .where(needs("d", token))
        .$if(tokens.length > 0, (query) => query.where(needsNone("d", tokens)))
        .$if(destinations.length > 0, (query) =>
          query.where(sql<boolean>`(d.attempts = 0 or d.destination not in ${rowsOf(db, destinations)})`),
        )
        .where("d.run_at", "<=", at)
        .where(isNext(at))
        .orderBy("d.urgency", "desc")
        .orderBy("d.seq")
        .limit(limit)
        .execute(),
    /** When the next delivery becomes due. */
    async nextRunAt(platforms: readonly string[], after: Milliseconds) {
      if (platforms.length === 0) return undefined;
      const row = await db
        .selectFrom("alert_deliveries")
        .select((eb) => eb.fn.min("run_at").as("at"))
        .where("state", "=", sql.lit("owed"))
        .where(isOpen("alert_deliveries"))
        .where("platform", "in", platforms)
        .where("run_at", ">", after)
        .executeTakeFirst();
      return row?.at ?? undefined;
    },
    /** In no order. */
    get: (ids: readonly string[]) => selectInBatches(ids, (batch) => all().where("id", "in", batch).execute()),
    /** All deliveries whose messages say an episode, in order; to one destination where it is named. */
    ofEpisode: (episode: string, destination?: string) =>
      all()
        .where((eb) =>
          eb.or([
            eb("episode", "=", episode),
            eb("id", "in", db.selectFrom("alert_items").select("delivery").where("episode", "=", episode)),
          ]),
        )
        .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
        .orderBy("seq")
        .execute(),
    /** Whether a trigger of any of these episodes is still owed. */
    hasOwedTriggers: async (episodes: readonly string[]) =>
      (
        await selectInBatches(episodes, (batch) =>
          db
            .selectFrom("alert_deliveries")
            .select("seq")
            .where("episode", "in", batch)
            .where("phase", "=", "trigger")
            .where("state", "=", sql.lit("owed"))
            .limit(1)
            .execute(),
        )
      ).length > 0,
    /** Deliveries to a destination that are owed or being sent, in order. */
    openOf: (destination: string) =>
      all().where("destination", "=", destination).where(isOpen("alert_deliveries")).orderBy("seq").execute(),
    /** Finished deliveries, newest first; to one destination where it is named. */
    finished: (limit: number, destination?: string) =>
      all()
        .where("settled_at", "is not", null)
        .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
        .orderBy("settled_at", "desc")
        .orderBy("seq", "desc")
        .limit(limit)
        .execute(),
    /**
     * Changes what deliveries say: what was sent is owed again, as an edit, which is due at that moment; also where only
     * its files are owed.
     */
    revise: (
      ids: readonly string[],
      to: Pick<DeliveryChange, "message" | "data" | "open_until" | "urgency">,
      at: Milliseconds,
      due: Milliseconds,
      by = 1,
    ) =>
      inBatches(ids, (batch) =>
        changing()
          .set((eb) => {
            const ifSent = <T>(value: T, column: "state" | "attempts" | "run_at" | "owed_at") =>
              sql<T>`case when state = 'sent' or (state = 'owed' and shown = revision) then ${value}
                else ${eb.ref(column)} end`;
            return {
              ...to,
              revision: eb("revision", "+", by),
              state: ifSent<DeliveryState>("owed", "state"),
              attempts: ifSent(0, "attempts"),
              run_at: ifSent(due, "run_at"),
              owed_at: ifSent(at, "owed_at"),
            };
          })
          .where("id", "in", batch)
          .execute(),
      ),
    update: (id: string, to: DeliveryChange) => change([id], to),
    /** The same change of several. */
    updateAll: change,
    remove: (id: string) => db.deleteFrom("alert_deliveries").where("id", "=", id).execute(),
    /** Sends nothing to a destination before that moment. */
    postpone: (destination: string, until: Milliseconds) =>
      dueAt(until).where("destination", "=", destination).where("run_at", "<", until).execute(),
    /** Makes deliveries due that would be due only after another moment. */
    hasten: (after: Milliseconds, at: Milliseconds) => dueAt(at).where("run_at", ">", after).execute(),
    /** Moves deliveries that are due after that moment forward. */
    bringForward: (by: Milliseconds, after: Milliseconds) =>
      dueAt(sql<number>`run_at - ${by}`)
        .where("run_at", ">", after)
        .execute(),
    /** Deliveries owed since before that moment, except on some platforms, or of one token's key. */
    overdue: (
      before: Milliseconds,
      limit: number,
      { except = [], token }: { readonly except?: readonly string[]; readonly token?: string } = {},
    ) =>
      owed()
        .where("owed_at", "<", before)
        .$if(except.length > 0, (query) => query.where("platform", "not in", except))
        .$if(token !== undefined, (query) => query.where(needs("alert_deliveries", token ?? "")))
        .orderBy("seq")
        .limit(limit)
        .execute(),
    /** Deliveries of the key of a token or a destination, owed and not being sent, in order. */
    owedOn: (key: string) => owed().where(needs("alert_deliveries", key)).orderBy("seq").execute(),
    /** How many messages of such a key are unsent. */
    async countUnsent(key: string) {
      const unsent = db.selectFrom("alert_deliveries").where(isOpen("alert_deliveries")).where("shown", "is", null);
      const counted = unsent.where(needs("alert_deliveries", key)).select((eb) => eb.fn.countAll<number>().as("count"));
      return (await counted.executeTakeFirstOrThrow()).count;
    },
    /** Messages, without edits, of such a key that were dead-lettered since that moment, by destination. */
    countDeadLetters: (key: string, since: Milliseconds) =>
      db
        .selectFrom("alert_deliveries")
        .select((eb) => ["destination", eb.fn.countAll<number>().as("count")])
        .where("settled_at", ">=", since)
        .where("state", "=", sql.lit("dead"))
        .where(needs("alert_deliveries", key))
        .groupBy("destination")
        .orderBy("destination")
        .execute(),
    /**
     * The number of owed deliveries and the age of the oldest, by platform; those in chunks are counted, too. Without
     * those to some destinations, or that need some workspaces' tokens, by key; of one workspace's token, those that need it
     * and are in no chunk.
     */
    depth: ({ except = [], token }: { readonly except?: readonly string[]; readonly token?: string } = {}) =>
      db
        .selectFrom((eb) =>
          eb
            .selectFrom("alert_deliveries")
            .select((of) => ["platform", of.lit<number>(1).as("owed"), "owed_at as created_at"])
            .where(isOpen("alert_deliveries"))
            // As one parameter: there may be thousands of them. A workspace's key is the beginning of its destinations'.
            .$if(except.length > 0, (query) =>
              query.where(
                sql<boolean>`destination not in ${rowsOf(db, except)} and ${needsNone("alert_deliveries", except)}`,
              ),
            )
            .$if(token !== undefined, (query) => query.where(needs("alert_deliveries", token ?? "")))
            .$if(token === undefined, (query) =>
              query.unionAll(eb.selectFrom("alert_chunks").select(["platform", "owed", "created_at"])),
            )
            .as("open"),
        )
        .select((eb) => [
          "platform",
          eb.fn.sum<number>("owed").as("owed"),
          eb.fn.min<number>("created_at").as("oldest"),
        ])
        .groupBy("platform")
        .execute(),
  };
}
