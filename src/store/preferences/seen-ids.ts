import { type Kysely, sql } from "kysely";
import type { LRUCache } from "lru-cache";

import type { Milliseconds } from "../../units/duration.ts";
import { atomically, inBatches, type WithDatabase } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { SeenId, SeenIds, SeenKind } from "../store.ts";

/** How many ids of one kind and network are kept. */
const MAX_IDS_PER_KIND = 10_000;
/** What was noted this recently is not written again: a hundred people reading the same list are one write. */
const REWRITE_AFTER: Milliseconds = 10_000;
/** Ids are 64 characters and labels short; whatever a node sends, a row stays small. */
const MAX_CHARACTERS = 200;

/** What was written of an id last. */
export interface RecentNote {
  readonly at: Milliseconds;
  readonly label: string | undefined;
}

/** Of how many ids that is remembered. */
export const MAX_RECENT_NOTES = 20_000;

/** `noted` keeps ids from being written again at once; without it (in a transaction, which may fail) all are written. */
export function createSeenIds(
  use: WithDatabase,
  now: () => Milliseconds,
  noted?: LRUCache<string, RecentNote>,
): SeenIds {
  return {
    async note(network, kind, ids) {
      const at = now();
      const keyOf = (seen: SeenId): string => `${network}\n${kind}\n${seen.id}`;
      const news = normalizeIds(ids).filter((seen) => {
        const last = noted?.get(keyOf(seen));
        return last === undefined || at - last.at >= REWRITE_AFTER || (seen.label ?? last.label) !== last.label;
      });
      if (news.length === 0) return;
      await use((db) => atomically(db, (trx) => insert(trx, network, kind, news, at)));
      for (const seen of news) noted?.set(keyOf(seen), { at, label: seen.label ?? noted.get(keyOf(seen))?.label });
    },

    async find(network, kind, typed, limit) {
      const pattern = typed
        .trim()
        .toLowerCase()
        .slice(0, MAX_CHARACTERS)
        .replaceAll(/[\\%_]/gu, String.raw`\$&`);
      const rows = await use((db) =>
        db
          .selectFrom("seen_ids")
          .select(["id", "label"])
          .where("network", "=", network)
          .where("kind", "=", kind)
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

/** Each id once, the first 10,000 of them, none empty, none overlong. */
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
  await inBatches(rows, (piece) =>
    trx
      .insertInto("seen_ids")
      .values(piece)
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
  const beyond = trx
    .selectFrom("seen_ids")
    .select("id")
    .where("network", "=", network)
    .where("kind", "=", kind)
    .orderBy("seen_at", "desc")
    .orderBy("position")
    .limit(1_000_000)
    .offset(MAX_IDS_PER_KIND);
  await trx
    .deleteFrom("seen_ids")
    .where("network", "=", network)
    .where("kind", "=", kind)
    .where("id", "in", beyond)
    .execute();
}
