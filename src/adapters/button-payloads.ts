import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Payloads } from "./adapter.ts";
import { withTimeout } from "./timeout.ts";

export interface ButtonPayloadDependencies {
  readonly payloads: Payloads;
  readonly log: Log;
  /** For how long a button works whose meaning is kept in the store. */
  readonly keepMillis: Milliseconds;
}

/** Some messages must go out within 3 s, and all are worth more than their buttons. */
const STORE_TIMEOUT_MILLIS: Milliseconds = 1000;

/**
 * Keeps what buttons mean that it does not fit into; gives the key of each. What the store does not take in time has
 * none, and the log says so.
 */
export async function storeButtonPayloads(
  platform: string,
  meanings: ReadonlyMap<string, unknown>,
  { payloads, log, keepMillis }: ButtonPayloadDependencies,
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  await Promise.all(
    [...meanings].map(async ([button, meaning]) => {
      try {
        keys.set(button, await withTimeout(payloads.put(meaning, keepMillis), STORE_TIMEOUT_MILLIS));
      } catch (error) {
        log.error({ err: error, platform }, "a button could not be kept and is left out");
      }
    }),
  );
  return keys;
}
