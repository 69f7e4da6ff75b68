import { type Kysely, sql } from "kysely";
import { LRUCache } from "lru-cache";

import type { Milliseconds } from "../../units/time.ts";
import { atomic, inBatches, type WithDatabase } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { SeenId, SeenKind } from "../store.ts";

/** Per kind and network. */
const MAX_IDS_PER_KIND = 10_000;
/**
 * An id that is noted again sooner is not written again, so that a hundred people reading the same list cause one
 * write.
 */
const REWRITE_AFTER: Milliseconds = 10_000;
/** Longer ids are not noted, and longer labels are cut. Ids have 64 characters, and labels are short. */
const MAX_CHARACTERS = 200;

/** At most so many of the last writes are remembered. */
const MAX_RECENT_NOTES = 20_000;

/** Ids that were in replies, so that people can complete them and type their beginnings. */
export function createSeenIds(withDatabase: WithDatabase, now: () => Milliseconds) {
  // Without `max`, which would allocate memory for all of them.
  const recent = new LRUCache<string, { readonly at: Milliseconds; readonly label: string | undefined }>({
    maxSize: MAX_RECENT_NOTES,
    sizeCalculation: () => 1,
  });
  return {
    /**
     * Notes ids. Those noted last are found first, those of one call in the order given. Beyond 10,000 per network and
     * kind, the oldest are deleted. A known label is kept until a call gives another one.
     */
    async note(network: string, kind: SeenKind, ids: readonly SeenId[]) {
      const at = now();
      const keyOf = (seen: SeenId): string => `${network}\n${kind}\n${seen.id}`;
      const unwritten = normalizeIds(ids).filter((seen) => {
        const last = recent.get(keyOf(seen));
        return last === undefined || at - last.at >= REWRITE_AFTER || (seen.label ?? last.label) !== last.label;
      });
      if (unwritten.length === 0) return;
      await withDatabase((db) => atomic(db, (trx) => insert(trx, network, kind, unwritten, at)));
      for (const seen of unwritten)
        recent.set(keyOf(seen), { at, label: seen.label ?? recent.get(keyOf(seen))?.label });
    },

    /** Ids that begin with, or whose label contains, what is typed; without regard to case, newest first. */
    async find(network: string, kind: SeenKind, typed: string, limit: number) {
      const pattern = typed
        .trim()
        .toLowerCase()
        .slice(0, MAX_CHARACTERS)
        .replaceAll(/[\\%_]/gu, String.raw`\$&`);
      const rows = await withDatabase((db) =>
        db
          .selectFrom("seen_ids")
          .select(["id", "label"])
          .where((eb) => eb.and({ network, kind }))
          .where(
            sql<boolean>`(id_key like ${`${pattern}%`} escape '\\' or label_key like ${`%${pattern}%`} escape '\\')`,
          )
          .orderBy("seen_at", "desc")
          .orderBy("position")
          .limit(Math.max(0, Math.trunc(limit)))
          .execute(),
      );
      return rows.map((row) => ({ id: row.id, label: row.label ?? undefined }));
    },
  };
}

/** The first 10,000 ids, each once, none empty or overlong. */
function normalizeIds(ids: readonly SeenId[]): SeenId[] {
  const byId = new Map<string, SeenId>();
  for (const { id, label } of ids) {
    if (byId.size >= MAX_IDS_PER_KIND) break;
    if (id === "" || id.length > MAX_CHARACTERS || byId.has(id)) continue;
    const shown = label?.slice(0, MAX_CHARACTERS);
    byId.set(id, { id, label: shown === "" ? undefined : shown });
  }
  return [...byId.values()];
}

async function insert(
  trx: Kysely<Schema>,
  network: string,
  kind: SeenKind,
  ids: readonly SeenId[],
  at: Milliseconds,
): Promise<void> {
  const rows = ids.map(({ id, label }, position) => ({
    network,
    kind,
    id,
    id_key: id.toLowerCase(),
    label: label ?? null,
    label_key: label?.toLowerCase() ?? null,
    seen_at: at,
    position,
  }));
  await inBatches(rows, (batch) =>
    trx
      .insertInto("seen_ids")
      .values(batch)
      .onConflict((conflict) =>
        conflict.columns(["network", "kind", "id"]).doUpdateSet((eb) => ({
          label: eb.fn.coalesce("excluded.label", "seen_ids.label"),
          label_key: eb.fn.coalesce("excluded.label_key", "seen_ids.label_key"),
          seen_at: eb.ref("excluded.seen_at"),
          position: eb.ref("excluded.position"),
        })),
      )
      .execute(),
  );
  await prune(trx, network, kind);
}

async function prune(trx: Kysely<Schema>, network: string, kind: SeenKind): Promise<void> {
  // Two steps, because PostgreSQL may repeat a query inside of a delete for every row.
  const beyond = await trx
    .selectFrom("seen_ids")
    .select("id")
    .where((eb) => eb.and({ network, kind }))
    .orderBy("seen_at", "desc")
    .orderBy("position")
    .limit(1_000_000)
    .offset(MAX_IDS_PER_KIND)
    .execute();
  const ids = beyond.map(({ id }) => id);
  await inBatches(ids, (batch) =>
    trx
      .deleteFrom("seen_ids")
      .where((eb) => eb.and({ network, kind }))
      .where("id", "in", batch)
      .execute(),
  );
}
