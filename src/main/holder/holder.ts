// The process that holds the database answers `ask` of other processes over a socket. This module is its server;
// `holder-client.ts` asks it, `protocol.ts` is what both speak, `find-holder.ts` finds it, `claim-database.ts` makes this
// process the holder.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import os from "node:os";
import path from "node:path";

import { createFileCache } from "../../adapters/file-cache.ts";
import type { LineRunner } from "../../adapters/terminal/line-runner.ts";
import { closeServer } from "../../adapters/web/listen.ts";
import { createSocketServer } from "../../adapters/web/socket.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { replyToJson } from "../../reply/json.ts";
import { fromMillis, type Milliseconds } from "../../units/time.ts";
import { ALIVE_MILLIS, SocketQuestion } from "./protocol.ts";

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

export type HolderServer = Awaited<ReturnType<typeof serveHolder>>;

/** Attachments that wait to be fetched, and for how long. */
const MAX_FILES = 100;
const FILE_MILLIS: Milliseconds = 600_000;

/** Answers `ask` in other processes of this user while this process holds the database. Never rejects. */
export async function serveHolder(options: HolderServerOptions) {
  const { runner, log } = options;
  const files = createFileCache({
    maxFiles: MAX_FILES,
    ttlMillis: FILE_MILLIS,
    log,
    now: () => fromMillis(Date.now()),
  });
  const stopping = new AbortController();
  const server = createSocketServer(
    {
      question: SocketQuestion,
      usage: '{"text":"market list"}',
      run: ({ text, ...asked }, how) => runner.run(text, { ...asked, ...how }),
      complete: (text) => runner.complete(text),
      render: (reply) => replyToJson(reply, (file) => `/files/${files.add(file)}`),
      aliveMillis: ALIVE_MILLIS,
      log,
      stopping: stopping.signal,
    },
    files,
  );
  const address = await listenAtFirst(server, options);
  return {
    /** Where it listens; undefined when no socket could be made. */
    address,
    async close(): Promise<void> {
      stopping.abort(new BotStopping());
      if (server.listening) await closeServer(server);
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
  const listening = once(server, "listening");
  // The socket is made while listen() runs, and is private from the first moment.
  const umask = process.umask(0o177);
  try {
    server.listen(address);
  } finally {
    process.umask(umask);
  }
  await listening;
  if (process.platform !== "win32") chmodSync(address, 0o600);
}
