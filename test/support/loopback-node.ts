import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

export interface StubResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown;
}

/** A data node on loopback that sends the test's answers and remembers its requests. */
export interface LoopbackNode {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A node's answer to a path that it does not serve. */
export const NO_ROUTE: StubResponse = { status: 404, body: { code: 5, message: "Not Found", details: [] } };

/** Starts a loopback node; `answer` returns the response, undefined = no such route. */
export async function loopbackNode(
  answer: (request: ReceivedRequest) => StubResponse | undefined,
): Promise<LoopbackNode> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://node.invalid");
    const received: ReceivedRequest = {
      method: request.method ?? "",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
    };
    requests.push(received);
    const { status = 200, headers = {}, body = {} } = answer(received) ?? NO_ROUTE;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}
