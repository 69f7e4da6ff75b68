import { randomUUID } from "node:crypto";

import { type Kysely, sql } from "kysely";

/**
 * A chunk holds its deliveries and its states by columns. Earlier ones hold each row whole, or columns of another kind. What
 * happens in a halt joins its message by the network there, too. Programs that know only the earlier forms do not start.
 */
export async function chunkColumns(given: Kysely<unknown>): Promise<void> {
  const db = given as Kysely<{ alert_chunks: { seq: number; data: string } }>;
  for (const { seq, data } of await db.selectFrom("alert_chunks").select(["seq", "data"]).execute()) {
    const rows = toRows(JSON.parse(data) as StoredChunk);
    if (rows === undefined) continue;
    const { deliveries, states } = rows;
    const changed = JSON.stringify({ deliveries: toColumns(deliveries.map(withHaltKeys)), states: toColumns(states) });
    await db.updateTable("alert_chunks").set({ data: changed }).where("seq", "=", seq).execute();
  }
  await sql`insert into database_marks (name, value) values ('oldest_program', '0026-chunk-columns')
    on conflict (name) do update set value = excluded.value`.execute(db);
}

type Row = Readonly<Record<string, unknown>>;

interface StoredColumns {
  readonly count: number;
  readonly same: Row;
  readonly each: Readonly<Record<string, readonly unknown[]>>;
}

interface StoredChunk {
  readonly deliveries?: readonly Row[];
  readonly tellings?: readonly { readonly episode: string; readonly telling: Row }[];
  readonly packed?: {
    readonly deliveries: StoredColumns;
    /** Events for the messages of the day, which become messages of their own. */
    readonly rolled?: StoredColumns;
    readonly tellings: { readonly of: StoredColumns; readonly told: StoredColumns };
  };
}

/** Undefined for what is no chunk. */
function toRows({ packed, deliveries, tellings = [] }: StoredChunk) {
  if (packed === undefined) {
    const states = tellings.map(({ episode, telling }): Row => ({ episode, ...telling }));
    return deliveries && { deliveries, states };
  }
  const rolled = fromColumns(packed.rolled).map((row) => {
    return { ...row, id: randomUUID().slice(0, 23), phase: "event", quiet: true };
  });
  const told = fromColumns(packed.tellings.told);
  return {
    deliveries: [...fromColumns(packed.deliveries), ...rolled],
    states: fromColumns(packed.tellings.of).map((row, index): Row => ({ ...row, ...told[index] })),
  };
}

/** A value that a row lacks is null. */
function fromColumns({ count, same, each }: StoredColumns = { count: 0, same: {}, each: {} }): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const own = Object.entries(each).flatMap(([field, values]) => {
      const value = values[index] ?? null;
      return value === null ? [] : [[field, value] as const];
    });
    return { ...same, ...Object.fromEntries(own) };
  });
}

function toColumns(rows: readonly Row[]): StoredColumns {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const valueOf = (row: Row, field: string): unknown =>
    (field === "destination" ? keyOf(row[field]) : row[field]) ?? null;
  const each = fields.map((field) => [field, rows.map((row) => valueOf(row, field))] as const);
  return { count: rows.length, same: {}, each: Object.fromEntries(each) };
}

function keyOf(destination: unknown): unknown {
  if (typeof destination !== "object" || destination === null) return destination;
  const { platform, workspace, channel, thread } = destination as Readonly<Record<string, string>>;
  return [platform, workspace, channel, thread].map((part = "") => encodeURIComponent(part)).join("/");
}

function withHaltKeys(delivery: Row): Row {
  const keys = ["causeKey", "groupKey"].flatMap((field) => {
    const key = delivery[field];
    return typeof key === "string" && key.startsWith("story ") ? [[field, `halt ${key.split("|")[1] ?? ""}`]] : [];
  });
  return { ...delivery, ...(Object.fromEntries(keys) as Row) };
}
