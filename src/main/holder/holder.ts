// The process that holds the database answers `ask` of other processes over a socket. This module is its server;
// `holder-client.ts` asks it, `protocol.ts` is what both speak, `find-holder.ts` finds it, `claim-database.ts` makes this
// process the holder.

import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";

import { createFileCache, type FileCache } from "../../adapters/file-cache.ts";
import type { LineRunner } from "../../adapters/terminal/line-runner.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { replyToJson } from "../../reply/json.ts";
import { disposeReply } from "../../reply/reply.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import {
  ALIVE_MILLIS,
  type CompleteReply,
  CompleteRequest,
  MAX_REQUEST_BYTES,
  type RunEvent,
  RunRequest,
} from "./protocol.ts";

/** A Unix socket's path has room for 108 bytes on Linux and 104 elsewhere, the final zero included (unix(7), unix(4)). */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * The addresses at which the holder of a database may answer, best first: beside the file when its path is short enough
 * for a socket; in a private folder under the temporary one, since not every file system takes sockets; a named pipe on
 * Windows. The holder's record names the address in use.
 */
export function holderAddresses(databaseFile: string, platform: NodeJS.Platform = process.platform): string[] {
  const hash = createHash("sha256").update(databaseFile).digest("hex").slice(0, 24);
  if (platform === "win32") return [`\\\\.\\pipe\\bellwether-${hash}`];
  const beside = `${databaseFile}.sock`;
  const elsewhere = path.join(os.tmpdir(), `bellwether-${os.userInfo().uid}`, `${hash}.sock`);
  return [beside, elsewhere].filter((address) => Buffer.byteLength(address) <= MAX_SOCKET_PATH_BYTES);
}

/** Other users may write to the temporary folder, so this must be a real folder that only its owner may enter. */
export function makePrivateFolder(folder: string): void {
  const { uid } = os.userInfo();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`the folder ${folder} is not this user's alone`);
  }
}

export interface HolderServerOptions {
  /** The database that this process holds: only its holder may call this. */
  readonly databaseFile: string;
  readonly runner: LineRunner;
  readonly log: Log;
}

export interface HolderServer {
  /** Where it listens; undefined when no socket could be made. */
  readonly address: string | undefined;
  close(): Promise<void>;
}

/** Questions answered at one time; a terminal asks one. */
const MAX_CONNECTIONS = 64;
/** Attachments that wait to be fetched, and for how long. */
const MAX_FILES = 100;
const FILE_MILLIS: Milliseconds = 600_000;

/** Answers `ask` in other processes of this user while this one holds the database. Never rejects: the bot runs without it. */
export async function serveHolder(options: HolderServerOptions): Promise<HolderServer> {
  const now = () => fromMillis(Date.now());
  const files = createFileCache({ maxFiles: MAX_FILES, ttlMillis: FILE_MILLIS, log: options.log, now });
  const stopping = new AbortController();
  // Node applies the time limit every 30 s unless told otherwise.
  const server = createServer({ connectionsCheckingInterval: 1000 }, (request, response) => {
    handle({ ...options, files, stopping: stopping.signal }, request, response).catch((thrown: unknown) => {
      options.log.debug({ why: messageOf(thrown) }, "socket request aborted");
      response.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = 10_000;
  const address = await listenAtFirst(server, options);
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

async function listenAtFirst(server: Server, options: HolderServerOptions): Promise<string | undefined> {
  for (const address of holderAddresses(options.databaseFile)) {
    try {
      await listenAt(server, address, path.dirname(address) === path.dirname(options.databaseFile));
      server.on("error", (error) => options.log.warn({ why: error.message }, "socket error"));
      return address;
    } catch (thrown) {
      options.log.debug({ address, why: messageOf(thrown) }, "socket not opened");
    }
  }
  options.log.warn({}, "socket unavailable");
  return undefined;
}

async function listenAt(server: Server, address: string, beside: boolean): Promise<void> {
  if (process.platform !== "win32") {
    if (!beside) makePrivateFolder(path.dirname(address));
    // Only the holder of the database may listen here: a socket file is left over from a process that died.
    rmSync(address, { force: true });
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const failed = (error: Error): void => reject(error);
  server.once("error", failed);
  // The socket is made while listen() runs, and is private from the first moment.
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

interface RequestContext extends HolderServerOptions {
  readonly files: FileCache;
  readonly stopping: AbortSignal;
}

async function handle(context: RequestContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url}`;
  const fileId = /^(?:GET|DELETE) \/files\/([\da-f]{32})$/u.exec(route)?.[1];
  if (fileId !== undefined) return serveFile(context.files, fileId, request, response);
  if (route !== "POST /run" && route !== "POST /complete")
    return sendJson(response, 404, { error: "There is no such route." });
  const body = await readJson(request);
  const asked = route === "POST /run" ? RunRequest.safeParse(body) : CompleteRequest.safeParse(body);
  if (!asked.success) return sendJson(response, 400, { error: "The request cannot be understood." });
  if (route === "POST /run") return answer(context, asked.data, response);
  const offered = await context.runner.complete(asked.data.line);
  const lines = offered.map(({ line }) => line);
  const labels = offered.map(({ label = "" }) => label);
  return sendJson(response, 200, { lines, labels } satisfies CompleteReply);
}

async function answer(
  context: RequestContext,
  { line, network, takesFiles = false, cwd }: RunRequest,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new DOMException("Whoever asked has gone.", "AbortError")));
  response.writeHead(200, { "Content-Type": "application/x-ndjson" });
  response.flushHeaders();
  const send = (event: RunEvent): void => {
    response.write(`${JSON.stringify(event)}\n`);
  };
  const alive = setInterval(() => send({ kind: "alive" }), ALIVE_MILLIS);
  try {
    const reply = await context.runner.run(line, {
      ...(network === undefined ? {} : { network }),
      ...(cwd === undefined ? {} : { cwd }),
      takesFiles,
      signal: AbortSignal.any([gone.signal, context.stopping]),
      progress: (soFar) => {
        // A reader that lags behind skips this one.
        if (!response.writableNeedDrain) send({ kind: "progress", reply: replyToJson(soFar) });
      },
    });
    if (response.destroyed) return await disposeReply(reply);
    send({ kind: "reply", reply: replyToJson(reply, (file) => `/files/${context.files.add(file)}`) });
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
    return sendJson(response, 200, {});
  }
  const found = files.read(id);
  if (found === undefined) return sendJson(response, 404, { error: "The file is gone." });
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

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}
