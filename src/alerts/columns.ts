import { z } from "zod";

/** A row's fields, none of them null. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Rows as columns: what many rows say alike is written once. A value that a row lacks is null where others have one; a
 * column that all lack is left out.
 */
export const Columns = z.object({
  count: z.int().nonnegative(),
  /** Fields that have one value in all rows. */
  same: z.record(z.string(), z.unknown()),
  /** The others: a value for each row. */
  each: z.record(z.string(), z.array(z.unknown())),
});
export type Columns = z.infer<typeof Columns>;

/** `fields` are all that the rows may have; of others nothing is kept. Objects count as alike where they are the same one. */
export function toColumns(rows: readonly Row[], fields: readonly string[]): Columns {
  const same: Record<string, unknown> = {};
  const each: Record<string, unknown[]> = {};
  const [first] = rows;
  for (const field of fields) {
    const value = first?.[field];
    if (rows.some((row) => row[field] !== value)) each[field] = rows.map((row) => row[field] ?? null);
    else if (value !== undefined) same[field] = value;
  }
  return { count: rows.length, same, each };
}

export function fromColumns({ count, same, each }: Columns): Row[] {
  const columns = Object.entries(each);
  return Array.from({ length: count }, (_, index) => {
    const row: Record<string, unknown> = { ...same };
    for (const [field, values] of columns) {
      const value = values[index];
      if (value !== undefined && value !== null) row[field] = value;
    }
    return row;
  });
}
