import { z } from "zod";

import { IntegerText, timeToText } from "../alerts/kinds/json-fields.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";

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
