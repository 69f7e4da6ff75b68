import { z } from "zod";

import type { HistoryName } from "../../../api/histories.ts";
import { DamagedRow } from "../../../errors.ts";

export { timeFromText, timeToText } from "../../../units/time.ts";

// Alerts are stored as plain JSON, in which numbers of 64 bits are decimal text.

/** An integer of any size, in decimal. */
export const IntegerText = z.string().regex(/^-?\d+$/u);
/** A point in time: Unix nanoseconds, in decimal. */
export const TimeText = IntegerText.describe("Unix nanoseconds");
/** An exact decimal number, such as `61250.5`. */
export const DecimalText = z.string().regex(/^-?\d+(?:\.\d+)?$/u);
/** A span of time in milliseconds, 0 or more. */
export const MillisField = z.number().nonnegative();
/** For another schema to check. */
export const AnyJson = z.unknown();
/** The name of a list of the network. */
export const HistoryField = z.enum(["checkpoints", "snapshots", "rotations"] satisfies HistoryName[]);

/** The JSON in a stored row. Throws DamagedRow where it is none, or has another shape. */
export function parseRow<T>(schema: z.ZodType<T>, data: string, ...[table, key]: RowName): T {
  const json = parseJson(data);
  if (json === undefined) throw new DamagedRow(table, key, "it is no whole JSON");
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new DamagedRow(table, key, "its JSON has a shape that this version does not know");
  return parsed.data;
}

type RowName = [table: ConstructorParameters<typeof DamagedRow>[0], key: Readonly<Record<string, string>>];

/** Undefined for what is no JSON. */
export function parseJson(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}
