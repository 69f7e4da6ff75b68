import { WebAPIHTTPError, WebAPIPlatformError } from "@slack/web-api";

import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { isUnsent } from "../../chat/is-unsent.ts";
import { jittered } from "../../chat/supervision.ts";
import type { SlackContext } from "../context.ts";
import { RESPONSE_URL_LIFETIME_MILLIS } from "../limits.ts";
import { isContentRefused, toSendError } from "../send/send-error.ts";
import { describeError, errorCodeOf, isUnanswered, retryAfterMillis } from "../transport/api-error.ts";
import { ResponseRefused, ResponseUnreached, ResponseUrlExpired } from "../transport/response-url.ts";
import { LONGEST_RATE_LIMIT_WAIT_MILLIS } from "../transport/web-api.ts";

/** An answer with its ways to be sent. */
export interface RetryableAnswer {
  /** Sends it to its own destination; `again` = it may have arrived before. */
  sayHere(again: boolean): Promise<void>;
  /** Sends it by direct message; left out if that is its own destination. */
  readonly sayInDirectMessage?: ((again: boolean) => Promise<void>) | undefined;
  /** Replaces content that Slack refused with simpler content; false, or left out, when there is none. */
  simplify?(): boolean;
}

type AnswerRetrierOptions = Pick<SlackContext, "log" | "now" | "sleep" | "stopping"> & { readonly policy: RetryPolicy };

/** How long and how often an answer is retried. */
type RetryPolicy = typeof ANSWER_RETRY_POLICY;

/** For answers, which may hold files: as long as a response_url lives. */
export const ANSWER_RETRY_POLICY = {
  maxDurationMillis: RESPONSE_URL_LIFETIME_MILLIS,
  /** The first delay; doubles up to `maxDelayMillis`. */
  initialDelayMillis: 1000,
  maxDelayMillis: 60_000,
  /** The maximum number of answers waiting for Slack. */
  maxWaiting: 200,
};

/** For the notice about a lost answer: a day, as for alerts. */
export const LOST_NOTICE_RETRY_POLICY: RetryPolicy = {
  maxDurationMillis: 86_400_000,
  initialDelayMillis: 60_000,
  maxDelayMillis: 600_000,
  maxWaiting: 2000,
};

export type SendAnswer = ReturnType<typeof answerRetrier>;

/**
 * Sends answers to their destination, else by direct message, and retries with growing delays while Slack is
 * unavailable. False where that takes too long, or too many answers wait for it. Rejects with the error of an answer
 * that cannot be sent.
 */
export function answerRetrier({ log, now, policy, sleep, stopping }: AnswerRetrierOptions) {
  let waiting = 0;
  return async (what: string, answer: RetryableAnswer): Promise<boolean> => {
    const until = now() + policy.maxDurationMillis;
    const next = attemptsOf(answer, log, what);
    let pause = policy.initialDelayMillis;
    let waits = false;
    try {
      for (;;) {
        const error = await next();
        if (error === undefined) return true;
        const wait = Math.max(jittered(pause), askedWait(error) ?? 0);
        if (stopping.aborted || !isTransient(error)) throw error;
        const about = { platform: "slack", what, why: describeError(error) };
        if (now() + wait > until || (!waits && waiting >= policy.maxWaiting)) {
          log.error({ ...about, waiting }, "answer dropped");
          return false;
        }
        if (!waits) waiting += 1;
        waits = true;
        log.warn({ ...about, againInMillis: wait }, "answer retried");
        await sleep(wait, stopping).catch(() => undefined);
        if (stopping.aborted) throw error;
        pause = Math.min(pause * 2, policy.maxDelayMillis);
      }
    } finally {
      if (waits) waiting -= 1;
    }
  };
}

/**
 * The attempts to send one answer. Each call makes the next one; it gives undefined when sent, else the error,
 * preferably a transient one, which is worth a retry.
 */
function attemptsOf(answer: RetryableAnswer, log: Log, what: string): () => Promise<unknown> {
  const { sayInDirectMessage } = answer;
  let tries = 0;
  /** Its own destination no longer works. */
  let lost = false;
  /** The last transient error there. */
  let transient: unknown;
  /** An earlier attempt may have arrived: Slack did not answer. */
  let again = false;

  async function attempt(say: (again: boolean) => Promise<void>): Promise<unknown> {
    for (;;) {
      try {
        await say(again);
        return undefined;
      } catch (error) {
        const code = error instanceof ResponseRefused ? error.code : errorCodeOf(error);
        if (isContentRefused(code) && answer.simplify?.() === true) {
          log.error({ platform: "slack", what, why: describeError(error) }, "answer failed");
          continue;
        }
        again ||= mayHaveArrived(error);
        return error ?? new Error("something was thrown that is nothing");
      }
    }
  }

  return async () => {
    let here: unknown;
    tries += 1;
    if (sayInDirectMessage === undefined || (!lost && isPowerOfTwo(tries))) {
      here = await attempt((repeated) => answer.sayHere(repeated));
      if (here === undefined) return undefined;
      lost = !isTransient(here);
      if (!lost) transient = here;
      // Slack says when it takes the answer there: that is waited for, unless it is long.
      if ((askedWait(here) ?? Number.POSITIVE_INFINITY) <= LONGEST_RATE_LIMIT_WAIT_MILLIS) return here;
      if (sayInDirectMessage === undefined) return here;
      if (!(here instanceof ResponseUrlExpired)) {
        log.warn({ platform: "slack", what, why: describeError(here) }, "answer refused");
      }
    }
    const there = await attempt(sayInDirectMessage);
    if (there === undefined) return undefined;
    if (here !== undefined && isTransient(here)) return here;
    return lost || isTransient(there) ? there : transient;
  };
}

/** A response_url allows five uses: attempts 1, 2, 4, 8 and 16 spread them over ten minutes. */
function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}

/** How long Slack asks to wait; undefined where it does not. */
function askedWait(error: unknown): Milliseconds | undefined {
  return error instanceof ResponseRefused ? error.retryAfterMillis : retryAfterMillis(error);
}

/** Whether a retry may succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ResponseUnreached) return true;
  if (error instanceof ResponseRefused) return /^(?:408|429|5\d\d)$|ratelimited|rate_limited/u.test(error.code);
  const isFromSlack = error instanceof WebAPIHTTPError || error instanceof WebAPIPlatformError;
  if (!isFromSlack && !isUnanswered(error) && retryAfterMillis(error) === undefined) return false;
  const { kind, revoked } = toSendError(error, true);
  // A refused token is accepted again once it is fixed.
  return kind === "retry" || kind === "maybe-sent" || (kind === "refused" && !revoked);
}

/** Whether the answer may have arrived despite the error. */
function mayHaveArrived(error: unknown): boolean {
  if (error instanceof ResponseUnreached) return !isUnsent(error);
  if (error instanceof ResponseRefused) return /^(?:408|50[0124])$/u.test(error.code);
  return isTransient(error) && toSendError(error, true).kind === "maybe-sent";
}
