// A client of one node: cache, single flight, both dialects, rate budget and circuit breaker. Read next: rate-budget.ts
// (how many requests it may get), circuit-breaker.ts (when it gets none), last-seen-block.ts (whether it lags behind
// the others), export-slot.ts (one ledger export at a time). inspect-node.ts is for the doctor.
import { LRUCache } from "lru-cache";

import type { Log } from "../../log.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { Answer, AsOf } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { Clock } from "../clock.ts";
import { parseBaseUrl } from "../http/base-url.ts";
import { isRouteMissingResponse } from "../http/error-body.ts";
import { HttpFault } from "../http/http-fault.ts";
import { type HttpClient, type HttpDispatcher, type HttpResponse, openHttp } from "../http/http.ts";
import { failureOfFault, failureOfResponse, nodeFailure, type RequestTarget } from "../http/node-failure.ts";
import { parseResponse } from "../http/parse-response.ts";
import type { ClientLimits } from "../limits.ts";
import { type ApiRequest, MissingFieldError } from "../model/model.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../verdict/verdict.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { ExportSlot, type SharedSlots } from "./export-slot.ts";
import { type LastSeenBlock, readBlock } from "./last-seen-block.ts";
import { BudgetExhausted, type BudgetLimits, type Lane, RateBudget } from "./rate-budget.ts";
import { SingleFlight } from "./single-flight.ts";

/** The outcome of one HTTP request to a node, for metrics. */
export interface NodeRequest {
  readonly network: string;
  readonly node: string;
  /** `ok`, `http 503`, the kind of an HttpFault, or `cancelled`. */
  readonly outcome: string;
  readonly millis: Milliseconds;
}

/** The configuration that all endpoints of one client share. */
export interface ClientContext {
  readonly network: string;
  readonly simulated: boolean;
  readonly log: Log;
  readonly limits: ClientLimits;
  readonly clock: Clock;
  /** Source of jitter, like Math.random. */
  readonly random: () => number;
  /** False: every call goes to a node, though identical ones still share a request. */
  readonly cache: boolean;
  /** Replaces the connection pools; its owner closes it. */
  readonly dispatcher?: HttpDispatcher;
  /** How many processes share a node's rate limit. Default: this one alone. */
  readonly processes?: () => number;
  /** Which process exports from a node. Default: no other process exports. */
  readonly exportSlots?: SharedSlots;
  /** Called for every HTTP request, once it has ended; for an export, once it has begun. */
  readonly onRequest?: (request: NodeRequest) => void;
}

export interface AttemptOptions {
  readonly lane: Lane;
  readonly fresh: boolean;
  /** On the monotonic clock. */
  readonly deadlineMillis: Milliseconds;
  readonly signal?: AbortSignal | undefined;
  /** The longest wait for a node's budget. Default: the client's limit. */
  readonly queueMillis?: Milliseconds | undefined;
  /** Whether to wait briefly where every node refuses requests. Default false. */
  readonly waits?: boolean;
}

/** Answers cached per endpoint, and the longest body worth caching. */
const MAX_CACHED_ANSWERS = 500;
const MAX_CACHED_BODY_BYTES = 8 * 1024 * 1024;
/** All cached bodies together. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024;

/** The share of one process in a node's rate limit. People can always ask, however many processes there are. */
function budgetOf({ limits, processes = () => 1 }: ClientContext): BudgetLimits {
  const { requestsPerSecond, burst, reservedForWatchers } = limits;
  return {
    get requestsPerSecond() {
      return requestsPerSecond / processes();
    },
    get burst() {
      return Math.max(this.reserved + 1, burst / processes());
    },
    get reserved() {
      return reservedForWatchers / processes();
    },
  };
}

/** One base URL: its connections, rate budget, circuit breaker, dialect and cached answers. */
export class NodeEndpoint {
  readonly name: string;
  readonly http: HttpClient;
  readonly breaker: CircuitBreaker;
  readonly budget: RateBudget;
  readonly exportSlot: ExportSlot;
  /** See LedgerStream. */
  readonly ledgerDays: number | undefined;
  /** Whether it serves the paths of v0.71 nodes. */
  speaksLegacy = false;
  /** The last block that the node reported. */
  lastSeenBlock: LastSeenBlock | undefined;
  readonly #context: ClientContext;
  readonly #singleFlight = new SingleFlight();
  readonly #cache: LRUCache<string, Answer<unknown>> | undefined;

  constructor(url: string, name: string | undefined, context: ClientContext, ledgerDays?: number) {
    const base = parseBaseUrl(url);
    this.name = name ?? base.name;
    this.http = openHttp(base, context.dispatcher === undefined ? {} : { dispatcher: context.dispatcher });
    this.breaker = new CircuitBreaker(context.clock, context.random);
    this.budget = new RateBudget(budgetOf(context), context.clock);
    this.exportSlot = new ExportSlot({
      clock: context.clock,
      log: context.log,
      pauseMillis: context.limits.exportPauseMillis,
      network: context.network,
      node: this.name,
      shared: context.exportSlots,
    });
    this.ledgerDays = ledgerDays;
    this.#context = context;
    this.#cache = context.cache
      ? new LRUCache<string, Answer<unknown>>({
          max: MAX_CACHED_ANSWERS,
          maxSize: MAX_CACHE_BYTES,
          ttl: 1000,
          ttlResolution: 0,
          // A moment 0 means "no limit" to this cache, so its clock never returns 0.
          perf: { now: () => context.clock.monotonicMillis() + 1 },
        })
      : undefined;
  }

  /** A cached answer that is still valid. */
  cached<T>(request: ApiRequest<T>): Answer<T> | undefined {
    return this.#cache?.get(request.path) as Answer<T> | undefined;
  }

  /** Sends a request, or joins an identical one under way. Rejects with ApiError or the signal's reason. */
  request<T>(request: ApiRequest<T>, attempt: AttemptOptions): Promise<Answer<T>> {
    const cached = attempt.fresh ? undefined : this.cached(request);
    if (cached !== undefined) return Promise.resolve(cached);
    return this.#singleFlight.run(attempt.lane, request.path, attempt.signal, (signal) =>
      this.#fetch(request, { ...attempt, signal }),
    );
  }

  target(what: string): RequestTarget {
    return { network: this.#context.network, node: this.name, what };
  }

  /** The source and time of an answer with these headers. */
  asOf(headers: HttpResponse["headers"]): AsOf {
    return {
      network: this.#context.network,
      node: this.name,
      ...readBlock(headers),
      receivedAt: this.#context.clock.wallClock(),
      simulated: this.#context.simulated,
    };
  }

  /** Records the block of an answer. A time implausibly far ahead of the wall clock is discarded. */
  recordBlock({ blockTime: time, blockHeight: height, receivedAt }: AsOf): void {
    if (time === undefined && height === undefined) return;
    const ahead = time === undefined ? 0 : millisBetween(receivedAt, time);
    this.lastSeenBlock =
      ahead > DEFAULT_THRESHOLDS.aheadMillis
        ? undefined
        : { time, height, atMillis: this.#context.clock.monotonicMillis() };
  }

  /** Waits for the rate budget to allow one request. Rejects with ApiError or the signal's reason. */
  async admit(what: string, attempt: AttemptOptions): Promise<void> {
    this.breaker.throwIfRefused(this.target(what));
    if (this.budget.tryTake(attempt.lane)) return;
    const { limits, clock } = this.#context;
    const longest = Math.min(
      attempt.queueMillis ?? limits.queueMillis,
      attempt.deadlineMillis - clock.monotonicMillis(),
    );
    try {
      await this.budget.take(attempt.lane, longest, attempt.signal);
    } catch (error) {
      if (!(error instanceof BudgetExhausted)) throw error;
      const why = `has had all the questions that its rate limit allows for now; try again in ${Math.ceil(error.waitMillis / 1000)} s`;
      throw nodeFailure("rate-limited", why, this.target(what), { retryAfterMillis: error.waitMillis, cause: error });
    }
    // Meanwhile the node may have refused another request.
    this.breaker.throwIfRefused(this.target(what));
  }

  /** Applies the remaining quota in an answer's headers to the rate budget. */
  observeHeaders(headers: HttpResponse["headers"]): void {
    const remaining = headers["ratelimit-remaining"];
    if (typeof remaining === "string" && /^\d{1,9}$/u.test(remaining)) this.budget.observeRemaining(Number(remaining));
  }

  /** Records a failure in the circuit breaker and the rate budget. `isFault`: it is the node's beyond doubt. */
  recordFailure(error: ApiError, isFault = false): void {
    if (this.breaker.recordFailure(error, isFault)) {
      this.#context.log.warn(
        { network: this.#context.network, node: this.name, kind: error.kind, why: error.tried.at(-1)?.why },
        "circuit open",
      );
    }
    if (error.kind === "rate-limited" && error.httpStatus !== undefined) this.budget.observeRemaining(0);
  }

  /** Reports the outcome of a request to `onRequest`. */
  reportOutcome(exchange: Promise<{ readonly status?: number }>): void {
    const { onRequest, clock, network } = this.#context;
    if (onRequest === undefined) {
      // The caller gets the error elsewhere.
      exchange.catch(() => undefined);
      return;
    }
    const from = clock.monotonicMillis();
    const report = (outcome: string): void =>
      onRequest({ network, node: this.name, outcome, millis: clock.monotonicMillis() - from });
    exchange.then(
      ({ status = 200 }) => report(status === 200 ? "ok" : `http ${status}`),
      (error: unknown) => report(faultKind(error)),
    );
  }

  async close(): Promise<void> {
    this.exportSlot.close();
    this.budget.close(nodeFailure("unreachable", "was not asked: the client is closed", this.target("anything")));
    await this.http.close();
  }

  async #fetch<T>(request: ApiRequest<T>, attempt: AttemptOptions): Promise<Answer<T>> {
    const target = this.target(request.what);
    try {
      const { path, legacyPath } = request;
      const response = await (legacyPath === undefined
        ? this.#send(path, request, attempt)
        : this.#sendInEitherDialect(legacyPath, request, attempt));
      if (response.status !== 200) throw failureOfResponse(response, target);
      // Stamped before parsing, which takes a while for a long answer.
      const asOf = this.asOf(response.headers);
      const value = request.pick(parseResponse(response, request.schema, target) as never);
      this.breaker.recordSuccess();
      const answer: Answer<T> = { value, asOf, bytes: response.text.length };
      this.recordBlock(answer.asOf);
      if (this.#cache !== undefined) this.#store(request, answer, response.text.length);
      return answer;
    } catch (error) {
      const failure = this.#failureOf(error, target);
      if (failure === undefined) throw error;
      this.recordFailure(failure);
      throw failure;
    }
  }

  /** Sends in the last working dialect, and retries in the other one if the route is missing. */
  async #sendInEitherDialect(
    legacyPath: string,
    request: ApiRequest<unknown>,
    attempt: AttemptOptions,
  ): Promise<HttpResponse> {
    const { path } = request;
    const legacy = this.speaksLegacy;
    const first = await this.#send(legacy ? legacyPath : path, request, attempt);
    if (!isRouteMissingResponse(first)) return first;
    const second = await this.#send(legacy ? path : legacyPath, request, attempt);
    if (!isRouteMissingResponse(second)) this.speaksLegacy = !legacy;
    return second;
  }

  async #send(path: string, { what, maxBytes }: ApiRequest<unknown>, attempt: AttemptOptions): Promise<HttpResponse> {
    const { limits, clock } = this.#context;
    this.breaker.throwIfRefused(this.target(what));
    if (!this.budget.tryTake(attempt.lane)) await this.admit(what, attempt);
    const { signal } = attempt;
    const left = attempt.deadlineMillis - clock.monotonicMillis();
    const exchange = this.http.get(path, {
      timeoutMillis: Math.max(1, Math.min(limits.tryMillis, left)),
      maxBytes,
    });
    this.reportOutcome(exchange.response);
    if (signal === undefined) return this.#observe(await exchange.response);
    const cancel = (): void => exchange.cancel(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return this.#observe(await exchange.response);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #observe(response: HttpResponse): HttpResponse {
    this.observeHeaders(response.headers);
    return response;
  }

  #store<T>(request: ApiRequest<T>, answer: Answer<T>, bytes: number): void {
    const ttl =
      typeof request.cacheMillis === "number" ? request.cacheMillis : request.cacheMillis(answer.value as never);
    if (ttl > 0 && bytes <= MAX_CACHED_BODY_BYTES) this.#cache?.set(request.path, answer, { ttl, size: bytes + 1 });
  }

  /** Undefined for an abort or a bug: neither is a failure of the node. */
  #failureOf(error: unknown, target: RequestTarget): ApiError | undefined {
    if (error instanceof ApiError) return error;
    if (error instanceof HttpFault) return failureOfFault(error, target);
    if (error instanceof MissingFieldError) {
      const why = `sent an answer that cannot be understood: ${error.path} is missing`;
      return nodeFailure("unreadable", why, target, { path: error.path, httpStatus: 200 });
    }
    return undefined;
  }
}

function faultKind(error: unknown): string {
  if (error instanceof HttpFault) return error.kind;
  if (!(error instanceof ApiError)) return "cancelled";
  return error.httpStatus === undefined ? error.kind : `http ${error.httpStatus}`;
}
