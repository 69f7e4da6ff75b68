import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import { inBatches, rowsOf, selectInBatches, withNumbers } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { DeliveryChange, NewDeliveryRow } from "./alert-rows.ts";
import { createMessages } from "./messages.ts";

/** Written exactly like the partial indexes: otherwise no engine uses them. */
export function isOpen(table: "d" | "e" | "o" | "alert_deliveries") {
  return sql<boolean>`${sql.ref(`${table}.state`)} in ('owed', 'sending')`;
}

/**
 * No delivery to its destination goes before it. Urgency 2 overtakes all that is owed there but other deliveries of
 * urgency 2. An edit that is not due yet, or shows a state, holds up no message; one that tells of more does. The edit
 * that shows a state comes after every message that is owed there. (As SQL: every claim asks this, and to build it of
 * parts takes many times as long as to run it.)
 */
function isNext(at: Milliseconds) {
  return sql<boolean>`not exists (
    select e.seq from alert_deliveries as e
    where e.destination = d.destination and ${isOpen("e")} and e.seq != d.seq and (
      (
        (d.urgency < 2 or e.urgency = 2) and (
          e.state = 'sending' or (
            (e.seq < d.seq or (d.urgency < 2 and e.urgency = 2))
            and (e.kind = 'message' or e.phase = 'group' or (e.run_at <= ${at} and e.phase != 'state'))
          )
        )
      )
      or (d.phase = 'state' and e.kind = 'message')
    )
  )`;
}

/**
 * 1 where its destination is owed another delivery, or has one of its group: it may say others. 0 where it is neither of
 * an episode nor of a group.
 */
const ACCOMPANIED = sql<0 | 1>`case
  when d.episode is null and d.group_key is null then 0
  when exists (
    select 1 from alert_deliveries as o
    where o.destination = d.destination and o.id != d.id and o.state = 'owed' and ${isOpen("o")}
  ) then 1
  when d.group_key is not null and exists (
    select 1 from alert_deliveries as o
    where o.destination = d.destination and o.id != d.id and o.group_key is not null and o.group_key = d.group_key
  ) then 1
  else 0
end`;

type Deliveries = "d" | "alert_deliveries";

/** Whether a delivery needs the token of this key: a platform's id, or with a slash and a workspace, that workspace's. */
function needs(table: Deliveries, token: string) {
  const [platform = ""] = token.split("/");
  const isThere = sql<boolean>`${sql.ref(`${table}.platform`)} = ${platform}`;
  if (token === platform) return isThere;
  // Keys of destinations begin with their token's and a slash; all are encoded, in ASCII.
  return sql<boolean>`${isThere} and substr(${sql.ref(`${table}.destination`)}, 1, ${token.length + 1}) = ${`${token}/`}`;
}

/** Deliveries with their messages and receipts. */
export function createOutbox(db: Kysely<Schema>) {
  const all = () => db.selectFrom("alert_deliveries").selectAll();
  const owed = () => all().where("state", "=", "owed").where(isOpen("alert_deliveries"));
  const changing = () => db.updateTable("alert_deliveries");
  /** Whether a delivery needs none of the tokens of these keys: one parameter for any number of them. */
  const needsNone = (table: Deliveries, tokens: readonly string[]) =>
    sql<boolean>`not exists (
      select 1 from ${rowsOf(db, tokens)} as token
      where substr(${sql.ref(`${table}.destination`)}, 1, length(token.value) + 1) = token.value || '/'
    )`;
  const change = (ids: readonly string[], to: DeliveryChange) =>
    inBatches(ids, (batch) => changing().set(to).where("id", "in", batch).execute());
  return {
    ...createMessages(db),
    /** In the order given, behind all deliveries there are. */
    async add(rows: readonly NewDeliveryRow[]) {
      const unsent = {
        state: "owed",
        attempts: 0,
        attempted_at: null,
        claimed_by: null,
        uncertain_since: null,
        last_error: null,
        settled_at: null,
        said_by: null,
      } as const;
      const owed = rows.map((row) => ({ ...row, ...unsent, group_key: row.group_key ?? null }));
      await inBatches(await withNumbers(db, "deliveries", owed), (batch) =>
        db.insertInto("alert_deliveries").values(batch).execute(),
      );
    },
    /**
     * Deliveries that may be sent now, the most urgent first: of each destination the first one, none where one is being
     * sent. What overtakes waits for neither. `token` is a platform's id, with a slash and a workspace one workspace's key;
     * `except` are workspaces' keys.
     */
    due: (token: string, at: Milliseconds, limit: number, except: readonly string[] = []) =>
      db
        .selectFrom("alert_deliveries as d")
        .selectAll("d")
        .select(ACCOMPANIED.as("accompanied"))
        .where("d.state", "=", "owed")
        .where(isOpen("d"))
        .where(needs("d", token))
        .$if(except.length > 0, (query) => query.where(needsNone("d", except)))
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
        .where("state", "=", "owed")
        .where(isOpen("alert_deliveries"))
        .where("platform", "in", platforms)
        .where("run_at", ">", after)
        .executeTakeFirst();
      return row?.at ?? undefined;
    },
    /** In no order. */
    get: (ids: readonly string[]) => selectInBatches(ids, (batch) => all().where("id", "in", batch).execute()),
    /** All deliveries of an episode, in order; to one destination where it is named. */
    ofEpisode: (episode: string, destination?: string) =>
      all()
        .where("episode", "=", episode)
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
            .where("state", "=", "owed")
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
    /** The messages of a group to a destination that are certainly unsent, or arrived and are no older, in order. */
    inGroup: (destination: string, key: string, since: Milliseconds) =>
      all()
        .where("destination", "=", destination)
        .where("group_key", "=", key)
        .where("kind", "=", "message")
        .where((eb) =>
          eb.or([
            eb.and([eb("state", "=", "owed"), eb("uncertain_since", "is", null)]),
            eb.and([eb("state", "=", "sent"), eb("created_at", ">=", since)]),
          ]),
        )
        .orderBy("seq")
        .execute(),
    /** The deliveries that one says beside itself, in order. */
    saidBy: (id: string) => all().where("said_by", "=", id).orderBy("seq").execute(),
    /** Those of these deliveries that another one says, and which that is, where it is still stored. */
    carriersOf: async (ids: readonly string[]) => {
      const rows = await selectInBatches(ids, (batch) =>
        db
          .selectFrom("alert_deliveries as d")
          .innerJoin("alert_deliveries as s", "s.id", "d.said_by")
          .select(["d.id", "s.id as carrier"])
          .where("d.id", "in", batch)
          .execute(),
      );
      return new Map(rows.map(({ id, carrier }) => [id, carrier]));
    },
    /** The certainly unsent messages and edits of some episodes to a destination, in order. */
    owedOf: async (episodes: readonly string[], destination: string) => {
      const rows = await selectInBatches(episodes, (batch) =>
        all()
          .where("episode", "in", batch)
          .where("destination", "=", destination)
          .where("state", "=", "owed")
          .where("uncertain_since", "is", null)
          .execute(),
      );
      return rows.toSorted((a, b) => a.seq - b.seq);
    },
    /** The owed edits of a message. */
    owedEdits: (targets: readonly string[]) =>
      selectInBatches(targets, (batch) => owed().where("target", "in", batch).orderBy("seq").execute()),
    update: (id: string, to: DeliveryChange) => change([id], to),
    /** The same change of several. */
    updateAll: change,
    /** Marks deliveries as being sent by a process and counts the attempt. */
    beginAttempts: (ids: readonly string[], at: Milliseconds, process: string) =>
      inBatches(ids, (batch) =>
        changing()
          .set((eb) => ({
            state: "sending",
            attempts: eb("attempts", "+", 1),
            attempted_at: at,
            claimed_by: process,
          }))
          .where("id", "in", batch)
          .execute(),
      ),
    /** Those of these deliveries that this process claimed last, with the number of its attempt. */
    claimedBy: async (process: string, ids: readonly string[]) => {
      const rows = await selectInBatches(ids, (batch) =>
        db
          .selectFrom("alert_deliveries")
          .select(["id", "attempts"])
          .where("id", "in", batch)
          .where("claimed_by", "=", process)
          .execute(),
      );
      return new Map(rows.map(({ id, attempts }) => [id, attempts]));
    },
    markSent: (ids: readonly string[], at: Milliseconds) =>
      change(ids, { state: "sent", settled_at: at, last_error: null }),
    /** Sends nothing to a destination before that moment. */
    async postpone(destination: string, until: Milliseconds) {
      await changing()
        .set({ run_at: until })
        .where("destination", "=", destination)
        .where("state", "=", "owed")
        .where(isOpen("alert_deliveries"))
        .where("run_at", "<", until)
        .execute();
    },
    /** Moves deliveries that are due after that moment forward. */
    async bringForward(by: Milliseconds, after: Milliseconds) {
      await changing()
        .set((eb) => ({ run_at: eb("run_at", "-", by) }))
        .where("state", "=", "owed")
        .where(isOpen("alert_deliveries"))
        .where("run_at", ">", after)
        .execute();
    },
    /**
     * Owes deliveries again, marked as uncertain, that a process was sending which lives no more, or this one (`self`)
     * without knowing; returns them.
     */
    async recover(self: string, known: readonly string[]) {
      const sending = await db
        .selectFrom("alert_deliveries")
        .select(["id", "claimed_by"])
        .where("state", "=", "sending")
        .where(isOpen("alert_deliveries"))
        .where((eb) =>
          eb.or([
            eb("claimed_by", "is", null),
            eb("claimed_by", "=", self),
            eb("claimed_by", "not in", eb.selectFrom("processes").select("processes.id")),
          ]),
        )
        .execute();
      const left = sending.filter((one) => one.claimed_by !== self || !known.includes(one.id)).map(({ id }) => id);
      await inBatches(left, (batch) =>
        changing()
          .set({ state: "owed", uncertain_since: sql<number>`coalesce(uncertain_since, attempted_at, created_at)` })
          .where("id", "in", batch)
          .execute(),
      );
      return selectInBatches(left, (batch) => all().where("id", "in", batch).orderBy("seq").execute());
    },
    /** Deliveries owed since before that moment, except on some platforms, or of one token's key. */
    overdue: (
      before: Milliseconds,
      limit: number,
      where: { readonly except: readonly string[] } | { readonly token: string } = { except: [] },
    ) =>
      owed()
        .where("created_at", "<", before)
        .$if("except" in where && where.except.length > 0, (query) =>
          query.where("platform", "not in", "except" in where ? where.except : []),
        )
        .$if("token" in where, (query) => query.where(needs("alert_deliveries", "token" in where ? where.token : "")))
        .orderBy("seq")
        .limit(limit)
        .execute(),
    /** Deliveries of a token's key, owed and not being sent, in order. */
    owedOn: (token: string) => owed().where(needs("alert_deliveries", token)).orderBy("seq").execute(),
    deadLetter: (ids: readonly string[], at: Milliseconds, why: string) =>
      change(ids, { state: "dead", settled_at: at, last_error: why }),
    /** Messages, without edits, of a token's key, dead-lettered since that moment, by destination. */
    countDeadLetters: (token: string, since: Milliseconds) =>
      db
        .selectFrom("alert_deliveries")
        .select((eb) => ["destination", eb.fn.countAll<number>().as("count")])
        .where("settled_at", ">=", since)
        .where("state", "=", "dead")
        .where("kind", "=", "message")
        .where(needs("alert_deliveries", token))
        .groupBy("destination")
        .orderBy("destination")
        .execute(),
    /**
     * The number of owed deliveries and the age of the oldest, by platform; those in chunks are counted, too. Without
     * those to some destinations, or that need some workspaces' tokens, by key.
     */
    depth: (except: readonly string[] = []) =>
      db
        .selectFrom((eb) =>
          eb
            .selectFrom("alert_deliveries")
            .select((of) => ["platform", of.lit<number>(1).as("owed"), "created_at"])
            .where(isOpen("alert_deliveries"))
            // As one parameter: there may be thousands of them. A workspace's key is the beginning of its destinations'.
            .$if(except.length > 0, (query) =>
              query.where(
                sql<boolean>`destination not in ${rowsOf(db, except)} and ${needsNone("alert_deliveries", except)}`,
              ),
            )
            .unionAll(eb.selectFrom("alert_chunks").select(["platform", "owed", "created_at"]))
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
