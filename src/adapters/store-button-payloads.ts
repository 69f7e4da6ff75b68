import { withTimeout } from "../in-time.ts";
import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Payloads } from "./adapter.ts";

export interface ButtonPayloadDependencies {
  readonly payloads: Payloads;
  readonly log: Log;
  /** How long a stored payload, and so its button, is valid. */
  readonly ttlMillis: Milliseconds;
}

/** Some messages must be sent within 3 s, and a message matters more than its buttons. */
const STORE_TIMEOUT_MILLIS: Milliseconds = 1000;

/**
 * Stores payloads that do not fit into their buttons; returns the key of each. A payload that cannot be stored in time
 * is logged and gets no key.
 */
export async function storeButtonPayloads(
  platform: string,
  payloadsByButton: ReadonlyMap<string, unknown>,
  { payloads, log, ttlMillis }: ButtonPayloadDependencies,
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  await Promise.all(
    [...payloadsByButton].map(async ([button, payload]) => {
      try {
        keys.set(button, await withTimeout(payloads.put(payload, ttlMillis), STORE_TIMEOUT_MILLIS));
      } catch (error) {
        log.error({ err: error, platform }, "button not stored");
      }
    }),
  );
  return keys;
}
