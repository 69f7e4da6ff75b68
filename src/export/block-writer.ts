import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

import { codeOf, StorageError } from "../errors.ts";
import { FileThread } from "./file-thread.ts";

/** Bytes gathered before they are handed over at once. */
const BLOCK_BYTES = 1024 * 1024;
/** One or two go round; the others are there for the 30 ms that the thread takes to start. */
const MAX_BLOCKS = 6;
/** Blocks left when the caller is asked to wait, so that what has arrived already needs no copy elsewhere. */
const MIN_FREE_BLOCKS = 1;
/** Blocks free when the caller may go on: few long waits, since each costs whoever sends a stop and a start. */
const FREE_BLOCKS_TO_RESUME = 3;

/**
 * Writes a new file from its beginning, in blocks, and takes its SHA-256 on the way. A fixed few blocks of memory go
 * round between whoever fills them and the thread that writes and hashes. Each belongs to one of the two at a time:
 * into memory that both see at once, V8 copies with care for every word, or every byte, several times as slowly.
 */
export class BlockWriter {
  readonly #handle: FileHandle;
  #free: Uint8Array<ArrayBuffer>[] = [];
  /** Blocks made so far; most files need one. */
  #made = 0;
  #filling: Uint8Array<ArrayBuffer> | undefined;
  /** How much of the block that is being filled is full. */
  #filled = 0;
  #sizeBytes = 0;
  #thread: FileThread | undefined;
  #underWay = 0;
  /** What came without having been waited for, beyond the blocks. */
  readonly #overflow: Uint8Array[] = [];
  readonly #waiting: (() => void)[] = [];
  #failure: Error | undefined;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Takes bytes, which may be changed again as soon as it returns; what it returns should be waited for before the next
   * call: nothing while there is room. Throws or rejects with StoreTrouble when the disk is full.
   */
  write(chunks: readonly Uint8Array[]): Promise<void> | undefined {
    this.#check();
    for (const chunk of chunks) {
      const taken = this.#overflow.length === 0 ? this.#take(chunk) : 0;
      if (taken < chunk.length) this.#overflow.push(Uint8Array.from(chunk.subarray(taken)));
    }
    return this.#overflow.length === 0 && this.#spare >= MIN_FREE_BLOCKS ? undefined : this.#untilRoom();
  }

  /** Waits until everything is written; the hash in lower-case hex. Once only. */
  async finish(): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
    while (this.#overflow.length > 0) await this.#untilRoom();
    const last = this.#filling;
    let sha256: string;
    if (this.#thread === undefined) {
      // What fits into one block is not worth a thread.
      const bytes = last?.subarray(0, this.#filled) ?? new Uint8Array(0);
      try {
        await this.#toDisk(bytes);
      } catch (error) {
        this.#fail(error);
      }
      sha256 = createHash("sha256").update(bytes).digest("hex");
    } else {
      if (last !== undefined && this.#filled > 0) this.#send(last);
      while (this.#underWay > 0) await this.#nextRound();
      this.#check();
      sha256 = await this.#thread.finish();
    }
    this.#check();
    // The file may be kept for long; the blocks are given back.
    this.#free = [];
    this.#filling = undefined;
    return { sizeBytes: this.#sizeBytes, sha256 };
  }

  /** Ends all work on the file, so that it can be closed. Never rejects; safe to call twice. */
  async stop(): Promise<void> {
    await this.#thread?.stop();
  }

  /** As many of the bytes as there is room for. */
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
    this.#sizeBytes += taken;
    return taken;
  }

  /** Blocks that are free or can still be made. */
  get #spare(): number {
    return this.#free.length + MAX_BLOCKS - this.#made;
  }

  async #untilRoom(): Promise<void> {
    this.#check();
    while (this.#overflow.length > 0 || this.#spare < FREE_BLOCKS_TO_RESUME) {
      await this.#nextRound();
      this.#check();
    }
  }

  #nextBlock(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#free.length > 0 || this.#made === MAX_BLOCKS) return this.#free.pop();
    this.#made += 1;
    return new Uint8Array(BLOCK_BYTES);
  }

  #send(block: Uint8Array<ArrayBuffer>): void {
    const length = this.#filled;
    this.#filling = undefined;
    this.#filled = 0;
    this.#thread ??= new FileThread(this.#handle.fd);
    this.#underWay += 1;
    void this.#goRound(block, length, this.#thread);
  }

  async #goRound(block: Uint8Array<ArrayBuffer>, length: number, thread: FileThread): Promise<void> {
    try {
      this.#free.push(new Uint8Array(await thread.append(block.buffer, length)));
    } catch (error) {
      this.#fail(error);
    }
    this.#underWay -= 1;
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

  /** The only bytes of a file, all at once. */
  async #toDisk(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      at += (await this.#handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
    }
  }

  /** A block has come back, or has failed. */
  #nextRound(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    this.#failure ??= toDiskFullError(error, this.#sizeBytes);
  }
}

const DISK_FULL_CODES = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** What a system says when there is no room for more of a file, as the operator's to mend; anything else as an error. */
export function toDiskFullError(thrown: unknown, sizeBytes: number): Error {
  if (!DISK_FULL_CODES.has(codeOf(thrown))) return thrown instanceof Error ? thrown : new Error(String(thrown));
  const megabytes = Math.ceil(sizeBytes / 1_000_000);
  const title = `The bot's disk is full: it ran out about ${megabytes} MB into the export`;
  return new StorageError(`${title}.`, {
    title,
    remedy: "Ask for a shorter range, or have an operator free space for temporary files",
    cause: thrown,
  });
}
