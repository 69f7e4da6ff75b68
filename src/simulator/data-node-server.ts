import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { garbageOf } from "./garbage.ts";
import type { SimulatedNode, View } from "./node.ts";
import { answer } from "./operations.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { routeNotFound, WireFailure } from "./wire-failure.ts";

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
    if (asked.at === "data-node") addBlockHeaders(view, response);
    const garbage = view.fault("garbage");
    const document = answer({ node, view, query: asked.query }, asked.path, asked.at);
    if (garbage !== undefined) {
      const { contentType, body } = garbageOf(garbage.body ?? "html", document);
      send(response, 200, contentType, body);
      return;
    }
    send(response, 200, "application/json", JSON.stringify(document));
  } catch (failure) {
    if (!(failure instanceof WireFailure)) throw failure;
    const contentType = node.profile.doubledContentType ? "application/json, application/grpc" : "application/json";
    send(response, failure.httpStatus, contentType, JSON.stringify(failure.body));
  }
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
    const failure = new WireFailure(SERVER_ERRORS[broken.status ?? 500] ?? "internal", "simulated failure");
    throw failure;
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
