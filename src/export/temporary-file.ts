import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, lstat, open, readdir, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";

import { UserError } from "../errors.ts";

/** Bytes gathered before they are written at once. */
const BATCH_BYTES = 512 * 1024;
const BATCH_CHUNKS = 1024;
const READ_BYTES = 64 * 1024;

const NAME = /^ledger-[0-9a-f]{32}\.part$/u;
const DISK_FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

export interface TemporaryFilesOptions {
  /** Default: a folder of this user's under the system's folder for temporary files. */
  readonly directory?: string;
  /** Opens a new file for writing and reading; default is `open` with `wx+` and mode 0600. */
  readonly openFile?: (file: string) => Promise<FileHandle>;
}

export interface TemporaryFiles {
  create(): Promise<TemporaryFile>;
}

/**
 * Files that vanish with the process: each loses its name as soon as it is open, so a crash leaves none behind.
 * Where a system refuses to remove the name of an open file, `dispose` does it, and names that a crash left behind are
 * swept at first use; there an open file is safe from that sweep for the same reason.
 */
export function temporaryFiles(options: TemporaryFilesOptions = {}): TemporaryFiles {
  const openFile = options.openFile ?? ((file: string) => open(file, "wx+", 0o600));
  let directory: Promise<string> | undefined;
  let swept: Promise<void> | undefined;
  return {
    async create() {
      const folder = options.directory ?? (await (directory ??= privateDirectory()));
      // Each time, since folders for temporary files are cleaned of what has not been used for days.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      swept ??= sweep(folder);
      await swept;
      const file = path.join(folder, `ledger-${randomBytes(16).toString("hex")}.part`);
      const handle = await openFile(file);
      const nameless = await unlink(file).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === "ENOENT",
      );
      return new TemporaryFile(handle, nameless ? undefined : file);
    },
  };
}

/** A folder that only this user can look into; one that somebody else made under its name is not used. */
async function privateDirectory(): Promise<string> {
  const user = process.getuid?.();
  const usual = path.join(tmpdir(), user === undefined ? "bellwether" : `bellwether-${user}`);
  await mkdir(usual, { recursive: true, mode: 0o700 });
  const found = await lstat(usual);
  const ours = user === undefined || (found.uid === user && (found.mode & 0o077) === 0);
  return found.isDirectory() && ours ? usual : mkdtemp(`${usual}-`);
}

async function sweep(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.allSettled(names.filter((name) => NAME.test(name)).map((name) => unlink(path.join(folder, name))));
}

/** A file being written, then read as often as asked, then given up. Its SHA-256 is taken on the way. */
export class TemporaryFile {
  readonly #handle: FileHandle;
  readonly #name: string | undefined;
  readonly #hash = createHash("sha256");
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #sizeBytes = 0;
  #inFlight: Promise<void> | undefined;
  #failure: Error | undefined;
  #closed: Promise<void> | undefined;

  constructor(handle: FileHandle, name: string | undefined) {
    this.#handle = handle;
    this.#name = name;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Takes bytes that nobody changes any more. What it returns must be waited for before the next call: nothing while
   * there is room. Throws or rejects with UserError when the disk is full.
   */
  write(chunks: readonly Buffer[]): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    for (const chunk of chunks) {
      if (chunk.length === 0) continue;
      this.#hash.update(chunk);
      this.#batch.push(chunk);
      this.#batchBytes += chunk.length;
      this.#sizeBytes += chunk.length;
    }
    if (this.#batchBytes < BATCH_BYTES && this.#batch.length < BATCH_CHUNKS) return undefined;
    return this.#inFlight === undefined ? this.#start() : this.#afterFlight();
  }

  /** Waits until everything is written; the hash in lower-case hex. Once only. */
  async finish(): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
    await this.#inFlight;
    if (this.#failure === undefined && this.#batch.length > 0) this.#start();
    await this.#inFlight;
    if (this.#failure !== undefined) throw this.#failure;
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest("hex") };
  }

  /** The bytes from the beginning, on every call anew. The stream fails once the file is given up. */
  open(): Readable {
    const handle = this.#handle;
    const size = this.#sizeBytes;
    const isClosed = (): boolean => this.#closed !== undefined;
    async function* pieces(): AsyncGenerator<Buffer> {
      for (let at = 0; at < size;) {
        if (isClosed()) throw new Error("this file has been given up");
        const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size - at));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) throw new Error("this file has lost its end");
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    }
    return Readable.from(pieces(), { objectMode: false });
  }

  /** Gives the bytes up; safe to call twice. */
  dispose(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#batch = [];
    await this.#inFlight;
    await this.#handle.close();
    if (this.#name !== undefined) await unlink(this.#name).catch(() => undefined);
  }

  async #afterFlight(): Promise<void> {
    await this.#inFlight;
    if (this.#failure !== undefined) throw this.#failure;
    this.#start();
  }

  /** One write at a time goes on behind the caller's back; its failure comes out at the next call. */
  #start(): undefined {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    this.#inFlight = this.#fly(batch);
    return undefined;
  }

  async #fly(batch: readonly Buffer[]): Promise<void> {
    try {
      await this.#writeAll(batch);
    } catch (error) {
      this.#failure = this.#clear(error);
    }
    this.#inFlight = undefined;
  }

  async #writeAll(batch: readonly Buffer[]): Promise<void> {
    let rest = batch;
    while (rest.length > 0) {
      let { bytesWritten } = await this.#handle.writev(rest);
      let whole = 0;
      while (whole < rest.length && bytesWritten >= (rest[whole]?.length ?? 0)) {
        bytesWritten -= rest[whole]?.length ?? 0;
        whole += 1;
      }
      const cut = rest[whole];
      rest = cut === undefined ? [] : [cut.subarray(bytesWritten), ...rest.slice(whole + 1)];
    }
  }

  #clear(error: unknown): Error {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && DISK_FULL.has(code)) {
      const megabytes = Math.ceil(this.#sizeBytes / 1_000_000);
      return new UserError(`The bot's disk is full: it ran out about ${megabytes} MB into the export.`, {
        remedy: "Ask for a shorter range, or have an operator free space for temporary files.",
        cause: error,
      });
    }
    return error instanceof Error ? error : new Error(String(error));
  }
}
