import type { Kysely } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import type { SchemaAge } from "../migrations/schema-age.ts";
import type { Schema } from "../schema.ts";
import type { AlertTables, inspectAlerts } from "./alert-tables.ts";
import type { StoredLooks } from "./looks.ts";

/** Reads more of the alerts. */
export type Read<R> = (tables: AlertTables) => Promise<R>;

export interface TableInspection<R> {
  /** Undefined for a damaged file or another version. */
  readonly alerts: Awaited<ReturnType<typeof inspectAlerts<R>>> | undefined;
  /** When an observation was stored last, in Unix milliseconds; undefined where none ever was. */
  readonly lastObservedAt: Milliseconds | undefined;
  readonly looks: StoredLooks | undefined;
}

/** The state of a database, read by a process that does not hold it. */
export interface DatabaseInspection<R> extends TableInspection<R> {
  /** The last migration applied; undefined for an empty database. */
  readonly schema: string | undefined;
  readonly age: SchemaAge["age"];
}

/** The inspection of tables that this version cannot read. */
export const UNREADABLE = { lastObservedAt: undefined, alerts: undefined, looks: undefined };

/** The part of an inspection that is read from the tables of a current schema. */
export async function inspectTables<R>(
  db: Kysely<Schema>,
  at: Milliseconds,
  read: Read<R>,
): Promise<TableInspection<R>> {
  const [{ inspectAlerts }, { createLookTables }] = await Promise.all([
    import("./alert-tables.ts"),
    import("./looks.ts"),
  ]);
  const row = await db
    .selectFrom("watcher_snapshots")
    .select((eb) => eb.fn.max<number | null>("at").as("at"))
    // The table also holds rows that no watcher wrote, under other names.
    .where("watcher", "=", "sources")
    .executeTakeFirst();
  return {
    lastObservedAt: row?.at ?? undefined,
    alerts: await inspectAlerts(db, at, read),
    looks: await createLookTables(db).stored(),
  };
}
