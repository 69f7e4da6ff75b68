import type { Server } from "node:http";

import type { Log } from "../../../log.ts";
import { MAX_CONNECTIONS_PER_CLIENT } from "../limits.ts";
import { clientGroup, type TrustedProxies } from "./client-address.ts";

/**
 * Closes connections of a client beyond its share, so that one client cannot take all of them. Trusted proxies hold the
 * connections of many clients and have no share.
 */
export function limitConnections(server: Server, proxies: TrustedProxies, log: Log): void {
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const peer = socket.remoteAddress;
    if (peer === undefined || proxies.includes(peer)) return;
    const client = clientGroup(peer);
    const count = (open.get(client) ?? 0) + 1;
    if (count > MAX_CONNECTIONS_PER_CLIENT) {
      socket.destroy();
      // Debug: whoever opens connections without end would fill the log, too.
      log.debug({ address: client, open: MAX_CONNECTIONS_PER_CLIENT }, "connection refused");
      return;
    }
    open.set(client, count);
    socket.once("close", () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    });
  });
}
