import { z } from "zod";

import { type Decimal, parseDecimal } from "../../units/decimal.ts";
import { fromSeconds, nanoseconds, type Nanoseconds } from "../../units/time.ts";

// The fields of the interface. All tolerate an absent field, null and "" as "not there" (undefined),
// since real nodes leave out what is unset. Each leaf is one transform, not a union and a pipe: an answer holds
// tens of thousands of them, and one step is several times as fast as three.

/** Longer numbers are rejected: the longest of the API, nonces, have 78 digits. */
const MAX_DIGITS = 1000;

type Context = z.core.ParsePayload;

function refuse(context: Context, message: string): undefined {
  context.issues.push({ code: "custom", message, input: context.value });
  return undefined;
}

/** The JSON type of this value, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function readBigint(value: unknown, context: Context): bigint | undefined {
  if (typeof value === "string") {
    if (value === "") return undefined;
    return readDigits(value) ?? refuse(context, "expected an integer in decimal");
  }
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") return refuse(context, `expected an integer in decimal, not ${kindOf(value)}`);
  if (Number.isSafeInteger(value)) return BigInt(value);
  return refuse(
    context,
    Number.isInteger(value)
      ? "a JSON number this large is not exact; expected it as a string"
      : "expected an integer in decimal",
  );
}

/** Numbers of up to this many digits are exact in JS, and BigInt() converts them twice as fast as a string. */
const EXACT_DIGITS = 15;

/** `-12`, `+7`, `0012`: what BigInt takes, without what else it takes (hex, blanks). */
function readDigits(text: string): bigint | undefined {
  const { length } = text;
  const sign = text.charCodeAt(0);
  let at = sign === 45 || sign === 43 ? 1 : 0;
  if (at === length || length > MAX_DIGITS) return undefined;
  const exact = length - at <= EXACT_DIGITS;
  let units = 0;
  for (; at < length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    if (exact) units = units * 10 + digit;
  }
  if (exact) return BigInt(sign === 45 ? -units : units);
  return BigInt(sign === 43 ? text.slice(1) : text);
}

function readText(value: unknown, context: Context): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (value === undefined || value === null) return undefined;
  return refuse(context, `expected text, not ${kindOf(value)}`);
}

/** An integer of any size: a JSON string of digits, or a JSON number where that is exact. */
export const bigintField = z.transform(readBigint);

/** A decimal fraction as a string. */
export const decimalField = z.transform((value, context): Decimal | undefined => {
  const text = readText(value, context);
  if (text === undefined) return undefined;
  return parseDecimal(text) ?? refuse(context, "expected a decimal number");
});

function readTime(value: unknown, context: Context): Nanoseconds | undefined {
  const at = readBigint(value, context);
  return at === undefined || at <= 0n ? undefined : nanoseconds(at);
}

/** Unix nanoseconds; zero, negative and "" are how nodes say "not set". */
export const timeField = z.transform(readTime);

/** Unix seconds; zero, negative and "" are how nodes say "not set". */
export const secondsField = z.transform((value, context): Nanoseconds | undefined => {
  const at = readBigint(value, context);
  return at === undefined || at <= 0n ? undefined : fromSeconds(at);
});

/** Text, an enum's name included: unknown ones pass through. */
export const textField = z.transform(readText);

export const flagField = z.transform((value, context): boolean | undefined => {
  if (typeof value === "boolean") return value;
  if (value === undefined || value === null) return undefined;
  return refuse(context, `expected true or false, not ${kindOf(value)}`);
});

// Real nodes send each of an answer's containers and its main field, empty as `[]`, null or "". An answer without it
// does not answer the request, and must not be read as an empty list.

/** The same reader for a field that must be there; null and "" are "not set". */
function required<T>(read: (value: unknown, context: Context) => T): z.ZodTransform<T | undefined> {
  return z.transform((value, context) =>
    value === undefined ? refuse(context, "the field is missing") : read(value, context),
  );
}

export const requiredTextField = required(readText);
export const requiredTimeField = required(readTime);

/** A list that must be there; null is an empty one. */
export function requiredListField<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullable()
    .transform((value): z.output<T>[] => value ?? []);
}

/** A nested record that must be there; null is undefined. */
export function requiredRecordField<T extends z.ZodType>(record: T) {
  return record.nullable().transform((value): z.output<T> | undefined => value ?? undefined);
}

/** A list; absent or null is an empty one. */
export function listField<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullish()
    .transform((value): z.output<T>[] => value ?? []);
}

/** A nested record; absent or null is undefined. */
export function recordField<T extends z.ZodType>(record: T) {
  return record.nullish().transform((value): z.output<T> | undefined => value ?? undefined);
}
