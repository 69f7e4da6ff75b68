import { createHash } from "node:crypto";
import { type FileHandle, mkdir } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { codeOf, messageOf, StorageError } from "../errors.ts";
import type { Milliseconds } from "../units/time.ts";
import { BlockThread } from "./block-thread.ts";

/** The size of a block. */
const BLOCK_BYTES = 1024 * 1024;
/** One or two are in use. The others take what arrives in the 30 ms that the thread needs to start. */
const MAX_BLOCKS = 6;
/** With fewer free blocks the caller has to wait, so that bytes which have arrived already fit into a block. */
const MIN_FREE_BLOCKS = 1;
/**
 * With so many free blocks the caller may go on. Each wait stops and restarts the sender, so a few long ones are best.
 */
const FREE_BLOCKS_TO_RESUME = 3;

/** A written file. */
export interface Written {
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Makes a file of the blocks. */
export interface BlockSink<Result extends Written> {
  /** Starts the thread that takes the blocks. */
  start(): BlockThread<Result>;
  /**
   * Does the same on this thread, where all bytes fit into one block: starting a thread would take longer. May reject.
   */
  takeAll(bytes: Uint8Array): Promise<Result>;
  /** A block that is not full is sent to the thread after so many milliseconds; left out = never. */
  readonly flushMillis?: Milliseconds;
  /** Called at once with the error that every later call throws. */
  onFailure?(error: Error): void;
}

/** Writes the bytes to a new file from its beginning, and takes their SHA-256 on the way. */
export function fileSink(handle: FileHandle): BlockSink<Written> {
  return {
    start: () =>
      new BlockThread(
        new Worker(new URL("./file-thread.mjs", import.meta.url), {
          workerData: { fd: handle.fd },
          env: {},
          execArgv: [],
        }),
      ),
    async takeAll(bytes) {
      for (let at = 0; at < bytes.length;) {
        at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
      }
      return { sizeBytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
    },
  };
}

/**
 * Gathers bytes into blocks of memory, and sends these to the thread that makes a file of them, and back. They are
 * transferred, not shared: V8 copies into shared memory word by word or byte by byte, several times as slowly.
 */
export class BlockWriter<Result extends Written> {
  readonly #sink: BlockSink<Result>;
  #free: Uint8Array<ArrayBuffer>[] = [];
  /** The number of blocks made; most files need one. */
  #blockCount = 0;
  /** The block that is being filled; it has one byte at least. */
  #filling: Uint8Array<ArrayBuffer> | undefined;
  /** Bytes in it. */
  #filled = 0;
  #takenBytes = 0;
  #thread: BlockThread<Result> | undefined;
  #flush: NodeJS.Timeout | undefined;
  #pending = 0;
  /** Bytes for which there was no block, from a caller that did not wait. */
  readonly #overflow: Uint8Array[] = [];
  readonly #waiting: (() => void)[] = [];
  #failure: Error | undefined;

  constructor(sink: BlockSink<Result>) {
    this.#sink = sink;
  }

  /** Rows that the thread has counted so far. */
  get rows(): number {
    return this.#thread?.rows ?? 0;
  }

  /**
   * Takes bytes, which may be changed again as soon as it returns. Returns a promise to await before the next call, or
   * undefined while there is room. Throws or rejects with StorageError when the disk is full, and with the thread's
   * error.
   */
  write(chunk: Uint8Array): Promise<void> | undefined {
    this.#check();
    const taken = this.#overflow.length === 0 ? this.#take(chunk) : 0;
    if (taken < chunk.length) this.#overflow.push(Uint8Array.from(chunk.subarray(taken)));
    return this.#available >= MIN_FREE_BLOCKS ? undefined : this.#untilRoom();
  }

  /** Waits until everything is written. Once only. */
  async finish(): Promise<Result> {
    clearTimeout(this.#flush);
    while (this.#overflow.length > 0) await this.#untilRoom();
    this.#check();
    const last = this.#filling;
    if (this.#thread !== undefined) {
      if (last !== undefined) this.#send(last);
      while (this.#pending > 0) await this.#blockReturned();
      this.#check();
    }
    // The file may be kept for long; its blocks are of no more use.
    this.#free = [];
    this.#filling = undefined;
    try {
      return await (this.#thread?.finish() ?? this.#sink.takeAll(last?.subarray(0, this.#filled) ?? new Uint8Array(0)));
    } catch (error) {
      this.#fail(error);
      throw this.#failure;
    }
  }

  /** Ends all work on the file, so that it can be closed. Never rejects; safe to call twice. */
  async stop(): Promise<void> {
    clearTimeout(this.#flush);
    await this.#thread?.stop();
  }

  /** Takes as many bytes as there is room for, and returns their number. */
  #take(chunk: Uint8Array): number {
    let taken = 0;
    while (taken < chunk.length) {
      const block = (this.#filling ??= this.#nextBlock());
      if (block === undefined) break;
      const count = Math.min(chunk.length - taken, BLOCK_BYTES - this.#filled);
      block.set(count === chunk.length ? chunk : chunk.subarray(taken, taken + count), this.#filled);
      this.#filled += count;
      taken += count;
      if (this.#filled === BLOCK_BYTES) this.#send(block);
    }
    this.#takenBytes += taken;
    if (this.#filling !== undefined && this.#flush === undefined) this.#flushLater();
    return taken;
  }

  /** Blocks that are free or can still be made. */
  get #available(): number {
    return this.#free.length + MAX_BLOCKS - this.#blockCount;
  }

  async #untilRoom(): Promise<void> {
    this.#check();
    while (this.#overflow.length > 0 || this.#available < FREE_BLOCKS_TO_RESUME) {
      await this.#blockReturned();
      this.#check();
    }
  }

  #nextBlock(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#free.length > 0 || this.#blockCount === MAX_BLOCKS) return this.#free.pop();
    this.#blockCount += 1;
    return new Uint8Array(BLOCK_BYTES);
  }

  #flushLater(): void {
    const { flushMillis } = this.#sink;
    if (flushMillis === undefined) return;
    this.#flush = setTimeout(() => {
      this.#flush = undefined;
      if (this.#filling !== undefined) this.#send(this.#filling);
    }, flushMillis);
  }

  #send(block: Uint8Array<ArrayBuffer>): void {
    const length = this.#filled;
    this.#filling = undefined;
    this.#filled = 0;
    clearTimeout(this.#flush);
    this.#flush = undefined;
    this.#thread ??= this.#sink.start();
    this.#pending += 1;
    void this.#writeBlock(block, length, this.#thread);
  }

  async #writeBlock(block: Uint8Array<ArrayBuffer>, length: number, thread: BlockThread<Result>): Promise<void> {
    try {
      this.#free.push(new Uint8Array(await thread.append(block.buffer, length)));
    } catch (error) {
      this.#fail(error);
    }
    this.#pending -= 1;
    this.#takeOverflow();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #takeOverflow(): void {
    for (;;) {
      const [chunk] = this.#overflow;
      if (chunk === undefined || this.#failure !== undefined) return;
      const taken = this.#take(chunk);
      if (taken < chunk.length) {
        this.#overflow[0] = chunk.subarray(taken);
        return;
      }
      this.#overflow.shift();
    }
  }

  /** Resolves when a block has come back or failed. */
  #blockReturned(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = toDiskFullError(error, this.#takenBytes);
    this.#sink.onFailure?.(this.#failure);
  }
}

const DISK_FULL_CODES = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const READ_ONLY_CODES = new Set(["EACCES", "EPERM", "EROFS"]);

/** The error for a folder that cannot be written to, which the operator must mend. */
export function toUnwritableError(thrown: unknown, folder: string): StorageError {
  const title = "The bot cannot write to its folder of exports";
  return new StorageError(`${title} (${folder}): ${messageOf(thrown)}.`, { title, remote: true, cause: thrown });
}

/** Makes a folder where there is none. Rejects with StorageError. */
export async function makeExportFolder(folder: string): Promise<void> {
  // On a read-only disk the system's error is ENOENT.
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((thrown: unknown) => {
    throw toUnwritableError(thrown, folder);
  });
}

/**
 * Turns a system's error for a full disk or a folder that cannot be written to into a StorageError, which is for
 * operators; anything else into an Error.
 */
export function toDiskFullError(thrown: unknown, sizeBytes: number, folder = ""): Error {
  if (READ_ONLY_CODES.has(codeOf(thrown))) return toUnwritableError(thrown, folder);
  if (!DISK_FULL_CODES.has(codeOf(thrown))) return thrown instanceof Error ? thrown : new Error(String(thrown));
  const megabytes = Math.ceil(sizeBytes / 1_000_000);
  const title = `The bot's disk is full: it ran out about ${megabytes} MB into the export`;
  return new StorageError(`${title}.`, {
    title,
    remedy: "Ask for a shorter range, or have an operator free space for temporary files",
    remote: true,
    cause: thrown,
  });
}
