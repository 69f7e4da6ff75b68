import { CompiledQuery, type Insertable, type Kysely, sql } from "kysely";

import type { Milliseconds, Stretch } from "../../units/time.ts";
import { isPostgres } from "../queries.ts";
import type { Schema } from "../schema.ts";

/** A look that is not packed yet. */
export interface TailRow {
  readonly network: string;
  readonly watcher: string;
  /** Counts the looks of the watcher, from 1. */
  readonly number: number;
  /** Unix milliseconds, as are the others. */
  readonly at: Milliseconds;
  /** JSON. */
  readonly data: string;
}

/** Looks of one watcher that are packed together. */
export interface LooksChunkRow {
  readonly network: string;
  readonly watcher: string;
  /** The numbers of its first and last look, and the times between which all of them were. */
  readonly first: number;
  readonly last: number;
  readonly first_at: Milliseconds;
  readonly last_at: Milliseconds;
  /** The number of bytes. */
  readonly size: number;
  readonly bytes: Uint8Array;
}

/** The looks of one watcher at one network. */
export interface LooksOf {
  readonly network: string;
  readonly watcher: string;
}

/** Looks of a range, with both its ends. */
export interface LooksQuery extends LooksOf, Stretch {
  /** Those after the look of this number. */
  readonly after: number;
  /** So many rows at most. */
  readonly limit: number;
}

/** What all chunks take, and when the oldest look in them was; undefined where there is none. */
export interface StoredLooks {
  readonly bytes: number;
  readonly oldest: Milliseconds | undefined;
}

export type LookTables = ReturnType<typeof createLookTables>;

/** A chunk as it is found when the oldest are looked for. */
type OldChunk = Pick<LooksChunkRow, "network" | "watcher" | "first" | "last_at" | "size">;

/** To delete the rows of an hour at once would hold the event loop for some milliseconds. */
const DELETED_AT_ONCE = 100;

/** What watchers saw: the looks that are not packed yet, and the chunks of those before. */
export function createLookTables(db: Kysely<Schema>) {
  const tailOf = ({ network, watcher }: LooksOf, limit: number, after: number) =>
    db
      .selectFrom("looks_tail")
      .selectAll()
      .where((eb) => eb.and({ network, watcher }))
      .where("number", ">", after)
      .orderBy("number")
      .limit(limit);
  return {
    /** The watchers that have looks from before that moment in the tail. */
    unpacked: (network: string, before: Milliseconds) =>
      db
        .selectFrom("looks_tail")
        .select("watcher")
        .distinct()
        .where("network", "=", network)
        .where("at", "<", before)
        .orderBy("watcher")
        .execute(),
    /** The first rows of the tail after the look of a number, in their order. */
    tail: (of: LooksOf, limit: number, after = 0): Promise<TailRow[]> => tailOf(of, limit, after).execute(),
    /**
     * Puts a chunk into the place of the rows of the tail that it holds; left out, those are only deleted. Gives way to
     * `pause` now and then.
     */
    async pack(
      of: LooksOf,
      numbers: readonly number[],
      chunk?: Pick<LooksChunkRow, "first_at" | "last_at" | "bytes">,
      pause?: () => Promise<void>,
    ) {
      const [first, last] = [numbers[0], numbers.at(-1)];
      if (first === undefined || last === undefined) return;
      if (chunk !== undefined) {
        const row: Insertable<LooksChunkRow> = { ...of, first, last, size: chunk.bytes.length, ...chunk };
        await db.insertInto("looks_chunks").values(row).execute();
      }
      for (let from = first; from <= last; from += DELETED_AT_ONCE) {
        await db
          .deleteFrom("looks_tail")
          .where((eb) => eb.and({ network: of.network, watcher: of.watcher }))
          .where("number", ">=", from)
          .where("number", "<=", Math.min(last, from + DELETED_AT_ONCE - 1))
          .execute();
        await pause?.();
      }
    },
    /** Chunks with looks of a range, in their order. */
    packed: ({ network, watcher, after, from, to, limit }: LooksQuery): Promise<LooksChunkRow[]> =>
      db
        .selectFrom("looks_chunks")
        .selectAll()
        .where((eb) => eb.and({ network, watcher }))
        .where("first", ">", after)
        .where("last_at", ">=", from)
        .where("first_at", "<=", to)
        .orderBy("first")
        .limit(limit)
        .execute(),
    /** Looks of a range that are not packed, in their order. */
    tailBetween: ({ after, from, to, limit, ...of }: LooksQuery): Promise<TailRow[]> =>
      tailOf(of, limit, after).where("at", ">=", from).where("at", "<=", to).execute(),
    /** How many bytes all chunks have, and when the oldest look in them was. */
    async stored(): Promise<StoredLooks> {
      const { bytes, oldest } = await db
        .selectFrom("looks_chunks")
        .select((eb) => [
          eb.fn.sum<number | string | null>("size").as("bytes"),
          eb.fn.min<number | null>("last_at").as("oldest"),
        ])
        .executeTakeFirstOrThrow();
      return { bytes: Number(bytes ?? 0), oldest: oldest ?? undefined };
    },
    /** How many bytes the looks have that are not packed, of all watchers. */
    async tailBytes(): Promise<number> {
      const { bytes } = await db
        .selectFrom("looks_tail")
        .select(sql<number | string | null>`sum(octet_length(data))`.as("bytes"))
        .executeTakeFirstOrThrow();
      return Number(bytes ?? 0);
    },
    /** The oldest chunks of all watchers. */
    oldest: (limit: number): Promise<OldChunk[]> =>
      db
        .selectFrom("looks_chunks")
        .select(["network", "watcher", "first", "last_at", "size"])
        .orderBy("last_at")
        .orderBy("first")
        .limit(limit)
        .execute(),
    async drop({ network, watcher, first }: Pick<LooksChunkRow, "network" | "watcher" | "first">) {
      await db
        .deleteFrom("looks_chunks")
        .where((eb) => eb.and({ network, watcher, first }))
        .execute();
    },
  };
}

/** Puts a watcher's snapshot, and its look with the next number: on a server in one statement. */
export async function putWithLook(
  db: Kysely<Schema>,
  { network, watcher, at, data }: LooksOf & { readonly at: Milliseconds; readonly data: string },
  look: string,
): Promise<void> {
  if (isPostgres(db)) {
    await sql`with counted as (
      insert into watcher_snapshots (network, watcher, at, data, looks)
      values (${network}::text, ${watcher}::text, ${at}::bigint, ${data}::text, 1)
      on conflict (network, watcher) do update
      set at = excluded.at, data = excluded.data, looks = watcher_snapshots.looks + 1 returning looks
    )
    insert into looks_tail (network, watcher, number, at, data)
    select ${network}::text, ${watcher}::text, looks, ${at}::bigint, ${look}::text from counted`.execute(db);
    return;
  }
  const counted = CompiledQuery.raw(COUNT_LOOK, [network, watcher, at, data]);
  const [row] = (await db.executeQuery<Pick<Schema["watcher_snapshots"], "looks">>(counted)).rows;
  await db.executeQuery(CompiledQuery.raw(ADD_LOOK, [network, watcher, row?.looks, at, look]));
}

// Every look is written by these two: to build them anew each time would take as long as to run them.
const COUNT_LOOK = `insert into watcher_snapshots (network, watcher, at, data, looks) values (?, ?, ?, ?, 1)
on conflict (network, watcher) do update set at = excluded.at, data = excluded.data, looks = looks + 1 returning looks`;
const ADD_LOOK = `insert into looks_tail (network, watcher, number, at, data) values (?, ?, ?, ?, ?)`;
