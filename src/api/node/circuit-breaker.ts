import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import type { NodeHealth } from "../api-client.ts";
import type { ApiError } from "../api-error.ts";
import type { Clock } from "../clock.ts";
import { nodeFailure, type RequestTarget } from "../http/node-failure.ts";

/** The first rest of a failing node; it doubles with each failure in a row. */
const FIRST_OPEN_MILLIS: Milliseconds = 1000;
const MAX_OPEN_MILLIS: Milliseconds = 30_000;
/** After a 429 nothing is sent for at least this long, and up to twice as long. */
const FIRST_REFUSED_MILLIS: Milliseconds = 1000;
const MAX_REFUSED_MILLIS: Milliseconds = 60_000;
/** For how long one caller has a node that rested to itself, to see whether it is back. */
const PROBE_MILLIS: Milliseconds = 10_000;

/**
 * When a node is left alone. A node that fails is passed over where there is another; a node that refuses us (429, 403)
 * is not asked at all, since every further request would bring a ban nearer.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #random: () => number;
  #refusal: { kind: "rate-limited" | "banned"; untilMillis: Milliseconds } | undefined;
  #refusals = 0;
  #failures = 0;
  #failingUntilMillis = 0;
  #probeUntilMillis = 0;
  #lastError: string | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Throws ApiError while the node refuses us. */
  throwIfRefused(asked: RequestTarget): void {
    if (this.#refusal === undefined) return;
    const left = this.refusedForMillis;
    if (left === 0) return;
    const why = `is left alone for another ${formatDuration(left)}, since it ${
      this.#refusal.kind === "banned" ? "refuses our requests (HTTP 403)" : "got too many requests (HTTP 429)"
    }`;
    throw nodeFailure(this.#refusal.kind, why, asked, { retryAfterMillis: left });
  }

  /** How long the node must not be asked at all, in whole milliseconds; 0 = it may. */
  get refusedForMillis(): Milliseconds {
    return this.#refusal === undefined
      ? 0
      : Math.max(0, Math.ceil(this.#refusal.untilMillis - this.#clock.monotonicMillis()));
  }

  /** True for whoever may ask it first: always while it is well; of a node whose rest is over, for one caller at a time. */
  tryAcquire(): boolean {
    if (this.#failures === 0) return true;
    const now = this.#clock.monotonicMillis();
    if (now < this.#failingUntilMillis || now < this.#probeUntilMillis) return false;
    this.#probeUntilMillis = now + PROBE_MILLIS;
    return true;
  }

  recordSuccess(): void {
    if (this.#failures === 0 && this.#refusals === 0) return;
    this.#failures = 0;
    this.#refusals = 0;
    this.#probeUntilMillis = 0;
  }

  /** True when the node goes to rest by this failure. */
  recordFailure(error: ApiError): boolean {
    if (error.httpStatus === 429 || error.httpStatus === 403) return this.#refused(error);
    if (!isNodesFault(error)) return false;
    this.#lastError = error.tried.at(-1)?.why;
    this.#probeUntilMillis = 0;
    const now = this.#clock.monotonicMillis();
    // Many requests that fail together are one failure.
    if (now < this.#failingUntilMillis) return false;
    const rest = Math.min(MAX_OPEN_MILLIS, FIRST_OPEN_MILLIS * 2 ** this.#failures);
    this.#failures += 1;
    this.#failingUntilMillis = now + rest * (0.75 + this.#random() / 2);
    return true;
  }

  get health(): NodeHealth {
    const now = this.#clock.monotonicMillis();
    const until = Math.max(this.#refusal?.untilMillis ?? 0, this.#failures === 0 ? 0 : this.#failingUntilMillis);
    const resting = until > now;
    return {
      circuitOpen: resting,
      ...(resting
        ? { circuitOpenUntilMillis: Math.ceil(Number(this.#clock.wallClock() / 1_000_000n) + until - now) }
        : {}),
      ...(this.#lastError === undefined || (!resting && this.#failures === 0) ? {} : { lastError: this.#lastError }),
    };
  }

  #refused(error: ApiError): boolean {
    this.#lastError = error.tried.at(-1)?.why;
    const now = this.#clock.monotonicMillis();
    const before = this.#refusal?.untilMillis ?? 0;
    const kind = error.httpStatus === 403 ? "banned" : "rate-limited";
    // Requests under way together are refused together: that is one refusal.
    if (kind === "rate-limited" && now < before) return false;
    let rest = error.retryAfterMillis ?? 0;
    if (kind === "rate-limited") {
      const patience = Math.min(MAX_REFUSED_MILLIS, FIRST_REFUSED_MILLIS * 2 ** this.#refusals);
      rest = Math.max(rest, patience) * (1 + this.#random());
      this.#refusals += 1;
    }
    if (now + rest <= before) return false;
    this.#refusal = { kind, untilMillis: now + rest };
    return true;
  }
}

/** Failures that say something about the node, not about the question. */
function isNodesFault(error: ApiError): boolean {
  switch (error.kind) {
    case "unreachable":
    case "timeout":
      return true;
    case "server":
      return error.httpStatus !== 500 || error.code === undefined;
    case "unreadable":
      return error.path === undefined;
    default:
      return false;
  }
}
