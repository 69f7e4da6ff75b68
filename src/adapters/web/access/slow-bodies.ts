import type { IncomingMessage, Server } from "node:http";

import type { Milliseconds } from "../../../units/time.ts";

/** As Node answers a request that is too slow. */
const TIMEOUT_RESPONSE = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n";

/**
 * Cuts a request whose body has not arrived within this time, and an upload of which nothing has arrived within this time.
 * (Node's own limit is one for whole requests, and would cut a large file.)
 */
export function cutSlowBodies(
  server: Server,
  millis: Milliseconds,
  isUpload: (request: IncomingMessage) => boolean,
): void {
  server.on("request", (request, response) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    const isLong = isUpload(request);
    let seen = socket.bytesRead;
    const timer = setInterval(() => {
      if (request.complete || socket.destroyed) return clearInterval(timer);
      const hasGrown = socket.bytesRead > seen;
      seen = socket.bytesRead;
      if (isLong && hasGrown) return undefined;
      clearInterval(timer);
      if (!response.headersSent) socket.write(TIMEOUT_RESPONSE);
      return socket.destroy();
    }, millis);
    timer.unref();
    request.once("close", () => clearInterval(timer));
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
