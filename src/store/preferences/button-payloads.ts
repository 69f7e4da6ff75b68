import { createHash } from "node:crypto";

import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import { inBatches, type WithDatabase } from "../queries.ts";
import type { Schema } from "../schema.ts";

/** Of more payloads, those that expire first are deleted. */
const MAX_PAYLOADS = 100_000;
/** One payload's JSON: a command line with its values, or a reply that a button shows again. */
const MAX_CHARACTERS = 262_144;
/** The size of the JSON of all payloads; of more, those that expire first are deleted. */
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;
const PRUNE_EVERY: Milliseconds = 600_000;

/** What lasts for a while: the payloads of buttons that do not fit into the buttons themselves, and what serves once. */
export function createButtonPayloads(withDatabase: WithDatabase, now: () => Milliseconds) {
  let prunedAt = -Infinity;
  const pruneNowAndThen = async (db: Kysely<Schema>, at: Milliseconds): Promise<void> => {
    if (at - prunedAt < PRUNE_EVERY) return;
    await prune(db, at);
    prunedAt = at;
  };

  return {
    /** Keeps a JSON value under a short key (at most 22 characters) until it expires. Equal values may share a key. */
    async put(value: unknown, keep: Milliseconds) {
      const json = JSON.stringify(value) as string | undefined;
      if (json === undefined) throw new TypeError("A button's payload must be a JSON value.");
      if (json.length > MAX_CHARACTERS) throw new RangeError(`A button's payload has ${json.length} characters.`);
      const at = now();
      // Half of a SHA-256 is 22 characters of base64url; equal values share a key and the later expiry.
      const key = createHash("sha256").update(json).digest().subarray(0, 16).toString("base64url");
      await withDatabase(async (db) => {
        await pruneNowAndThen(db, at);
        await db
          .insertInto("button_payloads")
          .values({ key, value: json, expires_at: at + Math.max(0, Math.trunc(keep)) })
          .onConflict((conflict) =>
            conflict
              .column("key")
              .doUpdateSet((eb) => ({ expires_at: eb.ref("excluded.expires_at") }))
              .whereRef("button_payloads.expires_at", "<", "excluded.expires_at"),
          )
          .execute();
      });
      return key;
    },

    /** Undefined when unknown or expired: the answer is then "run it again". */
    async get(key: string) {
      const row = await withDatabase((db) =>
        db
          .selectFrom("button_payloads")
          .select("value")
          .where("key", "=", key)
          .where("expires_at", ">", now())
          .executeTakeFirst(),
      );
      return row === undefined ? undefined : (JSON.parse(row.value) as unknown);
    },

    /** Notes that this was used, which may be used once and expires at `endsAt`. False where it was used before. */
    async useOnce(state: string, endsAt: Milliseconds) {
      const at = now();
      const { numInsertedOrUpdatedRows } = await withDatabase(async (db) => {
        await pruneNowAndThen(db, at);
        return db
          .insertInto("used_states")
          .values({ state, ends_at: endsAt })
          .onConflict((conflict) =>
            conflict.column("state").doUpdateSet({ ends_at: endsAt }).where("used_states.ends_at", "<=", at),
          )
          .executeTakeFirstOrThrow();
      });
      return numInsertedOrUpdatedRows === 1n;
    },
  };
}

async function prune(db: Kysely<Schema>, at: Milliseconds): Promise<void> {
  await db.deleteFrom("used_states").where("ends_at", "<=", at).execute();
  await db.deleteFrom("button_payloads").where("expires_at", "<=", at).execute();
  // Two steps, because PostgreSQL may repeat a query inside of a delete for every row.
  const beyond = db
    .selectFrom("button_payloads")
    .select("key")
    .orderBy("expires_at", "desc")
    .limit(1_000_000)
    .offset(MAX_PAYLOADS);
  await drop(db, await beyond.execute());
  const summed = db
    .selectFrom("button_payloads")
    .select((eb) => [
      "key",
      sql<number>`sum(octet_length(${eb.ref("value")})) over (order by ${eb.ref("expires_at")} desc, ${eb.ref("key")})`.as(
        "total",
      ),
    ])
    .as("summed");
  const tooMuch = db.selectFrom(summed).select("summed.key").where("summed.total", ">", MAX_TOTAL_BYTES);
  await drop(db, await tooMuch.execute());
}

function drop(db: Kysely<Schema>, rows: readonly { readonly key: string }[]): Promise<void> {
  const keys = rows.map(({ key }) => key);
  return inBatches(keys, (batch) => db.deleteFrom("button_payloads").where("key", "in", batch).execute());
}
