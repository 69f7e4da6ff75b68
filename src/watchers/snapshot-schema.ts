import { z } from "zod";

import { IntegerText, timeToText } from "../alerts/judge/kinds/kind.ts";
import type { Nanoseconds } from "../units/time.ts";

/**
 * Numbers a watcher's observations, to tell apart events that look alike, such as a market's second auction of the day. An
 * observation that is repeated because it could not be stored gets the same number again.
 */
export const observationCounter = {
  /** When the watcher made its first observation. */
  since: IntegerText,
  looks: z.int().positive(),
};

type ObservationCounter = z.infer<z.ZodObject<typeof observationCounter>>;

export function countObservation(before: ObservationCounter | undefined, at: Nanoseconds): ObservationCounter {
  return before === undefined ? { since: timeToText(at), looks: 1 } : { since: before.since, looks: before.looks + 1 };
}

/** The part of an event's key that names the observation. */
export function observationKey({ since, looks }: ObservationCounter): string {
  return `${since}-${looks}`;
}
