import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

import type { WireCase } from "./wire-fixtures.ts";

/** What a fake node does with one request. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface FakeNode {
  readonly url: string;
  /** Paths with their queries, in the order they came. */
  readonly asked: string[];
  readonly connections: () => number;
  serve: Serve;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server on loopback; `serve` may be exchanged at any time. */
export async function fakeNode(serve: Serve): Promise<FakeNode> {
  const asked: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    void node.serve(request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const node: FakeNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    connections: () => connections,
    serve,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return node;
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  more: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): void {
  response.writeHead(more.status ?? 200, { "Content-Type": "application/json", ...more.headers });
  response.end(JSON.stringify(body));
}

const ROUTE_MISSING = { code: 5, message: "Not Found", details: [] };

export function sendRouteMissing(response: ServerResponse): void {
  sendJson(response, ROUTE_MISSING, { status: 404 });
}

/** Answers with what a case holds, chunk by chunk where it says so. */
export async function sendCase({ response: wanted }: WireCase, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(Object.entries(wanted.headers).filter(([name]) => name !== "Transfer-Encoding"));
  response.writeHead(wanted.status, headers);
  if (wanted.chunks === undefined) {
    response.end(wanted.bodyText ?? JSON.stringify(wanted.body));
    return;
  }
  response.flushHeaders();
  for (const chunk of wanted.chunks) {
    response.write(Buffer.from(chunk, "base64"));
    await turn();
  }
  // Time for what was written to arrive: a destroyed socket takes with it what is still under way.
  await new Promise((resolve) => setTimeout(resolve, 20));
  if (wanted.ends === "dropped") response.destroy();
  else response.end();
}
