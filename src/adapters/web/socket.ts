import type { Server } from "node:http";

import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";

import type { FileCache } from "../file-cache.ts";
import { limitQuestion, refuse } from "./access/guard.ts";
import { fileRoutes } from "./files.ts";
import { type Answering, invocationRoutes } from "./invocations/invocations.ts";
import { HEADERS_TIMEOUT_MILLIS, MAX_SOCKET_CONNECTIONS, TIMEOUT_CHECK_MILLIS } from "./limits.ts";

/** Questions and files as of the console, for programs of this user: without its page and its guards. */
export function createSocketServer<Q>(answering: Answering<Q>, files: FileCache): Server {
  const app = new Hono();
  app.use(limitQuestion());
  app.route("/", invocationRoutes(answering));
  app.route("/", fileRoutes(files));
  app.delete("/files/:id", async (c) => {
    await files.drop(c.req.param("id"));
    return c.json({});
  });
  app.notFound((c) => refuse(c, 404, "There is no such route."));
  app.onError((error, c) => {
    answering.log.debug({ why: error.message }, "socket request aborted");
    return c.json({ error: "The log says what went wrong." }, 500);
  });
  const server = createAdaptorServer({
    fetch: app.fetch,
    // Other libraries of this process need the platform's own Request and Response.
    overrideGlobalObjects: false,
    serverOptions: { requestTimeout: HEADERS_TIMEOUT_MILLIS, connectionsCheckingInterval: TIMEOUT_CHECK_MILLIS },
  }) as Server;
  server.maxConnections = MAX_SOCKET_CONNECTIONS;
  return server;
}
