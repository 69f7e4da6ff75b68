import type { Kysely } from "kysely";

import { isPostgres } from "../queries.ts";
import { inSql } from "./in-sql.ts";

/**
 * What watchers saw is kept: the looks of the present hour one by one, those before it in chunks. A watcher's looks are
 * numbered beside its snapshot, so that their order does not depend on the wall clock. The oldest chunk goes first,
 * whoever's it is: one index alone is read for the sum of the sizes.
 */
export async function looks(db: Kysely<unknown>): Promise<void> {
  await inSql(`
    alter table watcher_snapshots add column looks bigint default 0 not null;
    create table looks_tail (network text not null, watcher text not null, number bigint not null, at bigint not null,
      data text not null, constraint looks_tail_key primary key (network, watcher, number));
    create table looks_chunks (network text not null, watcher text not null, first bigint not null,
      last bigint not null, first_at bigint not null, last_at bigint not null, size bigint not null,
      bytes ${isPostgres(db) ? "bytea" : "blob"} not null,
      constraint looks_chunks_key primary key (network, watcher, first));
    create index looks_chunks_age on looks_chunks (last_at, size)`)(db);
  // A chunk is packed already: PostgreSQL would try in vain.
  if (isPostgres(db)) await inSql("alter table looks_chunks alter column bytes set storage external")(db);
}
