import { field, type Field } from "../reply/block.ts";
import { code, id, text, type Text, time, toText } from "../reply/text.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";

/** An id or an address; a dash where there is none. */
export function idCell(value: string | undefined): Text {
  return toText(value === undefined ? "–" : id(value));
}

/** An id with the name that it is known by, where it is. */
export function namedCell(value: string | undefined, name: string | undefined): Text {
  return value === undefined || name === undefined ? idCell(value) : text`${name} ${id(value)}`;
}

/** A moment; a dash where it is not known. */
export function timeCell(at: Nanoseconds | undefined, shown?: Parameters<typeof time>[1]): Text {
  return toText(at === undefined ? "–" : time(at, shown));
}

/** From this length on a value gets a line of its own. */
const WIDE_FROM_LENGTH = 40;

/** What a record holds beyond the fields that are known: newer releases add some, and none shall be hidden. */
export function extraFields(
  record: Readonly<Record<string, unknown>> | undefined,
  known: Readonly<Record<string, unknown>>,
  prefix = "",
): readonly Field[] {
  if (record === undefined) return [];
  return Object.entries(record)
    .filter(([name, value]) => !Object.hasOwn(known, name) && value !== undefined && value !== null && value !== "")
    .map(([name, value]) => {
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      return field(`${prefix}${name}`, code(shown), { wide: shown.length > WIDE_FROM_LENGTH });
    });
}
