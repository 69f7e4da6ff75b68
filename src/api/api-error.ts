import { redact } from "../units/redact.ts";

/** Why a data node gave no usable answer. */
export type ApiErrorKind =
  /** No connection, or it dropped. */
  | "unreachable"
  | "timeout"
  /** 429, or this process's own budget for the node is spent. */
  | "rate-limited"
  /** 403: the node refuses this address for a while. */
  | "banned"
  /** 404 about an entity: the node knows of no such thing. */
  | "not-found"
  /** 400: the node says the request is wrong. */
  | "invalid"
  /** 5xx. */
  | "server"
  /** Any other status. */
  | "refused"
  /** 200 with a malformed or too large body. */
  | "unreadable"
  /** Connection lost in mid-stream. */
  | "cut";

/** One node's attempt in a failed call. */
export interface Attempt {
  readonly node: string;
  readonly why: string;
}

/** A failure of a node or network: the message is a plain sentence that names the node and quotes its words. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly kind: ApiErrorKind;
  readonly network!: string;
  /** The node's name as people see it: host and port, no credentials, no query. */
  readonly node!: string;
  readonly httpStatus: number | undefined;
  /** gRPC code. */
  readonly code: number | undefined;
  /** `message` of the node's error body. */
  readonly nodeMessage: string | undefined;
  /** details[].message and details[].inner of that body: the words worth showing. */
  readonly innerWords: string | undefined;
  /** The JSON path of the error: `marketsData[3].markPrice`. */
  readonly path: string | undefined;
  /** The node's Retry-After, in milliseconds. */
  readonly retryAfterMillis: number | undefined;
  /** A web page, a proxy or another service answers at the node's address, not a data node. */
  readonly foreign: boolean = false;
  /** All attempts, in order. The error itself is the most informative of them. */
  readonly tried: readonly Attempt[] = [];

  constructor(kind: ApiErrorKind, message: string, more: Pick<ApiError, "network" | "node"> & FailureDetails) {
    super(redact(message), { cause: more.cause });
    this.kind = kind;
    Object.assign(this, more);
  }
}

/** What may be known of a failure. */
export type FailureDetails = Partial<Omit<ApiError, "name" | "message" | "stack" | "kind" | "network" | "node">>;

/** For `catch`: a node's failure as a value. Throws anything else again. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  throw thrown;
}

/** Whether a node answered at all, even uselessly. */
export function didAnswer({ kind }: ApiError): boolean {
  return kind !== "unreachable" && kind !== "timeout";
}
