import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Payloads } from "./adapter.ts";
import { withTimeout } from "./timeout.ts";

export interface ButtonPayloadDependencies {
  readonly payloads: Payloads;
  readonly log: Log;
  /** How long a button works whose payload is in the store. */
  readonly keepMillis: Milliseconds;
}

/** Some messages must go out within 3 s; a message counts for more than its buttons. */
const STORE_TIMEOUT_MILLIS: Milliseconds = 1000;

/**
 * Stores the payloads that do not fit into their buttons; returns the key of each. A payload that the store does not take in
 * time has no key, and is logged.
 */
export async function storeButtonPayloads(
  platform: string,
  payloadsByButton: ReadonlyMap<string, unknown>,
  { payloads, log, keepMillis }: ButtonPayloadDependencies,
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  await Promise.all(
    [...payloadsByButton].map(async ([button, payload]) => {
      try {
        keys.set(button, await withTimeout(payloads.put(payload, keepMillis), STORE_TIMEOUT_MILLIS));
      } catch (error) {
        log.error({ err: error, platform }, "button not stored");
      }
    }),
  );
  return keys;
}
