import { id, text, time, toText, type Text } from "../reply/text.ts";
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
