import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";

import type { LedgerRequest } from "../assets/ledger.ts";
import type { Fault, GARBAGE_BODIES } from "../faults/faults.ts";
import { entityFailure, type ErrorBody, NodeCrash, ProxyFailure, readInt64, WireFailure } from "../gateway/gateway.ts";
import type { NodeView, SimulatedNode } from "./node.ts";
import { answerOperation } from "./operations.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** One request to a node, its base URL's path already taken off. */
interface NodeRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly at: "node" | "core";
  readonly signal: AbortSignal;
}

const LEDGER_PATH = "/api/v2/ledgerentry/export";

const ID = /^[\da-fA-F]{64}$/u;
/** Pieces end inside rows and characters; the first are small, so that short exports are cut too. */
const FIRST_PIECES = [113, 700, 4093] as const;
const PIECE = 65_521;
const CUT_AFTER_BYTES = 20_000;

const BROKEN = entityFailure(
  "internal",
  "could not export ledger entries",
  "canceling statement due to statement timeout",
).body;

/** Answers a request as this node would, faults included. Rejects only for bugs of the simulator. */
export async function serveNode(
  node: SimulatedNode,
  limiter: RateLimiter | undefined,
  asked: NodeRequest,
): Promise<void> {
  const { request, response } = asked;
  const view = node.view();
  if (view.fault("die") !== undefined) {
    request.socket.resetAndDestroy();
    return;
  }
  const slow = view.fault("slow");
  if (slow !== undefined) await delay(slow.millis ?? 1000, undefined, { signal: asked.signal });
  try {
    applyRefusals(view, response);
    limit(limiter, request, response);
    if (request.method !== "GET") throw new WireFailure("unimplemented", "Method Not Allowed");
    const exporting = asked.at === "node" && asked.path === LEDGER_PATH;
    const garbage = view.fault("garbage");
    if (exporting && garbage === undefined) {
      await serveLedger(node, view, asked.query, response);
      return;
    }
    // A data node forwards the stake from the core, which sends no such headers.
    if (asked.at === "node" && asked.path !== "/parties/stake") {
      response.setHeader("X-Block-Height", String(view.height));
      response.setHeader("X-Block-Timestamp", view.time.toString());
    }
    const document = exporting ? EXPORT : answerOperation({ node, view, query: asked.query }, asked.path, asked.at);
    const { body: kind = "html" } = garbage ?? {};
    if (garbage === undefined) send(response, 200, "application/json", JSON.stringify(document));
    else if (kind === "html") send(response, 200, "text/html", proxyPage(502));
    else send(response, 200, "application/json", garbled(kind, document));
  } catch (failure) {
    if (failure instanceof NodeCrash) request.socket.resetAndDestroy();
    else if (failure instanceof WireFailure) sendFailure(node, failure, asked);
    else if (failure instanceof ProxyFailure)
      send(response, failure.httpStatus, "text/html", proxyPage(failure.httpStatus));
    else throw failure;
  }
}

/** The document that becomes garbage where an export was asked for. */
const EXPORT = { result: { contentType: "text/csv", data: "dmVnYV90aW1l", extensions: [] } };

function sendFailure(node: SimulatedNode, failure: WireFailure, asked: NodeRequest): void {
  // A handler's refusal carries the content type of the inner protocol too, the gateway's refusal does not.
  const doubled = node.profile.doubledContentType && failure.body.details.length > 0;
  const contentType = doubled ? "application/json, application/grpc" : "application/json";
  // The older export wraps its handler's errors in the same way as an error in mid-stream.
  const wrapped = asked.path === LEDGER_PATH && node.profile.dialect === "v0.71" && failure.body.details.length > 0;
  const body: ErrorBody | { error: ErrorBody } = wrapped ? { error: failure.body } : failure.body;
  send(asked.response, failure.httpStatus, contentType, JSON.stringify(body));
}

/** Answers a path that belongs to no node. */
export function serveUnknownNode(response: ServerResponse): void {
  const failure = new WireFailure("notFound");
  send(response, failure.httpStatus, "application/json", JSON.stringify(failure.body));
}

const BANNED = "temporarily banned for continuing to request while rate limited";
const LIMITED = "api request rate limit exceeded";

function applyRefusals(view: NodeView, response: ServerResponse): void {
  const broken = view.fault("server-error");
  if (broken !== undefined) {
    const { status = 500 } = broken;
    const said = SERVER_ERRORS[status];
    throw said === undefined ? new ProxyFailure(status) : entityFailure(said, "simulated failure");
  }
  const ban = view.fault("ban");
  if (ban !== undefined) {
    response.setHeader("RateLimit-Retry-After", String(ban.seconds ?? 600));
    throw new WireFailure("permissionDenied", BANNED);
  }
  if (view.fault("rate-limit") !== undefined) {
    setRateLimitHeaders(response, 20, 0);
    throw new WireFailure("resourceExhausted", LIMITED);
  }
}

function setRateLimitHeaders(response: ServerResponse, limit: number, remaining: number): void {
  response.setHeader("RateLimit-Limit", String(limit));
  response.setHeader("RateLimit-Remaining", String(remaining));
  response.setHeader("RateLimit-Reset", "1");
}

/** Statuses of a node itself; any other comes from a proxy. */
const SERVER_ERRORS: Record<number, "internal" | "unavailable" | "deadlineExceeded" | "unimplemented"> = {
  500: "internal",
  501: "unimplemented",
  503: "unavailable",
  504: "deadlineExceeded",
};

function limit(limiter: RateLimiter | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (limiter === undefined) return;
  const verdict = limiter.ask(request.socket.remoteAddress ?? "");
  if (verdict.kind === "banned") {
    response.setHeader("RateLimit-Retry-After", String(verdict.seconds));
    throw new WireFailure("permissionDenied", BANNED);
  }
  setRateLimitHeaders(response, limiter.limit.rate, verdict.kind === "passed" ? verdict.remaining : 0);
  if (verdict.kind === "limited") throw new WireFailure("resourceExhausted", LIMITED);
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { "Content-Type": contentType, "Content-Length": bytes.length });
  response.end(bytes);
}

/** The error page of a proxy in front of a node. */
function proxyPage(status: number): string {
  const words = STATUS_CODES[status] ?? "Error";
  return `<!DOCTYPE html>\n<html><head><title>${status} ${words}</title></head>\n<body><h1>${words}</h1><script>alert("no")</script></body></html>\n`;
}

/** A body that cannot be understood, made from the right document. */
function garbled(kind: Exclude<(typeof GARBAGE_BODIES)[number], "html">, document: Record<string, unknown>): string {
  const right = JSON.stringify(document);
  switch (kind) {
    case "truncated":
      return right.slice(0, Math.ceil(right.length * 0.6));
    case "wrong-types":
      return JSON.stringify(withWrongTypes(document));
    case "nulls":
      return JSON.stringify(withNulls(document));
    case "empty":
      return "";
  }
}

/** Texts become lists, lists texts, flags numbers: the same names with values of another type. */
function withWrongTypes(value: unknown): unknown {
  if (Array.isArray(value)) return "a list was here";
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWrongTypes(inner)]));
  }
  return typeof value === "string" ? [value] : 1.5;
}

/** The same lists and names, each leaf null. */
function withNulls(document: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => (typeof value === "object" ? value : null));
}

/** Streams the ledger as this node would. Throws WireFailure before the first byte. */
async function serveLedger(
  node: SimulatedNode,
  view: NodeView,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const request = readRequest(node, query);
  const { framing } = node.profile;
  const pieces = piecesUntil(node.network.ledger.lines(request, view.moment), view.fault("cut-export"));
  const bytes = framing === "raw" ? rawBytes(pieces) : messages(pieces, framing === "messages" ? "\n" : "");
  response.writeHead(
    200,
    framing === "raw"
      ? {
          "Content-Type": "text/csv",
          "Content-Disposition": `attachment;filename=${request.party}-${request.asset}.csv`,
        }
      : { "Content-Type": "application/json" },
  );
  try {
    for await (const piece of bytes) {
      await written(response, piece);
      // Yields to the event loop, even to a fast reader.
      await turn();
    }
    response.end();
  } catch {
    // The reader has gone, the simulator stops, or the fault cuts the export: the connection ends in each case.
    response.destroy();
  }
}

/** Settles when the piece is written, so that its buffer can be reused. */
function written(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error("the reader has gone"));
    if (response.destroyed || response.socket === null) return gone();
    response.once("close", gone);
    response.write(piece, () => {
      response.off("close", gone);
      resolve();
    });
  });
}

function readRequest(node: SimulatedNode, query: URLSearchParams): LedgerRequest {
  const { columns, extraColumn, strayRows, ledgerBytes } = node.profile;
  const start = readInt64(query, "dateRange.startTimestamp");
  const end = readInt64(query, "dateRange.endTimestamp");
  const party = query.get("partyId") ?? "";
  const asset = query.get("assetId") ?? "";
  if (!ID.test(party)) throw entityFailure("invalidArgument", "missing or invalid party ID");
  if (!ID.test(asset)) throw entityFailure("invalidArgument", "missing or invalid asset ID");
  if (end !== undefined && start === undefined && columns === 12) throw new NodeCrash("an end without a start");
  return {
    party: party.toLowerCase(),
    asset: asset.toLowerCase(),
    start,
    end,
    columns,
    extraColumn,
    strayRows,
    bytes: ledgerBytes,
  };
}

/** Marks the place of the error that ends a broken export. */
const BREAK = Symbol("break");
type Pieces = AsyncGenerator<Buffer | typeof BREAK>;

async function* rawBytes(pieces: Pieces): AsyncGenerator<Buffer> {
  let last = 0x0a;
  for await (const piece of pieces) {
    if (piece === BREAK) {
      // On a line of its own, also where the row before was cut.
      yield Buffer.from(`${last === 0x0a ? "" : "\n"}${JSON.stringify({ error: BROKEN })}`);
      return;
    }
    last = piece.at(-1) ?? last;
    yield piece;
  }
}

async function* messages(pieces: Pieces, between: string): AsyncGenerator<Buffer> {
  let extensions = '[{"@type":"type.googleapis.com/google.api.HttpBody"}]';
  for await (const piece of pieces) {
    if (piece === BREAK) {
      yield Buffer.from(`${JSON.stringify({ error: BROKEN })}${between}`);
      return;
    }
    const data = piece.toString("base64");
    yield Buffer.from(`{"result":{"contentType":"text/csv","data":"${data}","extensions":${extensions}}}${between}`);
    extensions = "[]";
  }
}

/** The file in pieces, broken off by the fault, at its end at the latest. */
async function* piecesUntil(lines: Iterable<string>, cut: Fault | undefined): Pieces {
  let left = cut === undefined ? Infinity : (cut.bytes ?? CUT_AFTER_BYTES);
  for (const piece of piecesOf(lines)) {
    if (piece.length > left) {
      yield piece.subarray(0, left);
      break;
    }
    left -= piece.length;
    yield piece;
  }
  if (cut === undefined) return;
  if (cut.how === "error") {
    yield BREAK;
    return;
  }
  // The bytes written so far must reach the reader before the connection ends.
  await delay(20);
  throw new Error("cut as asked");
}

/** Room behind a piece for the line that fills it; no line is longer. */
const LINE_BYTES = 4096;

/** The lines as bytes, cut anywhere. Each piece is valid only until the next one is requested. */
function* piecesOf(lines: Iterable<string>): Generator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(PIECE + LINE_BYTES);
  let number = 0;
  let size: number = FIRST_PIECES[0];
  let filled = 0;
  for (const line of lines) {
    filled += buffer.write(line, filled);
    while (filled >= size) {
      yield buffer.subarray(0, size);
      buffer.copyWithin(0, size, filled);
      filled -= size;
      size = FIRST_PIECES[++number] ?? PIECE;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
