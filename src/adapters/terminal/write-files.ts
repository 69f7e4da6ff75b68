import { createHash, randomBytes } from "node:crypto";
import { constants, createWriteStream } from "node:fs";
import {
  access,
  link,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  writeFile as writeFileAt,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

import { codeOf, UserError } from "../../errors.ts";
import { makeFolder } from "../../make-folder.ts";
import { hasRows, type Table } from "../../reply/block.ts";
import { type Attachment, ownCsv, type Reply, safeFileName } from "../../reply/reply.ts";
import { tableAttachment } from "../../reply/csv.ts";

/** The same reply with each table that has rows as a CSV among its files, unless it is there already. */
export function withTablesAsFiles(reply: Reply): Reply {
  return { ...reply, attachments: [...reply.attachments, ...unfiledTables(reply).map((one) => tableAttachment(one))] };
}

/** The tables that have rows and no CSV among the files of their reply. */
export function unfiledTables(reply: Reply): readonly Table[] {
  if (reply.failure !== undefined) return [];
  return reply.blocks.filter(hasRows).filter((block) => ownCsv(reply, block) === undefined);
}

/**
 * Writes every file of a reply into a folder, and creates that if necessary. A file appears whole and checked against
 * its SHA-256 or not at all. Only this user can read it. It never replaces another file: a number is added to its name
 * instead. `written` gets the path of each file as soon as it is complete; what it has already is not written again.
 * @throws UserError where the folder cannot be written to; Error where a file does not match its reply.
 */
export async function writeFiles(
  reply: Reply,
  folder: string,
  written: Map<Attachment, string>,
  signal: AbortSignal,
): Promise<void> {
  const files = [...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])];
  if (files.length === 0) return;
  try {
    makeFolder(folder);
    await removeStalePartialFiles(folder);
    for (const file of files) {
      if (!written.has(file)) written.set(file, await writeFile(file, folder, signal));
    }
  } catch (thrown) {
    throw asUserError(thrown, folder);
  }
}

/** A new folder for files that could not be written where they were wanted: nobody waits a second time for a long answer. */
export function fallbackFolder(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), "bellwether-files-"));
}

/** With less free space than this, a folder counts as full. */
const MIN_FREE_BYTES = 1024 * 1024;
/** A quota may be used up where there is space. */
const TRIAL = Buffer.alloc(64 * 1024);

/**
 * Tries beforehand whether files can be written there, so that nobody waits for an answer that cannot be saved. Leaves
 * nothing, and makes no folder.
 * @throws UserError where the folder cannot be written to, or made, or is full.
 */
export async function checkFolder(folder: string): Promise<void> {
  try {
    const wanted = path.resolve(folder);
    const there = await nearestFolder(wanted);
    await access(there, constants.W_OK | constants.X_OK).catch((thrown: unknown) => {
      throw there === wanted ? thrown : Object.assign(new Error("not writable", { cause: thrown }), { code: "ENOENT" });
    });
    const { bavail, blocks, bsize } = await statfs(there);
    // A file system of the kernel's own has no blocks at all.
    if (blocks > 0 && bavail * bsize < MIN_FREE_BYTES) {
      throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
    }
    const trial = partialFile(there, "trial");
    try {
      await writeFileAt(trial, TRIAL, { flag: "wx", mode: 0o600, flush: true });
    } finally {
      await rm(trial, { force: true });
    }
  } catch (thrown) {
    throw asUserError(thrown, folder);
  }
}

/** The folder itself, or the one above it in which it would be made. */
async function nearestFolder(folder: string): Promise<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    try {
      if ((await stat(at)).isDirectory()) return at;
      throw Object.assign(new Error("no folder"), { code: at === folder ? "EEXIST" : "ENOTDIR" });
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT" || path.dirname(at) === at) throw thrown;
    }
  }
}

async function writeFile(file: Attachment, folder: string, signal: AbortSignal): Promise<string> {
  const name = safeFileName(file.name);
  const partial = partialFile(folder, name);
  const hash = createHash("sha256");
  let bytes = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      done(null, chunk);
    },
  });
  try {
    await pipeline(file.open(), checked, createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true }), {
      signal,
    });
    if (bytes !== file.sizeBytes || hash.digest("hex") !== file.sha256) {
      throw new Error(`the bytes of ${name} are not those that its reply describes`);
    }
    return await publish(partial, folder, name);
  } finally {
    await rm(partial, { force: true });
  }
}

/** Gives a complete file its name, with a number if that is taken. */
async function publish(partial: string, folder: string, name: string): Promise<string> {
  const { name: stem, ext } = path.parse(name);
  for (let number = 1; ; number += 1) {
    const target = path.resolve(folder, number === 1 ? name : `${stem}-${number}${ext}`);
    try {
      await link(partial, target);
      return target;
    } catch (thrown) {
      if (codeOf(thrown) === "EEXIST") continue;
      // Some file systems (FAT, network shares) have no links: there the name is reserved first and then replaced.
      if (await reserve(target)) {
        await rename(partial, target);
        return target;
      }
    }
  }
}

/** Creates the file; false where it exists already. */
async function reserve(target: string): Promise<boolean> {
  try {
    const handle = await open(target, "wx");
    await handle.close();
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "writing there is not permitted",
  EPERM: "writing there is not permitted",
  EROFS: "it cannot be written to",
  ENOSPC: "there is no space left",
  EDQUOT: "the quota is used up",
  ENOENT: "no folder can be made there",
  ENOTDIR: "part of the path is a file",
  EEXIST: "it is a file",
  ENAMETOOLONG: "the path is too long",
  EFBIG: "the file is too large for it",
};

/** The folder takes nothing, however it is named: it is full, or cannot be written to. */
const FOLDER_FAULTS = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EFBIG"]);

/** Whether the folder is at fault, not whoever named it. */
export function isFolderFault(thrown: unknown): boolean {
  return thrown instanceof UserError && FOLDER_FAULTS.has(codeOf(thrown.cause));
}

function asUserError(thrown: unknown, folder: string): unknown {
  const reason = REASONS[codeOf(thrown)];
  if (reason === undefined) return thrown;
  return new UserError(`The files cannot be written to ${folder}: ${reason}.`, {
    remedy: "Name another folder with --out.",
    cause: thrown,
  });
}

const PARTIAL_NAME = /^\..+\.(?<pid>\d+)-[0-9a-f]{12}\.part$/u;
/** A process on another machine may write into the same folder; its file was then modified lately. */
const STALE_MILLIS = 10_000;

/** The temporary path of a file until it is complete: hidden, with the id of the writing process. */
function partialFile(folder: string, name: string): string {
  return path.join(folder, `.${name}.${process.pid}-${randomBytes(6).toString("hex")}.part`);
}

/** Removes the temporary files of killed processes. Never rejects. */
async function removeStalePartialFiles(folder: string, now: number = Date.now()): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await Promise.allSettled(
    names.map(async (name) => {
      const pid = Number(PARTIAL_NAME.exec(name)?.groups?.["pid"] ?? process.pid);
      if (isAlive(pid)) return;
      const file = path.join(folder, name);
      const { mtimeMs } = await stat(file);
      if (now - mtimeMs >= STALE_MILLIS) await rm(file, { force: true });
    }),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
