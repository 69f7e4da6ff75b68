import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { garbageOf, proxyPage } from "./garbage.ts";
import { LEDGER_PATH, serveLedger } from "./ledger-server.ts";
import type { SimulatedNode, View } from "./node.ts";
import { answer } from "./operations.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { entityFailure, NodeCrash, ProxyFailure, routeNotFound, WireFailure, type ErrorBody } from "./wire-failure.ts";

/** One request to a node, its base URL's path already taken off. */
export interface NodeRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly at: "data-node" | "core";
  readonly signal: AbortSignal;
}

/** Answers as this node would now, faults included. Never rejects but for a mistake in here. */
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
    refuseIfAsked(view, response);
    limit(limiter, request, response);
    if (request.method !== "GET") throw new WireFailure("unimplemented", "Method Not Allowed");
    const exporting = asked.at === "data-node" && asked.path === LEDGER_PATH;
    const garbage = view.fault("garbage");
    if (exporting && garbage === undefined) {
      await serveLedger(node, view, asked.query, response);
      return;
    }
    // A data node passes the stake on from the core, which knows nothing of these headers.
    if (asked.at === "data-node" && asked.path !== "/parties/stake") addBlockHeaders(view, response);
    const document = exporting ? EXPORT : answer({ node, view, query: asked.query }, asked.path, asked.at);
    if (garbage !== undefined) {
      const { contentType, body } = garbageOf(garbage.body ?? "html", document);
      send(response, 200, contentType, body);
      return;
    }
    send(response, 200, "application/json", JSON.stringify(document));
  } catch (failure) {
    if (failure instanceof NodeCrash) request.socket.resetAndDestroy();
    else if (failure instanceof WireFailure) sendFailure(node, failure, asked);
    else if (failure instanceof ProxyFailure)
      send(response, failure.httpStatus, "text/html", proxyPage(failure.httpStatus));
    else throw failure;
  }
}

/** What garbage is made of where an export was asked for. */
const EXPORT = { result: { contentType: "text/csv", data: "dmVnYV90aW1l", extensions: [] } };

function sendFailure(node: SimulatedNode, failure: WireFailure, asked: NodeRequest): void {
  // What a handler refuses bears the content type of the inner protocol too, what the gateway refuses does not.
  const doubled = node.profile.doubledContentType && failure.body.details.length > 0;
  const contentType = doubled ? "application/json, application/grpc" : "application/json";
  // The older export wraps its errors as it would in mid-stream, those of its handler at least.
  const wrapped = asked.path === LEDGER_PATH && node.profile.dialect === "v0.71" && failure.body.details.length > 0;
  const body: ErrorBody | { error: ErrorBody } = wrapped ? { error: failure.body } : failure.body;
  send(asked.response, failure.httpStatus, contentType, JSON.stringify(body));
}

/** For a path that belongs to no node. */
export function serveNothing(response: ServerResponse): void {
  const failure = routeNotFound();
  send(response, failure.httpStatus, "application/json", JSON.stringify(failure.body));
}

const BANNED = "temporarily banned for continuing to request while rate limited";
const LIMITED = "api request rate limit exceeded";

function refuseIfAsked(view: View, response: ServerResponse): void {
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
    response.setHeader("RateLimit-Limit", "20");
    response.setHeader("RateLimit-Remaining", "0");
    response.setHeader("RateLimit-Reset", "1");
    throw new WireFailure("resourceExhausted", LIMITED);
  }
}

/** What a node itself says; any other status comes from a proxy. */
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
  response.setHeader("RateLimit-Limit", String(limiter.limit.rate));
  response.setHeader("RateLimit-Remaining", String(verdict.kind === "passed" ? verdict.remaining : 0));
  response.setHeader("RateLimit-Reset", "1");
  if (verdict.kind === "limited") throw new WireFailure("resourceExhausted", LIMITED);
}

function addBlockHeaders(view: View, response: ServerResponse): void {
  response.setHeader("X-Block-Height", String(view.height));
  response.setHeader("X-Block-Timestamp", view.time.toString());
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { "Content-Type": contentType, "Content-Length": bytes.length });
  response.end(bytes);
}
