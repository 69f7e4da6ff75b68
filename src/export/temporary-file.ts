import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, mkdir, mkdtemp, open, readdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";

import { codeOf } from "../errors.ts";
import { type BlockSink, BlockWriter, makeExportFolder, toDiskFullError, type Written } from "./block-writer.ts";

const READ_BYTES = 64 * 1024;

const NAME = /^ledger-[0-9a-f]{32}\.part$/u;

export interface TemporaryFilesOptions {
  /** Default: a private folder under the system's folder for temporary files. */
  readonly directory?: string;
  /** Opens a new file for writing and reading; default is `open` with `wx+` and mode 0600. */
  readonly openFile?: (file: string) => Promise<FileHandle>;
}

export type TemporaryFiles = ReturnType<typeof temporaryFiles>;

/**
 * Files that are gone when the process ends: the name of each is removed as soon as it is open. Where a system refuses
 * to remove the name of an open file, `dispose` removes it. Files that a crash left behind on such a system are removed
 * before the first one is made; it refuses to remove files that another process has open.
 */
export function temporaryFiles(options: TemporaryFilesOptions = {}) {
  const openFile = options.openFile ?? ((file: string) => open(file, "wx+", 0o600));
  let directory: Promise<string> | undefined;
  let swept: Promise<void> | undefined;
  const findDirectory = async (): Promise<string> => {
    try {
      return await privateDirectory();
    } catch (thrown) {
      directory = undefined;
      throw toDiskFullError(thrown, 0, tmpdir());
    }
  };
  return {
    /** A new file, which `sink` makes of the bytes written to it. */
    async create<Result extends Written>(sink: (handle: FileHandle) => BlockSink<Result>) {
      const folder = options.directory ?? (await (directory ??= findDirectory()));
      // Each time, since systems remove from their temporary folders what was not used for days.
      await makeExportFolder(folder);
      swept ??= sweep(folder);
      await swept;
      const file = path.join(folder, `ledger-${randomBytes(16).toString("hex")}.part`);
      const handle = await openFile(file).catch((thrown: unknown) => {
        throw toDiskFullError(thrown, 0, folder);
      });
      const nameless = await unlink(file).then(
        () => true,
        (error: unknown) => codeOf(error) === "ENOENT",
      );
      return new TemporaryFile(handle, nameless ? undefined : file, sink(handle));
    },
  };
}

/** A folder that only this user can read; a folder of another user under its name is not used. */
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

/** A file that is written, then read any number of times, then disposed of. */
export class TemporaryFile<Result extends Written> {
  readonly #handle: FileHandle;
  readonly #name: string | undefined;
  readonly #writer: BlockWriter<Result>;
  #sizeBytes = 0;
  #closed: Promise<void> | undefined;

  constructor(handle: FileHandle, name: string | undefined, sink: BlockSink<Result>) {
    this.#handle = handle;
    this.#name = name;
    this.#writer = new BlockWriter(sink);
  }

  /** For a thread that writes to it. */
  get fd(): number {
    return this.#handle.fd;
  }

  /** The rows that the sink has counted so far. */
  get rows(): number {
    return this.#writer.rows;
  }

  /** See BlockWriter. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    return this.#writer.write(chunk);
  }

  /** Waits until everything is written. Once only. */
  async finish(): Promise<Result> {
    const result = await this.#writer.finish();
    this.#sizeBytes = result.sizeBytes;
    return result;
  }

  /** A new stream of the bytes from `from` up to `to`, by default all; it fails once the file is disposed of. */
  open(from = 0, to = this.#sizeBytes): Readable {
    const handle = this.#handle;
    const isClosed = (): boolean => this.#closed !== undefined;
    async function* pieces(): AsyncGenerator<Buffer> {
      for (let at = from; at < to;) {
        if (isClosed()) throw new Error("this file has been given up");
        const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, to - at));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) throw new Error("this file has lost its end");
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    }
    return Readable.from(pieces(), { objectMode: false });
  }

  /** Deletes the file; safe to call twice. */
  dispose(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#writer.stop();
    await this.#handle.close();
    if (this.#name !== undefined) await unlink(this.#name).catch(() => undefined);
  }
}
