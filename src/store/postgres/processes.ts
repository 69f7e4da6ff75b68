import { setTimeout as sleep } from "node:timers/promises";

import { type Kysely, sql } from "kysely";
import { Client } from "pg";

import type { Milliseconds } from "../../units/time.ts";
import { ALIVE_FOR, type ClockDifference, type SharedProcesses } from "../processes.ts";
import type { WithDatabase } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { Lease, LiveProcess } from "../store.ts";

/** Changes within this time are announced together. */
const NOTICE_PAUSE: Milliseconds = 20;
/** The pauses before a lost connection is opened again: the first, and the longest. */
const FIRST_PAUSE: Milliseconds = 500;
const LONGEST_PAUSE: Milliseconds = 30_000;
const CHANNEL = "bellwether";

/** Unix milliseconds of the server's clock. */
const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** The processes that are alive on a server. */
export async function liveOn(db: Kysely<Schema>): Promise<LiveProcess[]> {
  const rows = await db
    .selectFrom("processes")
    .leftJoin("leases", "leases.holder", "processes.id")
    .select(["processes.id", "leases.name", "leases.epoch"])
    .select(sql<number>`${NOW} + ${sql.lit(ALIVE_FOR)} - alive_until`.as("ago"))
    .where("alive_until", ">", NOW)
    .orderBy("processes.id")
    .orderBy("leases.name")
    .execute();
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, of]) => ({
    id,
    beatAgo: Math.max(0, of[0]?.ago ?? 0),
    duties: of.flatMap(({ name, epoch }) => (name === null || epoch === null ? [] : [{ name, epoch }])),
  }));
}

/** The processes on one server. Heartbeats and leases wait for no transaction of alerts. */
export function serverProcesses(
  url: string,
  self: string,
  clock: Pick<ClockDifference, "ask">,
  withDatabase: WithDatabase,
): SharedProcesses & { close(): Promise<void> } {
  const listeners = new Set<() => void>();
  const closing = new AbortController();
  let listening: Promise<void> | undefined;
  let noticed: NodeJS.Timeout | undefined;
  /** The last heartbeat as it was stored, and since when the database has kept each one (the server's clock). */
  let last = { until: 0, keptSince: 0 };
  /** Whether it has kept them for so long, and has the last one now: it may have gone back since. */
  const keptFor = (kept: Milliseconds) =>
    kept === 0
      ? sql<boolean>`true`
      : sql<boolean>`${last.keptSince + kept} <= ${NOW}
          and exists (select from processes where id = ${self} and alive_until = ${last.until})`;

  return {
    heartbeat: () =>
      withDatabase(async (db) => {
        const answered = clock.ask();
        const { rows } = await sql<{ live: number; now: number; before: number | null; until: number }>`
          with before as (
            select alive_until from processes where id = ${self}
          ), beat as (
            insert into processes (id, alive_until) values (${self}, ${NOW} + ${sql.lit(ALIVE_FOR)})
            on conflict (id) do update set alive_until = excluded.alive_until returning alive_until
          ), dead as (
            delete from processes where id <> ${self} and alive_until <= ${NOW}
          )
          select 1 + count(*) as live, ${NOW} as now, (select alive_until from before) as before,
            (select alive_until from beat) as until
          from processes where id <> ${self} and alive_until > ${NOW}`.execute(db);
        const [found] = rows;
        if (found === undefined) return 1;
        const { now, before, until } = found;
        answered(now);
        last = { until, keptSince: before === last.until ? last.keptSince : now };
        return found.live;
      }),

    live: () => withDatabase(liveOn),

    async leave() {
      await withDatabase(async (db) => {
        await db.updateTable("leases").set({ holder: "" }).where("holder", "=", self).execute();
        await db.deleteFrom("processes").where("id", "=", self).execute();
      });
      announce();
    },

    acquire: (name, kept = 0) =>
      withDatabase(async (db) => {
        const held = await db
          .selectFrom("leases")
          .select("epoch")
          .where((eb) => eb.and({ name, holder: self }))
          .executeTakeFirst();
        if (held !== undefined) return { name, epoch: held.epoch };
        const { rows } = await sql<{ epoch: number }>`
          insert into leases (name, holder, epoch) values (${name}, ${self}, 1)
          on conflict (name) do update set holder = excluded.holder, epoch = leases.epoch + 1
          where leases.holder = '' or leases.holder <> excluded.holder
            and ${keptFor(kept)} and not exists (
              select from processes where processes.id = leases.holder and processes.alive_until > ${NOW}
            )
          returning epoch`.execute(db);
        return rows[0] === undefined ? undefined : { name, epoch: rows[0].epoch };
      }),

    async release(name) {
      // The row is kept for its epoch, which must grow.
      await withDatabase((db) =>
        db.updateTable("leases").set({ holder: "" }).where("name", "=", name).where("holder", "=", self).execute(),
      );
    },

    announce,

    onChange(listener, signal) {
      listeners.add(listener);
      signal.addEventListener("abort", () => listeners.delete(listener), { once: true });
      listening ??= listen();
    },

    async close() {
      clearTimeout(noticed);
      closing.abort();
      await listening;
    },
  };

  /**
   * Outside of the committing transaction: a notice in it would make all commits of the database wait for each other.
   */
  function announce(): void {
    noticed ??= setTimeout(() => {
      noticed = undefined;
      if (closing.signal.aborted) return;
      // A lost notice costs a second: the other processes also read at intervals.
      withDatabase((db) => sql`select pg_notify(${CHANNEL}, ${self})`.execute(db)).catch(() => undefined);
    }, NOTICE_PAUSE);
    noticed.unref();
  }

  /** Listens on a connection of its own. No notice arrives through a pooler that gives each transaction another one. */
  async function listen(): Promise<void> {
    const { signal } = closing;
    for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const client = new Client({ connectionString: url, application_name: "bellwether listens", keepAlive: true });
      const ended = Promise.withResolvers<void>();
      client.on("error", () => ended.resolve());
      client.on("end", () => ended.resolve());
      client.on("notification", ({ payload }) => {
        if (payload !== self) for (const listener of listeners) listener();
      });
      const stop = (): void => ended.resolve();
      signal.addEventListener("abort", stop, { once: true });
      try {
        await client.connect();
        await client.query(`listen ${CHANNEL}`);
        pause = FIRST_PAUSE;
        // Notices from before this moment are lost.
        for (const listener of listeners) listener();
        await ended.promise;
      } catch {
        // The server cannot be reached: the pool reports that.
      } finally {
        signal.removeEventListener("abort", stop);
        await client.end().catch(() => undefined);
      }
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** Rejects where another process has the lease by now. Otherwise this one keeps it until the transaction ends. */
export async function holdLease(trx: Kysely<Schema>, self: string, { name, epoch }: Lease): Promise<void> {
  const held = await trx
    .selectFrom("leases")
    .select("epoch")
    .where((eb) => eb.and({ name, holder: self, epoch }))
    .forShare()
    .executeTakeFirst();
  if (held === undefined) throw new LeaseLost(name);
}

/** Another process has taken over a duty, so this one must write nothing for it. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor(lease: string) {
    super(`another process has taken over: ${lease}`);
  }
}
