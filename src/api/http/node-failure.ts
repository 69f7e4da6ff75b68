import { formatDuration, type Milliseconds } from "../../units/time.ts";
import { ApiError, type ApiErrorKind, type Attempt, type FailureDetails } from "../api-error.ts";
import { type ErrorBody, isRouteMissing, readErrorBody } from "./error-body.ts";
import type { HttpFault, HttpFaultKind } from "./http-fault.ts";
import type { HttpHeaders, HttpResponse } from "./http.ts";

/** The node and the subject of a request, for error messages. */
export interface RequestTarget {
  readonly network: string;
  readonly node: string;
  /** A noun phrase: "the network time", "order 8f3a…". */
  readonly what: string;
}

/** How long a ban lasts where the node does not say; that of a standard node. */
const BAN_MILLIS: Milliseconds = 600_000;

/** A failure of one node; `why` is a clause that follows the node's name. */
export function nodeFailure(
  kind: ApiErrorKind,
  why: string,
  target: RequestTarget,
  more: FailureDetails = {},
): ApiError {
  const { network, node } = target;
  const tried = [{ node, why }];
  return new ApiError(kind, sentence(target, tried), { ...more, network, node, tried });
}

/** The same failure, as the result of a call with several attempts. */
export function withAttempts(
  error: ApiError,
  target: Omit<RequestTarget, "node">,
  tried: readonly Attempt[],
): ApiError {
  const { kind, cause, ...more } = error;
  return new ApiError(kind, sentence(target, tried), { ...more, tried, cause });
}

/** What an error body tells of a failure. */
export function detailsOf({ code, message, innerWords }: ErrorBody): FailureDetails {
  return { code, nodeMessage: message, innerWords };
}

const KIND_OF_FAULT: Record<HttpFaultKind, ApiErrorKind> = {
  unreachable: "unreachable",
  timeout: "timeout",
  cut: "unreachable",
  "too-large": "unreadable",
  "not-http": "unreadable",
};

export function failureOfFault(fault: HttpFault, target: RequestTarget): ApiError {
  return nodeFailure(KIND_OF_FAULT[fault.kind], fault.message, target, { cause: fault });
}

/** Any answer whose status is not 200. */
export function failureOfResponse(response: HttpResponse, target: RequestTarget): ApiError {
  const { status } = response;
  const body = readErrorBody(response.text);
  const words = body.innerWords ?? body.message;
  const said = words === undefined ? `answered HTTP ${status} without a word` : `says “${words}” (HTTP ${status})`;
  const more = { httpStatus: status, ...detailsOf(body) };
  if (status === 429) {
    const retryAfterMillis = readRetryAfter(response.headers) ?? 1000;
    return nodeFailure("rate-limited", "says that it gets too many requests (HTTP 429)", target, {
      ...more,
      retryAfterMillis,
    });
  }
  if (status === 403) {
    const retryAfterMillis = readRetryAfter(response.headers) ?? BAN_MILLIS;
    const why = `refuses our requests for the next ${formatDuration(retryAfterMillis)} (HTTP 403)`;
    return nodeFailure("banned", words === undefined ? why : `${why}: “${words}”`, target, {
      ...more,
      retryAfterMillis,
    });
  }
  if (isRouteMissing(status, body)) {
    return nodeFailure("refused", "has no such route (HTTP 404): is its base URL right?", target, more);
  }
  // A 404 without the interface's error is a proxy's or a router's: it says nothing about the entity.
  if (status === 404 && !body.structured) return nodeFailure("refused", said, target, { ...more, foreign: true });
  return nodeFailure(kindOfStatus(status), said, target, more);
}

function kindOfStatus(status: number): ApiErrorKind {
  if (status === 400) return "invalid";
  if (status === 404) return "not-found";
  return status >= 500 ? "server" : "refused";
}

function sentence(target: Omit<RequestTarget, "node">, tried: readonly Attempt[]): string {
  const parts = countEqual(tried).map(
    ({ node, why, times }) => `${node} ${why}${times > 1 ? ` (${times} tries)` : ""}`,
  );
  return `Could not get ${target.what} from ${target.network}: ${parts.join("; ")}${/[?!.]$/u.test(parts.at(-1) ?? "") ? "" : "."}`;
}

/** Merges equal attempts and counts them. */
function countEqual(tried: readonly Attempt[]): (Attempt & { times: number })[] {
  const merged: (Attempt & { times: number })[] = [];
  for (const attempt of tried) {
    const same = merged.find((other) => other.node === attempt.node && other.why === attempt.why);
    if (same === undefined) merged.push({ ...attempt, times: 1 });
    else same.times += 1;
  }
  return merged;
}

const MAX_RETRY_AFTER_MILLIS: Milliseconds = 24 * 3_600_000;

/** The longer wait of the two headers; a banning node sends `RateLimit-Retry-After`. */
function readRetryAfter(headers: HttpHeaders): Milliseconds | undefined {
  const wait = Math.max(
    ...["ratelimit-retry-after", "retry-after"].map((name) => parseRetryAfter(headers[name], headers)),
  );
  return wait <= 0 ? undefined : Math.min(wait, MAX_RETRY_AFTER_MILLIS);
}

/** Seconds, or a date as proxies send it, by their own clock (RFC 9110, 10.2.3); 0 where it is neither. */
function parseRetryAfter(value: HttpHeaders[string], { date }: HttpHeaders): Milliseconds {
  const text = String(value).trim();
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1000;
  const wait = text.endsWith("GMT") ? Date.parse(text) - Date.parse(String(date)) : 0;
  return Number.isNaN(wait) ? 0 : wait;
}
