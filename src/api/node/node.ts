import { LRUCache } from "lru-cache";

import type { Log } from "../../log.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Answer, AsOf, ClientLimits } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { CancelSignal } from "../cancellation.ts";
import type { Clock } from "../clock.ts";
import { parseBaseUrl } from "../http/base-url.ts";
import { saysRouteMissing } from "../http/error-body.ts";
import { HttpFault } from "../http/http-fault.ts";
import { type HttpClient, type HttpDispatcher, type HttpResponse, openHttp } from "../http/http.ts";
import { failureOfFault, failureOfResponse, nodeFailure, type RequestTarget } from "../http/node-failure.ts";
import { parseLongList, parseResponse } from "../http/parse-response.ts";
import { readBlock } from "../http/response-headers.ts";
import { type ApiRequest, MissingFieldError } from "../model/requests.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../verdict/verdict.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { ExportSlot } from "./export-slot.ts";
import type { LastSeenBlock } from "./last-seen-block.ts";
import { BudgetExhausted, type Lane, RateBudget } from "./rate-budget.ts";
import { SingleFlight } from "./single-flight.ts";

/** What came of one HTTP request to a node, for metrics. */
export interface NodeRequest {
  readonly network: string;
  readonly node: string;
  /** `ok`, `http 503`, an HttpFault's kind, or `cancelled` where nobody waited any longer. */
  readonly outcome: string;
  readonly millis: Milliseconds;
}

/** What all endpoints of one client share. */
export interface ClientContext {
  readonly network: string;
  readonly simulated: boolean;
  readonly log: Log;
  readonly limits: ClientLimits;
  readonly clock: Clock;
  readonly random: () => number;
  readonly cache: boolean;
  readonly dispatcher?: HttpDispatcher;
  readonly onRequest?: (request: NodeRequest) => void;
}

/** How one try is made. */
export interface AttemptOptions {
  readonly lane: Lane;
  readonly fresh: boolean;
  /** Until when, on the monotonic clock. */
  readonly deadlineMillis: Milliseconds;
  readonly signal?: CancelSignal | undefined;
  /** Where every node wants to be left alone for a moment, that moment is waited for. Default false. */
  readonly waits?: boolean;
}

/** Answers kept per endpoint, and the longest body that is worth keeping. */
const MAX_CACHED_ANSWERS = 500;
const MAX_CACHED_BODY_BYTES = 8 * 1024 * 1024;
/** All bodies that are kept, together. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024;

/** One base URL: its connections, its budget, its rests, its dialect, and what it answered lately. */
export class NodeEndpoint {
  readonly name: string;
  readonly http: HttpClient;
  readonly breaker: CircuitBreaker;
  readonly budget: RateBudget;
  readonly exportSlot: ExportSlot;
  readonly #around: ClientContext;
  readonly #flights = new SingleFlight();
  readonly #kept: LRUCache<string, Answer<unknown>> | undefined;
  readonly #hide: RequestTarget["redact"];
  #speaksOther = false;
  #sighting: LastSeenBlock | undefined;

  constructor(url: string, name: string | undefined, around: ClientContext) {
    const base = parseBaseUrl(url);
    this.name = name ?? base.name;
    this.#hide = base.redact;
    this.http = openHttp(base, around.dispatcher === undefined ? {} : { dispatcher: around.dispatcher });
    this.breaker = new CircuitBreaker(around.clock, around.random);
    this.budget = new RateBudget(
      {
        requestsPerSecond: around.limits.requestsPerSecond,
        burst: around.limits.burst,
        reserved: around.limits.reservedForWatchers,
      },
      around.clock,
    );
    this.exportSlot = new ExportSlot(around.clock, around.limits.exportPauseMillis);
    this.#around = around;
    this.#kept = around.cache
      ? new LRUCache<string, Answer<unknown>>({
          max: MAX_CACHED_ANSWERS,
          maxSize: MAX_CACHE_BYTES,
          ttl: 1000,
          ttlResolution: 0,
          // A moment 0 means "no limit" to this cache, so the clock is kept off it.
          perf: { now: () => around.clock.monotonicMillis() + 1 },
        })
      : undefined;
  }

  /** An answer that still holds. */
  cached<T>(asked: ApiRequest<T>): Answer<T> | undefined {
    return this.#kept?.get(asked.path) as Answer<T> | undefined;
  }

  /** Asks once, or joins whoever is asking the same. Rejects with ApiError or the signal's reason. */
  request<T>(asked: ApiRequest<T>, attempt: AttemptOptions): Promise<Answer<T>> {
    const kept = attempt.fresh ? undefined : this.cached(asked);
    if (kept !== undefined) return Promise.resolve(kept);
    return this.#flights.run(attempt.lane, asked.path, attempt.signal, (signal) =>
      this.#askNow(asked, { ...attempt, signal }),
    );
  }

  asked(what: string): RequestTarget {
    return { network: this.#around.network, node: this.name, what, redact: this.#hide };
  }

  /** From where and as of when an answer with these headers is. */
  asOf(headers: HttpResponse["headers"]): AsOf {
    return {
      network: this.#around.network,
      node: this.name,
      ...readBlock(headers),
      receivedAt: this.#around.clock.wallClock(),
      simulated: this.#around.simulated,
    };
  }

  /** How far the node had got when it last said so. */
  get lastSeenBlock(): LastSeenBlock | undefined {
    return this.#sighting;
  }

  /** Learns from an answer how far the node has got. One that is ahead of the wall clock beyond belief says nothing. */
  recordBlock({ blockTime: time, blockHeight: height, receivedAt }: AsOf): void {
    if (time === undefined && height === undefined) return;
    const ahead = time === undefined ? 0 : millisBetween(receivedAt, time);
    this.#sighting =
      ahead > DEFAULT_THRESHOLDS.aheadMillis
        ? undefined
        : { time, height, atMillis: this.#around.clock.monotonicMillis() };
  }

  /** Waits for leave to send one request. Rejects with ApiError or the signal's reason. */
  async admit(what: string, attempt: AttemptOptions): Promise<void> {
    this.breaker.throwIfRefused(this.asked(what));
    if (this.budget.tryTake(attempt.lane)) return;
    const { limits, clock } = this.#around;
    const longest = Math.min(limits.queueMillis, attempt.deadlineMillis - clock.monotonicMillis());
    try {
      await this.budget.take(attempt.lane, longest, attempt.signal);
    } catch (error) {
      if (!(error instanceof BudgetExhausted)) throw error;
      const why = `has had all the questions that its rate limit allows for now; try again in ${Math.ceil(error.waitMillis / 1000)} s`;
      throw nodeFailure("rate-limited", why, this.asked(what), { retryAfterMillis: error.waitMillis, cause: error });
    }
    // Meanwhile the node may have refused somebody else.
    this.breaker.throwIfRefused(this.asked(what));
  }

  /** Learns from an answer's headers how much of the node's own limit is left. */
  observeHeaders(headers: HttpResponse["headers"]): void {
    const remaining = headers["ratelimit-remaining"];
    if (typeof remaining === "string" && /^\d{1,9}$/u.test(remaining)) this.budget.observeRemaining(Number(remaining));
  }

  /** Draws the consequences of a failure: what it means for who asks this node next. */
  recordFailure(error: ApiError): void {
    if (this.breaker.recordFailure(error)) {
      this.#around.log.warn(
        { network: this.#around.network, node: this.name, kind: error.kind, why: error.tried.at(-1)?.why },
        "a node rests",
      );
    }
    if (error.kind === "rate-limited" && error.httpStatus !== undefined) this.budget.observeRemaining(0);
  }

  /** Tells whoever measures how a request ends. */
  reportOutcome(request: Promise<{ readonly status?: number }>): void {
    const { onRequest, clock, network } = this.#around;
    if (onRequest === undefined) {
      // The promise may be one made for this alone; its failure is told to whoever asked.
      request.catch(() => undefined);
      return;
    }
    const from = clock.monotonicMillis();
    const tell = (outcome: string): void =>
      onRequest({ network, node: this.name, outcome, millis: clock.monotonicMillis() - from });
    request.then(
      ({ status = 200 }) => tell(status === 200 ? "ok" : `http ${status}`),
      (error: unknown) => tell(faultKind(error)),
    );
  }

  async close(): Promise<void> {
    this.budget.close(nodeFailure("unreachable", "was not asked: the client is closed", this.asked("anything")));
    await this.http.close();
  }

  async #askNow<T>(asked: ApiRequest<T>, attempt: AttemptOptions): Promise<Answer<T>> {
    const about = this.asked(asked.what);
    try {
      const { path, legacyPath } = asked;
      const reply = await (legacyPath === undefined
        ? this.#send(path, about, attempt)
        : this.#sendInEither(path, legacyPath, about, attempt));
      if (reply.status !== 200) throw failureOfResponse(reply, about);
      // A long answer is read for a while, and is as of when it came.
      const asOf = this.asOf(reply.headers);
      const { schema, list } = asked;
      const read =
        list === undefined ? parseResponse(reply, schema, about) : await parseLongList(reply, schema, list, about);
      const value = asked.pick(read as never);
      this.breaker.recordSuccess();
      const answer: Answer<T> = { value, asOf };
      this.recordBlock(answer.asOf);
      if (this.#kept !== undefined) this.#keep(asked, answer, reply.body.length);
      return answer;
    } catch (error) {
      const failure = this.#failureOf(error, about);
      if (failure === undefined) throw error;
      this.recordFailure(failure);
      throw failure;
    }
  }

  /** Sends the question in the dialect that the node is known to speak, and in the other one where it knows no such route. */
  async #sendInEither(
    path: string,
    otherPath: string,
    about: RequestTarget,
    attempt: AttemptOptions,
  ): Promise<HttpResponse> {
    const other = this.#speaksOther;
    const first = await this.#send(other ? otherPath : path, about, attempt);
    if (!saysRouteMissing(first)) return first;
    const second = await this.#send(other ? path : otherPath, about, attempt);
    if (!saysRouteMissing(second)) this.#speaksOther = !other;
    return second;
  }

  async #send(path: string, about: RequestTarget, attempt: AttemptOptions): Promise<HttpResponse> {
    const { limits, clock } = this.#around;
    this.breaker.throwIfRefused(about);
    if (!this.budget.tryTake(attempt.lane)) await this.admit(about.what, attempt);
    const { signal } = attempt;
    const left = attempt.deadlineMillis - clock.monotonicMillis();
    const exchange = this.http.get(path, {
      timeoutMillis: Math.max(1, Math.min(limits.tryMillis, left)),
      maxBytes: limits.maxBodyBytes,
    });
    this.reportOutcome(exchange.response);
    if (signal === undefined) return this.#observed(await exchange.response);
    const cancel = (): void => exchange.cancel(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return this.#observed(await exchange.response);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #observed(reply: HttpResponse): HttpResponse {
    this.observeHeaders(reply.headers);
    return reply;
  }

  #keep<T>(asked: ApiRequest<T>, answer: Answer<T>, bytes: number): void {
    const ttl = typeof asked.keepMillis === "number" ? asked.keepMillis : asked.keepMillis(answer.value as never);
    if (ttl > 0 && bytes <= MAX_CACHED_BODY_BYTES) this.#kept?.set(asked.path, answer, { ttl, size: bytes + 1 });
  }

  /** Undefined for what is no failure of the node: an abort, or a bug. */
  #failureOf(error: unknown, about: RequestTarget): ApiError | undefined {
    if (error instanceof ApiError) return error;
    if (error instanceof HttpFault) return failureOfFault(error, about);
    if (error instanceof MissingFieldError) {
      const why = `sent an answer that cannot be understood: ${error.path} is missing`;
      return nodeFailure("unreadable", why, about, { path: error.path, httpStatus: 200 });
    }
    return undefined;
  }
}

function faultKind(error: unknown): string {
  if (error instanceof HttpFault) return error.kind;
  if (!(error instanceof ApiError)) return "cancelled";
  return error.httpStatus === undefined ? error.kind : `http ${error.httpStatus}`;
}
