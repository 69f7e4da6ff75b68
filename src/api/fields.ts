import { z } from "zod";

import { parseDecimal, type Decimal } from "../units/decimal.ts";
import { fromSeconds, nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";

// The fields of the interface. All tolerate an absent field, null and "" as "not there" (undefined),
// since real nodes leave out what is unset.

/** An integer of any size: a JSON string of digits, or a JSON number where that is exact. */
export const bigintField = z
  .union([z.string().regex(/^[+-]?\d+$|^$/u, "expected an integer in decimal"), z.int(), z.null()])
  .optional()
  .transform((value): bigint | undefined =>
    value === undefined || value === null || value === "" ? undefined : BigInt(value),
  );

/** A decimal fraction as a string. */
export const decimalField = z
  .union([z.string(), z.null()])
  .optional()
  .transform((value, context): Decimal | undefined => {
    if (value === undefined || value === null || value === "") return undefined;
    const parsed = parseDecimal(value);
    if (parsed === undefined) context.addIssue("expected a decimal number");
    return parsed;
  });

/** Unix nanoseconds; zero, negative and "" are how nodes say "not set". */
export const timeField = bigintField.transform((value): Nanoseconds | undefined =>
  value === undefined || value <= 0n ? undefined : nanoseconds(value),
);

/** Unix seconds; zero, negative and "" are how nodes say "not set". */
export const secondsField = bigintField.transform((value): Nanoseconds | undefined =>
  value === undefined || value <= 0n ? undefined : fromSeconds(value),
);

/** Text, an enum's name included: unknown ones pass through. */
export const textField = z
  .union([z.string(), z.null()])
  .optional()
  .transform((value): string | undefined => (value === null || value === "" ? undefined : value));

export const flagField = z
  .union([z.boolean(), z.null()])
  .optional()
  .transform((value): boolean | undefined => value ?? undefined);

/** A list; absent or null is an empty one. */
export function listField<T extends z.ZodType>(item: T) {
  return z
    .union([z.array(item), z.null()])
    .optional()
    .transform((value): z.output<T>[] => value ?? []);
}

/** A nested record; absent or null is undefined. */
export function recordField<T extends z.ZodType>(record: T) {
  return z
    .union([record, z.null()])
    .optional()
    .transform((value): z.output<T> | undefined => value ?? undefined);
}
