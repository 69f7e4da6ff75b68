import { z } from "zod";

import { IntegerText, timeFromText, TimeText, timeToText } from "../alerts/kinds/json-fields.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";

// Between what is kept as JSON and what is reckoned with.

/** A point in time, kept as decimal nanoseconds. */
export const timeCodec = z.codec(
  TimeText,
  z.custom<Nanoseconds>((value) => typeof value === "bigint"),
  { decode: timeFromText, encode: timeToText },
);

/** An integer of any size, kept in decimal. */
export const integerCodec = z.codec(IntegerText, z.bigint(), {
  decode: (kept) => BigInt(kept),
  encode: (value) => value.toString(),
});

/** A schema for what is kept, unchanged, where `state` can be read from it. */
export function storedAs<S extends z.ZodType>(state: S) {
  return z.custom<z.input<S>>((kept) => z.safeDecode(state, kept as z.input<S>).success);
}

/**
 * Numbers the looks of a watcher, for events that nothing in the network tells apart, such as a market's second auction
 * of the day: a look repeated because its finding was not stored has the same number again.
 */
export const observationCounter = {
  /** When the watcher took its first look. */
  since: IntegerText,
  looks: z.int().positive(),
};

interface ObservationCounter {
  readonly since: string;
  readonly looks: number;
}

export function countObservation(before: ObservationCounter | undefined, at: Nanoseconds): ObservationCounter {
  return before === undefined ? { since: timeToText(at), looks: 1 } : { since: before.since, looks: before.looks + 1 };
}

/** The part of an event's key that names the look. */
export function observationKey({ since, looks }: ObservationCounter): string {
  return `${since}-${looks}`;
}
