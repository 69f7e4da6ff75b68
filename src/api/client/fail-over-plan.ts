import type { Milliseconds } from "../../units/duration.ts";
import type { AsOf } from "../api-client.ts";
import { ApiError, type Attempt } from "../api-error.ts";
import { sleepUnlessCancelled } from "../clock.ts";
import { HttpFault } from "../http/http-fault.ts";
import { withAttempts } from "../http/node-failure.ts";
import { isBehind, isRecentlySeen } from "../node/last-seen-block.ts";
import type { AttemptOptions, ClientContext, NodeEndpoint } from "../node/node.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../verdict/verdict.ts";

/** Tries at one node beyond the first, where it is the only one, and where there are others. */
const RETRIES_ALONE = 2;
const RETRIES_AMONG_OTHERS = 1;
/** No call makes more tries than this, however many nodes there are. */
export const MAX_TRIES = 8;
/** Where every node wants to be left alone, people wait so long for the first that may be asked again. */
const MAX_REFUSAL_WAIT_MILLIS: Milliseconds = 3000;

/** Tells the retry layer to go on, after a pause. */
export class RetryRequested extends Error {
  readonly pauseMillis: Milliseconds;

  constructor(pauseMillis: Milliseconds, cause: unknown) {
    super("try again", { cause });
    this.pauseMillis = pauseMillis;
  }
}

/** Whom to ask next in one call, and whether to go on. */
export class FailOverPlan {
  readonly #endpoints: readonly NodeEndpoint[];
  readonly #attempt: AttemptOptions;
  readonly #around: ClientContext;
  readonly #errors: ApiError[] = [];
  readonly #untried: Set<NodeEndpoint>;
  /** Who may be asked once more. */
  readonly #again: NodeEndpoint[] = [];
  #retries: number;
  #next: NodeEndpoint | undefined;
  #waited = false;

  constructor(endpoints: readonly NodeEndpoint[], attempt: AttemptOptions, around: ClientContext) {
    this.#endpoints = endpoints;
    this.#attempt = attempt;
    this.#around = around;
    this.#untried = new Set(endpoints);
    this.#retries = endpoints.length === 1 ? RETRIES_ALONE : RETRIES_AMONG_OTHERS;
  }

  /** Undefined where none may be asked at once. */
  next(): NodeEndpoint | undefined {
    const next = this.#next ?? this.#firstUntried();
    this.#next = undefined;
    if (next !== undefined) this.#untried.delete(next);
    return next;
  }

  /** The node that may be asked soonest, once it may, if that is worth the wait. Rejects with the signal's reason. */
  async waitForSoonest(): Promise<NodeEndpoint> {
    const soonest = this.#soonest();
    if (soonest === undefined) throw new Error("a call goes on only where a node is left to ask");
    this.#untried.delete(soonest);
    const wait = soonest.breaker.refusedForMillis;
    if (this.#isWorthTheWait(wait)) {
      this.#waited = true;
      await sleepUnlessCancelled(this.#around.clock, wait, this.#attempt.signal);
    }
    return soonest;
  }

  /**
   * A node not asked yet that is further on than one that is behind, or that may be so where an answer is doubtful in
   * itself, be it by its age.
   */
  alternativeTo(giver: NodeEndpoint, { blockTime, receivedAt }: AsOf, doubtful: boolean): NodeEndpoint | undefined {
    if (this.#untried.size === 0) return undefined;
    const now = this.#around.clock.monotonicMillis();
    const behind = isBehind(giver, this.#endpoints, now);
    const old = blockTime !== undefined && millisBetween(blockTime, receivedAt) > DEFAULT_THRESHOLDS.laggingMillis;
    if (!behind && !old && !doubtful) return undefined;
    for (const one of this.#untried) {
      // Where no other node speaks against an answer, only one of which nothing is known can be better.
      if (one.breaker.refusedForMillis > 0 || (behind ? isBehind(one, this.#endpoints, now) : isRecentlySeen(one, now)))
        continue;
      if (!one.breaker.tryAcquire()) continue;
      this.#untried.delete(one);
      return one;
    }
    return undefined;
  }

  /** TryAgain, or what ends the call. */
  onFailure(endpoint: NodeEndpoint, error: unknown): unknown {
    if (!(error instanceof ApiError)) return error;
    this.#errors.push(error);
    if (isAnswer(error) || this.#errors.length >= MAX_TRIES) return error;
    if (mayRepeat(error, this.#errors)) this.#again.push(endpoint);
    const left = this.#leftMillis();
    if (left <= 0) return error;
    this.#next = this.#firstUntried();
    if (this.#next !== undefined) return new RetryRequested(0, error);
    const again = this.#retries > 0 ? this.#again[0] : undefined;
    const pauseMillis =
      again === undefined
        ? Number.POSITIVE_INFINITY
        : Math.max(this.#jittered(this.#errors.length - 1), again.breaker.refusedForMillis);
    const soonest = this.#hasSaidSomething() ? undefined : this.#soonest();
    const wait = soonest?.breaker.refusedForMillis ?? Number.POSITIVE_INFINITY;
    if (wait < pauseMillis && this.#isWorthTheWait(wait)) return new RetryRequested(0, error);
    if (again === undefined) return error;
    this.#again.shift();
    this.#retries -= 1;
    if (pauseMillis >= left) return error;
    this.#next = again;
    return new RetryRequested(pauseMillis, error);
  }

  /** What whoever asked is told: the failure that says most, with what became of every node. */
  finalError(error: unknown, what: string): unknown {
    const cause = error instanceof RetryRequested ? error.cause : error;
    if (!(cause instanceof ApiError)) return cause;
    const best = this.#errors.reduce((a, b) => (weight(b) >= weight(a) ? b : a), this.#errors[0] ?? cause);
    const tried: Attempt[] = this.#errors.flatMap((one) => one.tried);
    if (!isAnswer(best)) tried.push(...[...this.#untried].map((one) => notAsked(one, what)));
    return tried.length <= 1 ? best : withAttempts(best, { network: this.#around.network, what }, tried);
  }

  /**
   * In order: first those that are well, then those that are well but behind the others, then, where nobody has said
   * anything of use, those that rest after failures.
   */
  #firstUntried(): NodeEndpoint | undefined {
    const now = this.#around.clock.monotonicMillis();
    let behind: NodeEndpoint[] | undefined;
    let resting: NodeEndpoint | undefined;
    for (const endpoint of this.#untried) {
      if (endpoint.breaker.refusedForMillis > 0) continue;
      if (isBehind(endpoint, this.#endpoints, now)) (behind ??= []).push(endpoint);
      else if (endpoint.breaker.tryAcquire()) return endpoint;
      else resting ??= endpoint;
    }
    const well = behind?.find((endpoint) => endpoint.breaker.tryAcquire());
    if (well !== undefined) return well;
    return this.#hasSaidSomething() ? undefined : (resting ?? behind?.[0]);
  }

  /** Of those not asked yet, where all want to be left alone, the one that does so for the shortest time. */
  #soonest(): NodeEndpoint | undefined {
    let soonest: NodeEndpoint | undefined;
    for (const endpoint of this.#untried) {
      const wait = endpoint.breaker.refusedForMillis;
      if (soonest === undefined || wait < soonest.breaker.refusedForMillis) soonest = endpoint;
    }
    return soonest;
  }

  /** Once a call; a watcher looks again anyway, and whoever asks one node by itself wants to know how that fares. */
  #isWorthTheWait(waitMillis: Milliseconds): boolean {
    const { lane, waits = false } = this.#attempt;
    if (!waits || lane !== "people" || this.#waited) return false;
    return waitMillis <= MAX_REFUSAL_WAIT_MILLIS && waitMillis < this.#leftMillis();
  }

  #leftMillis(): Milliseconds {
    return this.#attempt.deadlineMillis - this.#around.clock.monotonicMillis();
  }

  #hasSaidSomething(): boolean {
    return this.#errors.some((error) => weight(error) >= INFORMATIVE_WEIGHT);
  }

  #jittered(retries: number): Milliseconds {
    return this.#around.limits.retryMillis * 2 ** Math.min(retries, 6) * (0.5 + this.#around.random());
  }
}

/** Why a node was not asked in a call that failed. */
function notAsked(endpoint: NodeEndpoint, what: string): Attempt {
  const { name: node, breaker } = endpoint;
  try {
    breaker.throwIfRefused(endpoint.asked(what));
  } catch (error) {
    const [attempt] = error instanceof ApiError ? error.tried : [];
    if (attempt !== undefined) return attempt;
    throw error;
  }
  const { lastError } = breaker.health;
  return {
    node,
    why: lastError === undefined ? "was not asked" : `was not asked, since it failed lately: ${lastError}`,
  };
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

const INFORMATIVE_WEIGHT = 4;

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
      return INFORMATIVE_WEIGHT;
    case "banned":
    case "rate-limited":
      return 3;
    case "timeout":
      return 2;
    case "unreachable":
      return 1;
  }
}
