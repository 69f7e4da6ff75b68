import { WebAPIHTTPError, WebAPIPlatformError } from "@slack/web-api";

import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { isUnsent } from "../../unsent.ts";
import { RESPONSE_URL_LIFETIME_MILLIS } from "../limits.ts";
import { toSendError } from "../send/send-error.ts";
import { describeError, errorCodeOf, isUnanswered, retryAfterMillis } from "../transport/api-error.ts";
import { ResponseRefused, ResponseUnreached, ResponseUrlExpired } from "../transport/response-url.ts";
import type { Sleep } from "../transport/web-api.ts";

/** Slack took nothing for too long, or too many answers wait for it already. */
export class RetriesExhausted extends Error {
  override readonly name = "RetriesExhausted";
}

/** An answer, and the places where it can be sent. */
export interface RetryableAnswer {
  /** Sends it where it belongs; with `again`, it may have arrived before. */
  sayHere(again: boolean): Promise<void>;
  /** Sends it in direct messages; left out where it belongs there. */
  readonly sayInDirectMessage?: ((again: boolean) => Promise<void>) | undefined;
  /** Slack refuses its content: a simpler one takes its place. False when there is none. */
  simplify(): boolean;
}

export interface AnswerRetrierOptions {
  readonly log: Log;
  readonly sleep: Sleep;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Aborted when the adapter stops: no more waiting. */
  readonly stopping: AbortSignal;
  readonly policy: RetryPolicy;
  /** From 0 to below 1. */
  readonly random?: (() => number) | undefined;
}

/** How long and how often an answer is retried. */
interface RetryPolicy {
  readonly maxDurationMillis: Milliseconds;
  /** The first pause; each is twice as long as the one before, up to `maxDelayMillis`. */
  readonly initialDelayMillis: Milliseconds;
  readonly maxDelayMillis: Milliseconds;
  /** Answers that may wait for Slack at a time. */
  readonly maxWaiting: number;
}

/** For answers, each of which may hold files: as long as a response_url lives. */
export const ANSWER_RETRY_POLICY: RetryPolicy = {
  maxDurationMillis: RESPONSE_URL_LIFETIME_MILLIS,
  initialDelayMillis: 1000,
  maxDelayMillis: 60_000,
  maxWaiting: 200,
};
/** For the notice about a lost answer: for a day, as with alerts. */
export const LOST_NOTICE_RETRY_POLICY: RetryPolicy = {
  maxDurationMillis: 86_400_000,
  initialDelayMillis: 60_000,
  maxDelayMillis: 600_000,
  maxWaiting: 2000,
};

/** Codes with which Slack refuses a message's content; any other is about the place or the moment. */
const REFUSED_CONTENT =
  /^(?:invalid_blocks|invalid_attachments|invalid_arg|invalid_metadata|msg_|no_text|too_many|markdown_)/u;

/** Nobody grants a permission within half an hour. */
const NEEDS_OPERATOR = new Set(["missing_scope", "not_allowed_token_type"]);

/**
 * Sends answers, and retries with growing pauses while Slack takes nothing: where the answer belongs, else in direct
 * messages.
 */
export class AnswerRetrier {
  readonly #options: AnswerRetrierOptions;
  #waiting = 0;

  constructor(options: AnswerRetrierOptions) {
    this.#options = options;
  }

  /** The answers that wait for Slack to come back. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects with RetriesExhausted when that took too long, and with the error of an answer that cannot be sent. */
  async say(what: string, answer: RetryableAnswer): Promise<void> {
    const { log, now, policy, sleep, stopping, random = Math.random } = this.#options;
    const until = now() + policy.maxDurationMillis;
    const attempts = new AnswerAttempts(answer, log, what);
    let pause = policy.initialDelayMillis;
    let waits = false;
    try {
      for (;;) {
        const error = await attempts.next();
        if (error === undefined) return;
        const wait = Math.max(pause * (0.5 + random() / 2), retryAfterMillis(error) ?? 0);
        if (stopping.aborted || !isTransient(error)) throw error;
        if (now() + wait > until)
          throw new RetriesExhausted(`in vain for too long: ${describeError(error)}`, { cause: error });
        if (!waits) {
          if (this.#waiting >= policy.maxWaiting) {
            throw new RetriesExhausted(`${policy.maxWaiting} answers wait for Slack already`, { cause: error });
          }
          waits = true;
          this.#waiting += 1;
        }
        const againInMillis = Math.round(wait);
        log.warn({ platform: "slack", what, why: describeError(error), againInMillis }, "answer retried");
        await sleep(wait, stopping).catch(() => undefined);
        if (stopping.aborted) throw error;
        pause = Math.min(pause * 2, policy.maxDelayMillis);
      }
    } finally {
      if (waits) this.#waiting -= 1;
    }
  }
}

/** The tries of one answer, and what is known after them. */
class AnswerAttempts {
  readonly #answer: RetryableAnswer;
  readonly #log: Log;
  readonly #what: string;
  #tries = 0;
  /** Nothing can be sent any more where it belongs. */
  #lost = false;
  /** The last transient error there. */
  #transient: unknown;
  /** An earlier try may have arrived: Slack did not say. */
  #again = false;

  constructor(answer: RetryableAnswer, log: Log, what: string) {
    this.#answer = answer;
    this.#log = log;
    this.#what = what;
  }

  /** The error; undefined when the answer is sent. A transient error is preferred: it is worth another try. */
  async next(): Promise<unknown> {
    const { sayInDirectMessage } = this.#answer;
    let here: unknown;
    this.#tries += 1;
    if (sayInDirectMessage === undefined || (!this.#lost && isPowerOfTwo(this.#tries))) {
      here = await this.#try((again) => this.#answer.sayHere(again));
      if (here === undefined) return undefined;
      this.#lost = !isTransient(here);
      if (!this.#lost) this.#transient = here;
      if (sayInDirectMessage === undefined) return here;
      if (!(here instanceof ResponseUrlExpired)) {
        this.#log.warn({ platform: "slack", what: this.#what, why: describeError(here) }, "answer refused");
      }
    }
    const there = await this.#try(
      (again) => sayInDirectMessage?.(again) ?? Promise.reject(new Error("there is no other place")),
    );
    if (there === undefined) return undefined;
    if (here !== undefined && isTransient(here)) return here;
    return this.#lost || isTransient(there) ? there : this.#transient;
  }

  async #try(say: (again: boolean) => Promise<void>): Promise<unknown> {
    for (;;) {
      try {
        await say(this.#again);
        return undefined;
      } catch (error) {
        if (isContentRefused(error) && this.#answer.simplify()) {
          this.#log.error(
            { platform: "slack", what: this.#what, why: describeError(error) },
            "answer failed",
          );
          continue;
        }
        this.#again ||= mayHaveArrived(error);
        return error ?? new Error("something was thrown that is nothing");
      }
    }
  }
}

/** A response_url is good for five uses: the first, second, fourth, eighth and sixteenth try spread them over ten minutes. */
function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}

function isContentRefused(error: unknown): boolean {
  return REFUSED_CONTENT.test(error instanceof ResponseRefused ? error.code : (errorCodeOf(error) ?? ""));
}

/** Whether a retry may succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ResponseUnreached) return true;
  if (error instanceof ResponseRefused) return /^(?:408|429|5\d\d)$|ratelimited|rate_limited/u.test(error.code);
  if (NEEDS_OPERATOR.has(errorCodeOf(error) ?? "")) return false;
  const slacks = isUnanswered(error) || retryAfterMillis(error) !== undefined || isFromSlack(error);
  if (!slacks) return false;
  const { kind, revoked } = toSendError(error, true);
  // A token that was mistyped or has expired is accepted again once it is mended.
  return kind === "retry" || kind === "maybe-sent" || (kind === "refused" && !revoked);
}

/** Whether the answer may have arrived in spite of the error. */
function mayHaveArrived(error: unknown): boolean {
  if (error instanceof ResponseUnreached) return !isUnsent(error);
  if (error instanceof ResponseRefused) return /^(?:408|50[0124])$/u.test(error.code);
  return isTransient(error) && toSendError(error, true).kind === "maybe-sent";
}

function isFromSlack(error: unknown): boolean {
  return error instanceof WebAPIHTTPError || error instanceof WebAPIPlatformError;
}
