import type { WebClient } from "@slack/web-api";

import { retryAfterMillis } from "./slack-fault.ts";

/** How waiting is done: rejects with the signal's reason when that aborts first. */
export type Sleep = (millis: number, signal: AbortSignal) => Promise<void>;

/** What talking to somebody who waits takes. */
export interface WebApiAccess {
  readonly web: WebClient;
  readonly sleep: Sleep;
  /** Aborted when nothing more can be said. */
  readonly signal: AbortSignal;
}

/** Longer waits are no answer to somebody who sits there. */
const LONGEST_RATE_LIMIT_WAIT_MILLIS = 30_000;
const RATE_LIMIT_TRIES = 4;

/**
 * Does a call again once Slack's limit lets it, which has then done nothing yet; rejects with what else is wrong, or
 * with the signal's reason.
 */
export async function retryRateLimited<T>(
  { signal, sleep }: Omit<WebApiAccess, "web">,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const wait = retryAfterMillis(error);
      if (wait === undefined || wait > LONGEST_RATE_LIMIT_WAIT_MILLIS || tries >= RATE_LIMIT_TRIES) throw error;
      await sleep(wait, signal);
    }
  }
}

/** Does a call: in what way it is patient is the caller's. */
export type CallPolicy = <T>(call: () => Promise<T>) => Promise<T>;

/** For what must be said. */
export function retryingRateLimited(talk: Omit<WebApiAccess, "web">): CallPolicy {
  return (call) => retryRateLimited(talk, call);
}

/** For what is of no use later. */
export const withoutRetry: CallPolicy = (call) => call();
