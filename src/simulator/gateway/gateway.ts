// The errors and query parameters of the gRPC gateway in front of every data node. `pages.ts` pages lists.

/**
 * gRPC status codes, the HTTP status that grpc-gateway gives each (github.com/grpc-ecosystem/grpc-gateway), and the
 * message, which names only the kind of error.
 */
const STATUSES = {
  invalidArgument: [3, 400, "Bad Request"],
  deadlineExceeded: [4, 504, "Gateway Timeout"],
  notFound: [5, 404, "Not Found"],
  permissionDenied: [7, 403, "Forbidden"],
  resourceExhausted: [8, 429, "Too Many Requests"],
  unimplemented: [12, 501, "Method Not Allowed"],
  internal: [13, 500, "Internal error"],
  unavailable: [14, 503, "Unavailable"],
} as const;

type GrpcStatus = keyof typeof STATUSES;

export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly details: readonly Record<string, unknown>[];
}

/** An error response in a data node's format. */
export class WireFailure extends Error {
  override readonly name = "WireFailure";
  readonly httpStatus: number;
  readonly body: ErrorBody;

  constructor(status: GrpcStatus, message?: string, details: readonly Record<string, unknown>[] = []) {
    const [code, httpStatus, words] = STATUSES[status];
    super(message ?? words);
    this.httpStatus = httpStatus;
    this.body = { code, message: this.message, details };
  }
}

/** The details explain the error; the message names only its kind. */
export function entityFailure(status: GrpcStatus, message: string, inner?: string): WireFailure {
  const detail = { "@type": "type.googleapis.com/vega.ErrorDetail", code: 10_000, message };
  return new WireFailure(status, undefined, [inner === undefined ? detail : { ...detail, inner }]);
}

export function entityNotFound(noun: string): WireFailure {
  return entityFailure("notFound", `${noun} not found`, "no resource corresponding to this id");
}

/** Crashes the whole node: the connection ends without a reply. */
export class NodeCrash extends Error {
  override readonly name = "NodeCrash";
}

/** A proxy in front of the node answers with an error page. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  readonly httpStatus: number;

  constructor(httpStatus: number) {
    super(`HTTP ${httpStatus}`);
    this.httpStatus = httpStatus;
  }
}

// Query parameters as the gateway parses them before any handler: a value of the wrong type is refused without details.

/** Undefined where absent. Throws WireFailure (400) in the words of the gateway's parser. */
export function readInt32(query: URLSearchParams, name: string): number | undefined {
  const value = readInteger(query, name, 2n ** 31n);
  return value === undefined ? undefined : Number(value);
}

/** Undefined where absent. Throws WireFailure (400) in the words of the gateway's parser. */
export function readInt64(query: URLSearchParams, name: string): bigint | undefined {
  return readInteger(query, name, 2n ** 63n);
}

/** Undefined where absent. Throws WireFailure (400) in the words of the gateway's parser. */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(text)) return false;
  throw mismatch(name, "strconv.ParseBool", text, "invalid syntax");
}

function readInteger(query: URLSearchParams, name: string, beyond: bigint): bigint | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d{1,100}$/u.test(text)) throw mismatch(name, "strconv.ParseInt", text, "invalid syntax");
  const value = BigInt(text.replace("+", ""));
  if (value >= beyond || value < -beyond) throw mismatch(name, "strconv.ParseInt", text, "value out of range");
  return value;
}

function mismatch(name: string, parser: string, text: string, why: string): WireFailure {
  return new WireFailure(
    "invalidArgument",
    `type mismatch, parameter: ${name}, error: ${parser}: parsing ${JSON.stringify(text)}: ${why}`,
  );
}
