import { field, type Field } from "../reply/block.ts";
import { code, id, text, type Text, time, toText } from "../reply/text.ts";
import type { Nanoseconds } from "../units/time.ts";

/** An id or an address; a dash where there is none. */
export function idCell(value: string | undefined): Text {
  return toText(value === undefined ? "–" : id(value));
}

/** An id with its name, where it has one. */
export function namedCell(value: string | undefined, name: string | undefined): Text {
  return value === undefined || name === undefined ? idCell(value) : text`${name} ${id(value)}`;
}

/** A moment; a dash where it is unknown. */
export function timeCell(at: Nanoseconds | undefined, shown?: Parameters<typeof time>[1]): Text {
  return toText(at === undefined ? "–" : time(at, shown));
}

/** A longer value gets a line of its own. */
const WIDE_FROM_LENGTH = 40;

/** The most characters of an unknown field that are shown, and how deep it is followed. */
const MAX_EXTRA_LENGTH = 2000;
const MAX_EXTRA_DEPTH = 20;

/** A value as JSON, cut in depth and length: JSON.stringify fails on what a node may nest 100,000 deep. */
function shownValue(value: unknown): string {
  const shown = typeof value === "string" ? value : JSON.stringify(shallow(value, MAX_EXTRA_DEPTH));
  return shown.length <= MAX_EXTRA_LENGTH ? shown : `${shown.slice(0, MAX_EXTRA_LENGTH).toWellFormed()}…`;
}

function shallow(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "…";
  if (Array.isArray(value)) return value.map((one) => shallow(one, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shallow(one, depth - 1)]));
}

/** Fields of a record beyond the known ones: newer releases add some, and none is hidden. */
export function extraFields(
  record: Readonly<Record<string, unknown>> | undefined,
  known: Readonly<Record<string, unknown>>,
  prefix = "",
): readonly Field[] {
  if (record === undefined) return [];
  return Object.entries(record)
    .filter(([name, value]) => !Object.hasOwn(known, name) && value !== undefined && value !== null && value !== "")
    .map(([name, value]) => {
      const shown = shownValue(value);
      return field(`${prefix}${name}`, code(shown), { wide: shown.length > WIDE_FROM_LENGTH });
    });
}
