import { setTimeout as sleep } from "node:timers/promises";

import type { WebClient } from "@slack/web-api";

import { retryAfterMillis } from "./slack-fault.ts";

/** What talking to somebody who waits takes. */
export interface Talk {
  readonly web: WebClient;
  /** Aborted when the adapter stops. */
  readonly signal: AbortSignal;
}

/** Longer waits are no answer to somebody who sits there. */
const LONGEST_WAIT_MILLIS = 30_000;
const TRIES = 4;

/**
 * Does a call again once Slack's limit lets it, which has then done nothing yet; rejects with what else is wrong, or
 * with the signal's reason.
 */
export async function afterLimit<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const wait = retryAfterMillis(error);
      if (wait === undefined || wait > LONGEST_WAIT_MILLIS || tries >= TRIES) throw error;
      await sleep(wait, undefined, { signal, ref: false });
    }
  }
}
