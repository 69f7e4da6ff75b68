import { DelegateBackoff, handleType, retry, type RetryPolicy } from "cockatiel";

import type { Milliseconds } from "../units/duration.ts";
import type { Answer } from "./api-client.ts";
import { ApiError, type Attempt } from "./api-error.ts";
import type { Endpoint, Surroundings, Try } from "./endpoint.ts";
import { withAttempts } from "./failure.ts";
import { HttpFault } from "./http-fault.ts";
import type { Question } from "./question.ts";

/** Tries at one node beyond the first, where it is the only one, and where there are others. */
const RETRIES_ALONE = 2;
const RETRIES_AMONG_OTHERS = 1;
/** No call makes more tries than this, however many nodes there are. */
const MAX_TRIES = 8;

/** Tells the retry layer to go on, after a pause. */
class TryAgain extends Error {
  readonly pauseMillis: Milliseconds;

  constructor(pauseMillis: Milliseconds, cause: unknown) {
    super("try again", { cause });
    this.pauseMillis = pauseMillis;
  }
}

/** The one retry layer: around request and parse, over all nodes. Every question is a GET, so asking twice is safe. */
const policy: RetryPolicy = retry(handleType(TryAgain), {
  maxAttempts: MAX_TRIES,
  backoff: new DelegateBackoff((context) =>
    "error" in context.result && context.result.error instanceof TryAgain ? context.result.error.pauseMillis : 0,
  ),
});

/**
 * Asks one node after the other until one answers. Rejects with the ApiError that says most, every try in its
 * message, or with the signal's reason.
 */
export async function askInTurn<T>(
  endpoints: readonly Endpoint[],
  asked: Question<T>,
  attempt: Try,
  around: Surroundings,
): Promise<Answer<T>> {
  const plan = new Plan(endpoints, attempt, around);
  const ask = async (): Promise<Answer<T>> => {
    attempt.signal?.throwIfAborted();
    const endpoint = plan.next();
    try {
      return await endpoint.ask(asked, attempt);
    } catch (error) {
      throw plan.after(endpoint, error);
    }
  };
  // The first try is made at once, and only its failure is handed to the policy: nearly every call ends here.
  let first: Promise<Answer<T>> | undefined = ask();
  try {
    return await first;
  } catch (failure) {
    if (!(failure instanceof TryAgain)) throw plan.outcome(failure, asked.what);
  }
  try {
    return await policy.execute(() => {
      const made = first ?? ask();
      first = undefined;
      return made;
    });
  } catch (error) {
    throw plan.outcome(error, asked.what);
  }
}

/** Whom to ask next, and whether to go on. */
class Plan {
  readonly #endpoints: readonly Endpoint[];
  readonly #attempt: Try;
  readonly #around: Surroundings;
  readonly #errors: ApiError[] = [];
  readonly #untried: Set<Endpoint>;
  /** Who may be asked once more. */
  readonly #again: Endpoint[] = [];
  #retries: number;
  #next: Endpoint | undefined;

  constructor(endpoints: readonly Endpoint[], attempt: Try, around: Surroundings) {
    this.#endpoints = endpoints;
    this.#attempt = attempt;
    this.#around = around;
    this.#untried = new Set(endpoints);
    this.#retries = endpoints.length === 1 ? RETRIES_ALONE : RETRIES_AMONG_OTHERS;
  }

  next(): Endpoint {
    const next = this.#next ?? this.#firstUntried() ?? this.#endpoints[0];
    if (next === undefined) throw new Error("a network has at least one node");
    this.#next = undefined;
    this.#untried.delete(next);
    return next;
  }

  /** TryAgain, or what ends the call. */
  after(endpoint: Endpoint, error: unknown): unknown {
    if (!(error instanceof ApiError)) return error;
    this.#errors.push(error);
    if (isAnswer(error) || this.#errors.length >= MAX_TRIES) return error;
    if (mayRepeat(error, this.#errors)) this.#again.push(endpoint);
    const now = this.#around.clock.monotonicMillis();
    const left = this.#attempt.deadlineMillis - now;
    if (left <= 0) return error;
    this.#next = this.#firstUntried();
    if (this.#next !== undefined) return new TryAgain(0, error);
    const again = this.#retries > 0 ? this.#again.shift() : undefined;
    if (again === undefined) return error;
    this.#retries -= 1;
    this.#next = again;
    const pause = Math.max(this.#jittered(this.#errors.length - 1), again.rest.refusedForMillis);
    return pause < left ? new TryAgain(pause, error) : error;
  }

  outcome(error: unknown, what: string): unknown {
    const cause = error instanceof TryAgain ? error.cause : error;
    if (!(cause instanceof ApiError)) return cause;
    const best = this.#errors.reduce((a, b) => (weight(b) >= weight(a) ? b : a), this.#errors[0] ?? cause);
    const tried: Attempt[] = this.#errors.flatMap((one) => one.tried);
    return tried.length <= 1 ? best : withAttempts(best, { network: this.#around.network, what }, tried);
  }

  /** In order: first those that are well, then, where nobody has said anything of use, those that rest after failures. */
  #firstUntried(): Endpoint | undefined {
    let resting: Endpoint | undefined;
    for (const endpoint of this.#untried) {
      if (endpoint.rest.refusedForMillis > 0) continue;
      if (endpoint.rest.claim()) return endpoint;
      resting ??= endpoint;
    }
    return this.#errors.some((error) => weight(error) >= SAYS_SOMETHING) ? undefined : resting;
  }

  #jittered(retries: number): Milliseconds {
    return this.#around.limits.retryMillis * 2 ** Math.min(retries, 6) * (0.5 + this.#around.random());
  }
}

/** The node has understood the question: another one would say the same. */
function isAnswer(error: ApiError): boolean {
  return error.kind === "not-found" || error.kind === "invalid";
}

/** Whether the same node may be asked again: never once it banned us, once after a 429, not where it said what is wrong. */
function mayRepeat(error: ApiError, errors: readonly ApiError[]): boolean {
  switch (error.kind) {
    case "unreachable":
      // Where not even a connection came about, a moment later none will either.
      return error.cause instanceof HttpFault && error.cause.sent;
    case "timeout":
      return true;
    case "server":
      return error.httpStatus !== 500 || error.code === undefined;
    case "rate-limited":
      return error.httpStatus === 429 && errors.filter((one) => one.httpStatus === 429).length === 1;
    default:
      return false;
  }
}

const SAYS_SOMETHING = 4;

/** How much an error tells whoever asked. */
function weight(error: ApiError): number {
  switch (error.kind) {
    case "not-found":
    case "invalid":
      return 6;
    case "server":
      return error.nodeMessage === undefined ? 3 : 5;
    case "unreadable":
    case "refused":
    case "cut":
      return SAYS_SOMETHING;
    case "banned":
    case "rate-limited":
      return 3;
    case "timeout":
      return 2;
    case "unreachable":
      return 1;
  }
}
