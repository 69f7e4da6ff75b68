import { formatDuration, type Milliseconds } from "../../units/time.ts";
import type { NodeHealth } from "../api-client.ts";
import type { ApiError } from "../api-error.ts";
import type { Clock } from "../clock.ts";
import { nodeFailure, type RequestTarget } from "../http/node-failure.ts";

/** How long the circuit opens after the first failure; doubled with each further failure in a row. */
const FIRST_OPEN_MILLIS: Milliseconds = 1000;
const MAX_OPEN_MILLIS: Milliseconds = 30_000;
/** The minimum pause after a 429; the maximum is twice as long. */
const FIRST_REFUSED_MILLIS: Milliseconds = 1000;
const MAX_REFUSED_MILLIS: Milliseconds = 60_000;
/** How long a half-open circuit admits only one caller, as a probe. */
const PROBE_MILLIS: Milliseconds = 10_000;

/**
 * A circuit breaker for one node. A failing node is skipped where there is another one; a node that refuses requests
 * (429, 403) gets none at all, since further requests can lead to a ban.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #random: () => number;
  #refusal: { kind: "rate-limited" | "banned"; untilMillis: Milliseconds } | undefined;
  #refusals = 0;
  #failures = 0;
  #openUntilMillis = 0;
  #probeUntilMillis = 0;
  #lastError: string | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Throws ApiError while the node refuses requests. */
  throwIfRefused(target: RequestTarget): void {
    if (this.#refusal === undefined) return;
    const left = this.refusedForMillis;
    if (left === 0) return;
    const why = `is left alone for another ${formatDuration(left)}, since it ${
      this.#refusal.kind === "banned" ? "refuses our requests (HTTP 403)" : "got too many requests (HTTP 429)"
    }`;
    throw nodeFailure(this.#refusal.kind, why, target, { retryAfterMillis: left });
  }

  /** Milliseconds until the node accepts requests again after a refusal; 0 = now. */
  get refusedForMillis(): Milliseconds {
    return this.#refusal === undefined
      ? 0
      : Math.max(0, Math.ceil(this.#refusal.untilMillis - this.#clock.monotonicMillis()));
  }

  /** True while the circuit is closed; false while it is open. Half-open, true for one caller at a time. */
  tryAcquire(): boolean {
    if (this.#failures === 0) return true;
    const now = this.#clock.monotonicMillis();
    if (now < this.#openUntilMillis || now < this.#probeUntilMillis) return false;
    this.#probeUntilMillis = now + PROBE_MILLIS;
    return true;
  }

  recordSuccess(): void {
    if (this.#failures === 0 && this.#refusals === 0) return;
    this.#failures = 0;
    this.#refusals = 0;
    this.#probeUntilMillis = 0;
  }

  /** True when this failure opens the circuit. `isFault`: it is the node's beyond doubt. */
  recordFailure(error: ApiError, isFault = false): boolean {
    if (error.httpStatus === 429 || error.httpStatus === 403) return this.#recordRefusal(error);
    if (!isFault && !isNodesFault(error)) return false;
    this.#lastError = error.tried.at(-1)?.why;
    this.#probeUntilMillis = 0;
    const now = this.#clock.monotonicMillis();
    // Concurrent requests that fail count as one failure.
    if (now < this.#openUntilMillis) return false;
    const openMillis = Math.min(MAX_OPEN_MILLIS, FIRST_OPEN_MILLIS * 2 ** this.#failures);
    this.#failures += 1;
    this.#openUntilMillis = now + openMillis * (0.75 + this.#random() / 2);
    return true;
  }

  get health(): NodeHealth {
    const now = this.#clock.monotonicMillis();
    const until = Math.max(this.#refusal?.untilMillis ?? 0, this.#failures === 0 ? 0 : this.#openUntilMillis);
    const open = until > now;
    return {
      circuitOpen: open,
      ...(open
        ? { circuitOpenUntilMillis: Math.ceil(Number(this.#clock.wallClock() / 1_000_000n) + until - now) }
        : {}),
      ...(this.#lastError === undefined || (!open && this.#failures === 0) ? {} : { lastError: this.#lastError }),
    };
  }

  #recordRefusal(error: ApiError): boolean {
    this.#lastError = error.tried.at(-1)?.why;
    const now = this.#clock.monotonicMillis();
    const refusedUntilMillis = this.#refusal?.untilMillis ?? 0;
    const kind = error.httpStatus === 403 ? "banned" : "rate-limited";
    // Concurrent requests that are refused count as one refusal.
    if (kind === "rate-limited" && now < refusedUntilMillis) return false;
    let openMillis = error.retryAfterMillis ?? 0;
    if (kind === "rate-limited") {
      const minWaitMillis = Math.min(MAX_REFUSED_MILLIS, FIRST_REFUSED_MILLIS * 2 ** this.#refusals);
      openMillis = Math.max(openMillis, minWaitMillis) * (1 + this.#random());
      this.#refusals += 1;
    }
    if (now + openMillis <= refusedUntilMillis) return false;
    this.#refusal = { kind, untilMillis: now + openMillis };
    return true;
  }
}

/** Whether the node caused the failure, not the request. */
function isNodesFault(error: ApiError): boolean {
  switch (error.kind) {
    case "unreachable":
    case "timeout":
    case "cut":
      return true;
    case "server":
      return error.httpStatus !== 500 || error.code === undefined;
    case "unreadable":
      return error.path === undefined;
    default:
      return false;
  }
}
