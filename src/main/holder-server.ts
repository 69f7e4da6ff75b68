import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";

import { createFileCache, type FileCache } from "../adapters/file-cache.ts";
import type { LineRunner } from "../adapters/terminal/line-runner.ts";
import { BotStopping, messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { replyToJson } from "../reply/json.ts";
import { disposeReply } from "../reply/reply.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import { holderAddresses, makeOwnFolder } from "./holder-address.ts";
import {
  ALIVE_MILLIS,
  type CompleteReply,
  CompleteRequest,
  MAX_REQUEST_BYTES,
  type RunEvent,
  RunRequest,
} from "./holder-protocol.ts";

export interface HolderServerParts {
  /** The database that this process holds: only its holder may call this. */
  readonly databaseFile: string;
  readonly runner: LineRunner;
  readonly log: Log;
}

export interface HolderServer {
  /** Where it listens; undefined where no socket could be had. */
  readonly address: string | undefined;
  close(): Promise<void>;
}

/** Questions answered at one time; a terminal asks one. */
const MAX_CONNECTIONS = 64;
/** Files that wait to be fetched, and for how long. */
const MAX_FILES = 100;
const FILE_MILLIS: Milliseconds = 600_000;

/** Answers `ask` in other processes of this user while this one holds the database. Never rejects: the bot runs without it, too. */
export async function serveHolder(parts: HolderServerParts): Promise<HolderServer> {
  const now = () => fromMillis(Date.now());
  const files = createFileCache({ maxFiles: MAX_FILES, keepMillis: FILE_MILLIS, log: parts.log, now });
  const stopping = new AbortController();
  const server = createServer((request, response) => {
    handle({ ...parts, files, stopping: stopping.signal }, request, response).catch((thrown: unknown) => {
      parts.log.debug({ why: messageOf(thrown) }, "a question over the socket broke off");
      response.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = 10_000;
  const address = await listenBest(server, parts);
  return {
    address,
    async close() {
      stopping.abort(new BotStopping());
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 1000).unref();
      if (address !== undefined) await closed;
      await files.close();
    },
  };
}

async function listenBest(server: Server, parts: HolderServerParts): Promise<string | undefined> {
  for (const address of holderAddresses(parts.databaseFile)) {
    try {
      await listenAt(server, address, path.dirname(address) === path.dirname(parts.databaseFile));
      server.on("error", (error) => parts.log.warn({ why: error.message }, "the socket for ask reports an error"));
      return address;
    } catch (thrown) {
      parts.log.debug({ address, why: messageOf(thrown) }, "no socket for ask here");
    }
  }
  parts.log.warn("no socket for ask could be made: while this process runs, ask cannot reach it");
  return undefined;
}

async function listenAt(server: Server, address: string, beside: boolean): Promise<void> {
  if (process.platform !== "win32") {
    if (!beside) makeOwnFolder(path.dirname(address));
    // Whoever holds the database is alone with its socket: one that lies here is left from a process that died.
    rmSync(address, { force: true });
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const failed = (error: Error): void => reject(error);
  server.once("error", failed);
  // The socket is made while listen() runs, and from its first moment this user's alone.
  const umask = process.umask(0o177);
  try {
    server.listen(address, () => {
      server.off("error", failed);
      resolve();
    });
  } finally {
    process.umask(umask);
  }
  await promise;
  if (process.platform !== "win32") chmodSync(address, 0o600);
}

interface Context extends HolderServerParts {
  readonly files: FileCache;
  readonly stopping: AbortSignal;
}

async function handle(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url}`;
  const fileId = /^(?:GET|DELETE) \/files\/([\da-f]{32})$/u.exec(route)?.[1];
  if (fileId !== undefined) return serveFile(context.files, fileId, request, response);
  if (route !== "POST /run" && route !== "POST /complete")
    return sayJson(response, 404, { error: "There is no such route." });
  const body = await readJson(request);
  const asked = route === "POST /run" ? RunRequest.safeParse(body) : CompleteRequest.safeParse(body);
  if (!asked.success) return sayJson(response, 400, { error: "The request cannot be understood." });
  if (route === "POST /run") return answer(context, asked.data, response);
  const lines = [...(await context.runner.complete(asked.data.line))];
  return sayJson(response, 200, { lines } satisfies CompleteReply);
}

async function answer(context: Context, { line, network }: RunRequest, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new DOMException("Whoever asked has gone.", "AbortError")));
  response.writeHead(200, { "Content-Type": "application/x-ndjson" });
  response.flushHeaders();
  const say = (event: RunEvent): void => {
    response.write(`${JSON.stringify(event)}\n`);
  };
  const alive = setInterval(() => say({ kind: "alive" }), ALIVE_MILLIS);
  try {
    const reply = await context.runner.run(line, {
      ...(network === undefined ? {} : { network }),
      signal: AbortSignal.any([gone.signal, context.stopping]),
      progress: (soFar) => {
        // It is only a picture of the moment: where the reader lags behind, the next one will do.
        if (!response.writableNeedDrain) say({ kind: "progress", reply: replyToJson(soFar) });
      },
    });
    if (response.destroyed) return await disposeReply(reply);
    say({ kind: "reply", reply: replyToJson(reply, (file) => `/files/${context.files.keep(file)}`) });
    response.end();
  } finally {
    clearInterval(alive);
  }
}

async function serveFile(
  files: FileCache,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "DELETE") {
    await files.drop(id);
    return sayJson(response, 200, {});
  }
  const found = files.read(id);
  if (found === undefined) return sayJson(response, 404, { error: "The file is gone." });
  const { mediaType, sizeBytes } = found.attachment;
  response.writeHead(200, { "Content-Type": mediaType, "Content-Length": sizeBytes });
  await pipeline(found.bytes, response);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_REQUEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

function sayJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}
