import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { codeOf, UserError } from "../../errors.ts";
import { FIRST_PORT, PORTS_TRIED, STOP_TIMEOUT_MILLIS } from "./limits.ts";

/**
 * Listens on the given port, or without one on 8080 or the next free one above it; resolves with the port taken.
 * @throws UserError when the port is taken, may not be used, or the address is not this machine's.
 */
export async function listen(server: Server, host: string, port: number | undefined): Promise<number> {
  const last = port ?? FIRST_PORT + PORTS_TRIED - 1;
  for (let next = port ?? FIRST_PORT; ; next += 1) {
    try {
      server.listen({ host, port: next, exclusive: true });
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (thrown) {
      const fault = codeOf(thrown);
      if (fault === "EADDRINUSE" && next < last) continue;
      throw listenError(fault, host, next, port, thrown);
    }
  }
}

/** Lets the requests of a listening server finish for a while, then closes their connections. */
export async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MILLIS);
  await once(server, "close");
  clearTimeout(timer);
}

function listenError(
  fault: string,
  host: string,
  port: number,
  asked: number | undefined,
  cause: unknown,
): UserError | Error {
  if (fault === "EADDRINUSE" && asked === undefined) {
    return new UserError(`Ports ${FIRST_PORT} to ${port} on ${host} are all taken, so the console cannot start.`, {
      remedy: "Set WEB_PORT to a free port, or to 0 to run without the console.",
      cause,
    });
  }
  if (fault === "EADDRINUSE") {
    return new UserError(`Port ${port} on ${host} is taken by another program, so the console cannot start.`, {
      remedy: "Stop that program, set WEB_PORT to another port, or leave it unset to take the next free one.",
      cause,
    });
  }
  if (fault === "EACCES") {
    return new UserError(`This user may not listen on port ${port}, so the console cannot start.`, {
      remedy: "Set WEB_PORT to a port from 1024 up.",
      cause,
    });
  }
  if (fault === "EADDRNOTAVAIL" || fault === "ENOTFOUND" || fault === "EAI_AGAIN") {
    return new UserError(`${host} is not an address of this machine, so the console cannot start.`, {
      remedy: "Set WEB_HOST to one of its addresses, or leave it unset for this machine alone.",
      cause,
    });
  }
  return cause instanceof Error ? cause : new Error(String(cause));
}
