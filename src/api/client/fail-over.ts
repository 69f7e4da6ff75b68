import type { Milliseconds } from "../../units/time.ts";
import type { Answer, AsOf } from "../api-client.ts";
import { ApiError, type ApiErrorKind, type Attempt } from "../api-error.ts";
import { HttpFault } from "../http/http-fault.ts";
import { withAttempts } from "../http/node-failure.ts";
import type { ApiRequest } from "../model/model.ts";
import { isBehind, isRecentlySeen } from "../node/last-seen-block.ts";
import type { AttemptOptions, ClientContext, NodeEndpoint } from "../node/node.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../verdict/verdict.ts";

/** How long to wait for a newer answer from a second node. */
const SECOND_ANSWER_TIMEOUT_MILLIS: Milliseconds = 2000;

/** Retries per node: with a single node, and with several. */
const RETRIES_ALONE = 2;
const RETRIES_AMONG_OTHERS = 1;
/** The maximum number of attempts per call, over all nodes. */
const MAX_TRIES = 8;
/** How long a caller of the "people" lane waits if every node refuses requests. */
const MAX_REFUSAL_WAIT_MILLIS: Milliseconds = 3000;

/**
 * The one retry layer, around request and parse: tries one node after another, known laggards last, until one answers.
 * Every request is a GET, so repeating it is safe. Rejects with the most informative ApiError, which lists all attempts,
 * or with the signal's reason.
 */
export async function requestWithFailOver<T>(
  endpoints: readonly NodeEndpoint[],
  request: ApiRequest<T>,
  attempt: AttemptOptions,
  context: ClientContext,
): Promise<Answer<T>> {
  const plan = failOverPlan(endpoints, attempt, context);
  for (;;) {
    attempt.signal?.throwIfAborted();
    const endpoint = plan.next() ?? (await plan.waitForSoonest());
    let answer: Answer<T>;
    try {
      answer = await endpoint.request(request, attempt);
    } catch (error) {
      const pauseMillis = plan.pauseAfter(endpoint, error);
      if (pauseMillis === undefined) throw plan.finalError(error, request.what);
      if (pauseMillis > 0) await context.clock.sleep(pauseMillis, attempt.signal);
      continue;
    }
    const better = endpoints.length === 1 ? undefined : plan.alternativeTo(endpoint, answer.asOf, isEmpty(answer));
    return better === undefined ? answer : latest(endpoint, answer, better);
  }

  /** An empty list is doubtful: a node whose history was reset returns one, too. */
  function isEmpty({ value }: Answer<T>): boolean {
    return request.pages === true && (value as { rows?: readonly unknown[] }).rows?.length === 0;
  }

  /** The doubtful answer, or a newer one from another node. */
  async function latest(source: NodeEndpoint, answer: Answer<T>, better: NodeEndpoint): Promise<Answer<T>> {
    const { clock } = context;
    let best = { source, answer };
    let next: NodeEndpoint | undefined = better;
    while (next !== undefined) {
      const deadlineMillis = Math.min(attempt.deadlineMillis, clock.monotonicMillis() + SECOND_ANSWER_TIMEOUT_MILLIS);
      try {
        const other = await next.request(request, { ...attempt, deadlineMillis });
        const now = clock.monotonicMillis();
        if (isBehind(best.source, endpoints, now) && !isBehind(next, endpoints, now)) {
          best = { source: next, answer: other };
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
      next = plan.alternativeTo(best.source, best.answer.asOf, isEmpty(best.answer));
    }
    return best.answer;
  }
}

/** Decides which node is next in one call, and whether to retry. */
function failOverPlan(endpoints: readonly NodeEndpoint[], attempt: AttemptOptions, context: ClientContext) {
  const errors: ApiError[] = [];
  const untried = new Set(endpoints);
  /** Nodes that may be retried. */
  const failed: NodeEndpoint[] = [];
  let retries = endpoints.length === 1 ? RETRIES_ALONE : RETRIES_AMONG_OTHERS;
  let decided: NodeEndpoint | undefined;
  let waited = false;

  /**
   * In order: nodes with a closed circuit, then laggards among them, then, if no failure was informative, nodes whose
   * circuit is open after failures.
   */
  function firstUntried(): NodeEndpoint | undefined {
    const now = context.clock.monotonicMillis();
    let behind: NodeEndpoint[] | undefined;
    let withOpenCircuit: NodeEndpoint | undefined;
    for (const endpoint of untried) {
      if (endpoint.breaker.refusedForMillis > 0) continue;
      if (isBehind(endpoint, endpoints, now)) (behind ??= []).push(endpoint);
      else if (endpoint.breaker.tryAcquire()) return endpoint;
      else withOpenCircuit ??= endpoint;
    }
    const healthyBehind = behind?.find((endpoint) => endpoint.breaker.tryAcquire());
    if (healthyBehind !== undefined) return healthyBehind;
    return hasInformativeError() ? undefined : (withOpenCircuit ?? behind?.[0]);
  }

  /** Of the untried nodes, all of which refuse requests, the one that accepts them soonest. */
  function readiest(): NodeEndpoint | undefined {
    return [...untried].toSorted((a, b) => a.breaker.refusedForMillis - b.breaker.refusedForMillis)[0];
  }

  /** Once per call and only for people: a watcher polls again anyway. */
  function isWorthTheWait(waitMillis: Milliseconds): boolean {
    const { lane, waits = false } = attempt;
    if (!waits || lane !== "people" || waited) return false;
    return waitMillis <= MAX_REFUSAL_WAIT_MILLIS && waitMillis < leftMillis();
  }

  function leftMillis(): Milliseconds {
    return attempt.deadlineMillis - context.clock.monotonicMillis();
  }

  function hasInformativeError(): boolean {
    return errors.some((error) => weight(error) >= INFORMATIVE_WEIGHT);
  }

  function jittered(earlier: number): Milliseconds {
    return context.limits.retryMillis * 2 ** Math.min(earlier, 6) * (0.5 + context.random());
  }

  return {
    /** The next node; undefined if none can be tried at once. */
    next(): NodeEndpoint | undefined {
      const next = decided ?? firstUntried();
      decided = undefined;
      if (next !== undefined) untried.delete(next);
      return next;
    },

    /** Waits briefly for the node that accepts requests soonest. Rejects with the signal's reason. */
    async waitForSoonest(): Promise<NodeEndpoint> {
      const soonest = readiest();
      if (soonest === undefined) throw new Error("a call goes on only where a node is left to ask");
      untried.delete(soonest);
      const wait = soonest.breaker.refusedForMillis;
      if (isWorthTheWait(wait)) {
        waited = true;
        await context.clock.sleep(wait, attempt.signal);
      }
      return soonest;
    },

    /**
     * An untried node that may have a newer answer: one known to be ahead of a lagging source, or, if the answer is
     * doubtful or old, one whose block is unknown.
     */
    alternativeTo(source: NodeEndpoint, { blockTime, receivedAt }: AsOf, doubtful: boolean): NodeEndpoint | undefined {
      if (untried.size === 0) return undefined;
      const now = context.clock.monotonicMillis();
      const behind = isBehind(source, endpoints, now);
      const old = blockTime !== undefined && millisBetween(blockTime, receivedAt) > DEFAULT_THRESHOLDS.laggingMillis;
      if (!behind && !old && !doubtful) return undefined;
      for (const one of untried) {
        // Otherwise only a node whose block is unknown can have a newer answer.
        if (one.breaker.refusedForMillis > 0 || (behind ? isBehind(one, endpoints, now) : isRecentlySeen(one, now)))
          continue;
        if (!one.breaker.tryAcquire()) continue;
        untried.delete(one);
        return one;
      }
      return undefined;
    },

    /** The pause before the next attempt; undefined if the failure ends the call. */
    pauseAfter(endpoint: NodeEndpoint, error: unknown): Milliseconds | undefined {
      if (!(error instanceof ApiError)) return undefined;
      errors.push(error);
      if (isAnswer(error) || errors.length >= MAX_TRIES) return undefined;
      if (mayRetry(error, errors)) failed.push(endpoint);
      const left = leftMillis();
      if (left <= 0) return undefined;
      decided = firstUntried();
      if (decided !== undefined) return 0;
      const again = retries > 0 ? failed[0] : undefined;
      const pauseMillis =
        again === undefined
          ? Number.POSITIVE_INFINITY
          : Math.max(jittered(errors.length - 1), again.breaker.refusedForMillis);
      const soonest = hasInformativeError() ? undefined : readiest();
      const wait = soonest?.breaker.refusedForMillis ?? Number.POSITIVE_INFINITY;
      if (wait < pauseMillis && isWorthTheWait(wait)) return 0;
      if (again === undefined) return undefined;
      failed.shift();
      retries -= 1;
      if (pauseMillis >= left) return undefined;
      decided = again;
      return pauseMillis;
    },

    /** The error for the caller: the most informative failure, with the outcome at every node. */
    finalError(error: unknown, what: string): unknown {
      if (!(error instanceof ApiError)) return error;
      const best = errors.reduce((a, b) => (weight(b) >= weight(a) ? b : a), error);
      const tried: Attempt[] = errors.flatMap((one) => one.tried);
      if (!isAnswer(best)) tried.push(...[...untried].map((one) => notAskedAttempt(one, what)));
      return tried.length <= 1 ? best : withAttempts(best, { network: context.network, what }, tried);
    },
  };
}

/** The entry of a node that was skipped in a failed call. */
function notAskedAttempt(endpoint: NodeEndpoint, what: string): Attempt {
  const { name: node, breaker } = endpoint;
  try {
    breaker.throwIfRefused(endpoint.target(what));
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

/** Whether the node understood the request: another one would answer the same. */
function isAnswer(error: ApiError): boolean {
  return error.kind === "not-found" || error.kind === "invalid";
}

/**
 * Whether the same node may be retried: never after a ban, once after a 429, never after an error that it explained.
 */
function mayRetry(error: ApiError, errors: readonly ApiError[]): boolean {
  switch (error.kind) {
    case "unreachable":
      // If the connection failed, an immediate retry would fail, too.
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

const WEIGHTS: Readonly<Record<ApiErrorKind, number>> = {
  "not-found": 6,
  invalid: 6,
  server: 3,
  unreadable: INFORMATIVE_WEIGHT,
  refused: INFORMATIVE_WEIGHT,
  cut: INFORMATIVE_WEIGHT,
  banned: 3,
  "rate-limited": 3,
  timeout: 2,
  unreachable: 1,
};

/** How informative an error is. */
function weight({ kind, nodeMessage }: ApiError): number {
  return kind === "server" && nodeMessage !== undefined ? 5 : WEIGHTS[kind];
}
