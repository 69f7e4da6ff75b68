import type { Milliseconds } from "../../../units/time.ts";

const FIRST_DELAY: Milliseconds = 1000;
const LONGEST_DELAY: Milliseconds = 900_000;

/**
 * Exponential backoff with jitter: how long to wait after the attempt of that number, 1 or more. It doubles from 1 s
 * up to 15 min, less a random half, so that what failed together does not come back together. `random` is from 0 to
 * below 1.
 */
export function backoffDelay(attempts: number, random: number): Milliseconds {
  const whole = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(30, Math.max(0, attempts - 1)));
  return Math.round(whole * (1 - random / 2));
}

/** After the first deaths of processes that were sending the same delivery; after each later one the longest delay. */
const INTERRUPTION_PAUSES: readonly Milliseconds[] = [10_000, 60_000, 120_000, 240_000, 480_000];

/**
 * How long a delivery waits after an attempt in which its process died, the nth of such attempts. A process that dies
 * at each start thus does not send the same message at each start.
 */
export function interruptionPause(interruptions: number): Milliseconds {
  return INTERRUPTION_PAUSES[interruptions - 1] ?? LONGEST_DELAY;
}
