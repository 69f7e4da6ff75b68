import { codeOf } from "../../errors.ts";

/** The kinds of a failed exchange. */
export type HttpFaultKind = "unreachable" | "timeout" | "too-large" | "not-http" | "cut";

/** A failed exchange; the message is a clause for people that follows the node's name: "refused the connection". */
export class HttpFault extends Error {
  override readonly name = "HttpFault";
  readonly kind: HttpFaultKind;
  /** False when the node cannot have seen the request. */
  readonly sent: boolean;

  constructor(kind: HttpFaultKind, message: string, sent: boolean, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.sent = sent;
  }
}

const CLAUSES: Record<string, string> = {
  ECONNREFUSED: "refused the connection",
  ENOTFOUND: "cannot be found: its host name is not known",
  EAI_AGAIN: "cannot be found: the name server gave no answer",
  EHOSTUNREACH: "cannot be reached: there is no route to it",
  ENETUNREACH: "cannot be reached: there is no route to it",
  ECONNRESET: "broke off the connection",
  EPIPE: "broke off the connection",
  UND_ERR_SOCKET: "broke off the connection",
  UND_ERR_CONNECT_TIMEOUT: "did not accept the connection in time",
  ETIMEDOUT: "did not accept the connection in time",
  CERT_HAS_EXPIRED: "has a TLS certificate that has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a TLS certificate that nobody vouches for",
  SELF_SIGNED_CERT_IN_CHAIN: "has a TLS certificate that nobody vouches for",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "has a TLS certificate that nobody vouches for",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a TLS certificate for another name",
  ECONNABORTED: "broke off the connection",
  EADDRNOTAVAIL: "cannot be reached: there is no route to it",
  EPROTO: "cannot agree with us on a TLS connection",
  UND_ERR_DESTROYED: "was not asked: the client is closed",
  UND_ERR_CLOSED: "was not asked: the client is closed",
};

/** The fault for a socket or parser error. */
export function httpFault(error: unknown, sent: boolean, bodyBegan: boolean): HttpFault {
  if (error instanceof HttpFault) return error;
  const code = codeOf(error);
  if (code.startsWith("ERR_SSL_") && code !== "ERR_SSL_WRONG_VERSION_NUMBER") {
    return new HttpFault("unreachable", "cannot agree with us on a TLS connection", sent, error);
  }
  if (code.startsWith("HPE_") || code === "UND_ERR_HEADERS_OVERFLOW" || code === "ERR_SSL_WRONG_VERSION_NUMBER") {
    return new HttpFault("not-http", "answered with something that is not HTTP", sent, error);
  }
  if (bodyBegan) return new HttpFault("cut", "broke off in the middle of its answer", sent, error);
  const kind = code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT" ? "timeout" : "unreachable";
  return new HttpFault(kind, CLAUSES[code] ?? "cannot be reached", sent, error);
}
