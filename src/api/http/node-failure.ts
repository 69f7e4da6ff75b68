import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { ApiError, type ApiErrorKind, type Attempt } from "../api-error.ts";
import { isRouteMissing, readErrorBody } from "./error-body.ts";
import type { HttpFault, HttpFaultKind } from "./http-fault.ts";
import type { HttpHeaders, HttpResponse } from "./http.ts";

/** Whom was asked for what: the words every failure begins with. */
export interface RequestTarget {
  readonly network: string;
  readonly node: string;
  /** A noun phrase: "the network time", "order 8f3a…". */
  readonly what: string;
  /** Takes the base URL's secrets out of what the node says: many a proxy repeats the address that it was asked for. */
  readonly redact?: ((text: string) => string) | undefined;
}

type More = Omit<ConstructorParameters<typeof ApiError>[2], "network" | "node" | "tried">;

/** How long a ban lasts where the node does not say; that of a standard node. */
const BAN_MILLIS: Milliseconds = 600_000;
/** No node's wish to be left alone is believed beyond this. */
const MAX_RETRY_AFTER_MILLIS: Milliseconds = 24 * 3_600_000;

/** A failure of one node; `why` is a clause that follows the node's name. */
export function nodeFailure(kind: ApiErrorKind, why: string, asked: RequestTarget, more: More = {}): ApiError {
  const { redact } = asked;
  const attempt = { node: asked.node, why: redact?.(why) ?? why };
  return new ApiError(kind, sentence(asked, [attempt]), {
    ...(redact === undefined ? more : withoutSecrets(more, redact)),
    network: asked.network,
    node: asked.node,
    tried: [attempt],
  });
}

/** The details may hold anything anywhere, so none of them are kept. */
function withoutSecrets(more: More, hide: (text: string) => string): More {
  const { nodeMessage, innerWords } = more;
  return {
    ...more,
    nodeMessage: nodeMessage === undefined ? undefined : hide(nodeMessage),
    innerWords: innerWords === undefined ? undefined : hide(innerWords),
    details: [],
  };
}

/** The same failure, as the outcome of a call in which several tries were made. */
export function withAttempts(error: ApiError, asked: Omit<RequestTarget, "node">, tried: readonly Attempt[]): ApiError {
  const { network, node, httpStatus, code, nodeMessage, details, innerWords, path, retryAfterMillis, foreign, cause } =
    error;
  return new ApiError(error.kind, sentence(asked, tried), {
    network,
    node,
    httpStatus,
    code,
    nodeMessage,
    details,
    innerWords,
    path,
    retryAfterMillis,
    foreign,
    tried,
    cause,
  });
}

const FAULT_KINDS: Record<HttpFaultKind, ApiErrorKind> = {
  unreachable: "unreachable",
  timeout: "timeout",
  cut: "unreachable",
  "too-large": "unreadable",
  "not-http": "unreadable",
};

export function failureOfFault(fault: HttpFault, asked: RequestTarget): ApiError {
  return nodeFailure(FAULT_KINDS[fault.kind], fault.message, asked, { cause: fault });
}

/** Any answer whose status is not 200. */
export function failureOfResponse(reply: HttpResponse, asked: RequestTarget): ApiError {
  const { status } = reply;
  const body = readErrorBody(reply.body.subarray(0, 1_000_000).toString("utf8"));
  const words = body.innerWords ?? body.message;
  const said = words === undefined ? `answered HTTP ${status} without a word` : `says “${words}” (HTTP ${status})`;
  const more = {
    httpStatus: status,
    code: body.code,
    nodeMessage: body.message,
    details: body.details,
    innerWords: body.innerWords,
  };
  if (status === 429) {
    const retryAfterMillis = retryAfter(reply.headers) ?? 1000;
    return nodeFailure("rate-limited", "says that it gets too many requests (HTTP 429)", asked, {
      ...more,
      retryAfterMillis,
    });
  }
  if (status === 403) {
    const retryAfterMillis = retryAfter(reply.headers) ?? BAN_MILLIS;
    const why = `refuses our requests for the next ${formatDuration(retryAfterMillis)} (HTTP 403)`;
    return nodeFailure("banned", words === undefined ? why : `${why}: “${words}”`, asked, {
      ...more,
      retryAfterMillis,
    });
  }
  if (isRouteMissing(status, body)) {
    return nodeFailure("refused", "has no such route (HTTP 404): is its base URL right?", asked, more);
  }
  // A 404 without the interface's error is a proxy's or a router's: it says nothing about the entity.
  if (status === 404 && !body.structured) return nodeFailure("refused", said, asked, { ...more, foreign: true });
  return nodeFailure(kindOfStatus(status), said, asked, more);
}

function kindOfStatus(status: number): ApiErrorKind {
  if (status === 400) return "invalid";
  if (status === 404) return "not-found";
  return status >= 500 ? "server" : "refused";
}

/** The longer of what the two headers say; a banning node sends `RateLimit-Retry-After`. */
function retryAfter(headers: HttpHeaders): Milliseconds | undefined {
  const wait = Math.max(
    ...["ratelimit-retry-after", "retry-after"].map((name) => retryAfterMillisOf(headers[name], headers)),
  );
  return wait <= 0 ? undefined : Math.min(wait, MAX_RETRY_AFTER_MILLIS);
}

/** Seconds, or a date as proxies send it, by their own clock (RFC 9110, 10.2.3); 0 where it is neither. */
function retryAfterMillisOf(value: HttpHeaders[string], { date }: HttpHeaders): Milliseconds {
  const text = String(value).trim();
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1000;
  const wait = text.endsWith("GMT") ? Date.parse(text) - Date.parse(String(date)) : 0;
  return Number.isNaN(wait) ? 0 : wait;
}

function sentence(asked: Omit<RequestTarget, "node">, tried: readonly Attempt[]): string {
  const parts = countEqual(tried).map(
    ({ node, why, times }) => `${node} ${why}${times > 1 ? ` (${times} tries)` : ""}`,
  );
  return `Could not get ${asked.what} from ${asked.network}: ${parts.join("; ")}${/[?!.]$/u.test(parts.at(-1) ?? "") ? "" : "."}`;
}

/** Equal attempts are told once, with their number. */
function countEqual(tried: readonly Attempt[]): (Attempt & { times: number })[] {
  const merged: (Attempt & { times: number })[] = [];
  for (const attempt of tried) {
    const same = merged.find((other) => other.node === attempt.node && other.why === attempt.why);
    if (same === undefined) merged.push({ ...attempt, times: 1 });
    else same.times += 1;
  }
  return merged;
}
