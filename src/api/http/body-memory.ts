import { BODIES_IN_FLIGHT_BYTES } from "../limits.ts";

/** Bodies up to this size are left to the garbage collector. */
const SMALL_BYTES = 256 * 1024;

/** A body under way. */
export interface HeldBody {
  /** There is room again. */
  resume(): void;
}

/**
 * The memory that all bodies under way share. While it is full, only the oldest body grows, and the data of the others
 * stays at their nodes; since every body has a limit and a time-out, the oldest one ends.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  /** Bytes by body, the oldest first. */
  readonly #bodies = new Map<HeldBody, number>();
  readonly #waiting = new Set<HeldBody>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts bytes that have arrived. False = the body pauses until `resume`. */
  grow(body: HeldBody, bytes: number): boolean {
    this.#bodies.set(body, (this.#bodies.get(body) ?? 0) + bytes);
    this.#heldBytes += bytes;
    if (this.#mayGrow(body)) return true;
    this.#waiting.add(body);
    return false;
  }

  /** The body has ended, complete or not. Safe to call twice. */
  release(body: HeldBody): void {
    this.#heldBytes -= this.#bodies.get(body) ?? 0;
    this.#bodies.delete(body);
    this.#waiting.delete(body);
    for (const waiting of this.#waiting) {
      if (!this.#mayGrow(waiting)) continue;
      this.#waiting.delete(waiting);
      waiting.resume();
    }
  }

  #mayGrow(body: HeldBody): boolean {
    return this.#heldBytes <= this.#maxBytes || this.#bodies.keys().next().value === body;
  }
}

/** The budget of this process. */
export const bodyBudget = new BodyBudget(BODIES_IN_FLIGHT_BYTES);

/**
 * Collects a body and frees its memory at once. V8 collects memory outside its heap late: in a process that then has
 * little to do, a list of chunks stays for minutes, some hundred megabytes of it.
 */
export class BodyMemory {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Once the body is large: memory that grows in place, within the address space reserved for it. */
  #memory: ArrayBuffer | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes a chunk that may be kept. It must fit below the limit. */
  add(chunk: Buffer): void {
    const at = this.#length;
    this.#length += chunk.length;
    if (this.#memory === undefined && this.#length <= SMALL_BYTES) {
      this.#chunks.push(chunk);
      return;
    }
    if (this.#memory === undefined) {
      this.#memory = new ArrayBuffer(0, { maxByteLength: this.#maxBytes });
      let filled = 0;
      for (const small of this.#chunks.splice(0)) {
        this.#put(small, filled);
        filled += small.length;
      }
    }
    this.#put(chunk, at);
  }

  /** The body as text, without a byte order mark; the memory is given back. */
  takeText(): string {
    const bytes =
      this.#memory === undefined
        ? Buffer.concat(this.#chunks, this.#length)
        : Buffer.from(this.#memory, 0, this.#length);
    const text = bytes.toString("utf8");
    this.free();
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  free(): void {
    this.#memory?.transferToFixedLength(0);
    this.#memory = undefined;
    this.#chunks = [];
  }

  #put(chunk: Buffer, at: number): void {
    const memory = this.#memory;
    if (memory === undefined) return;
    const end = at + chunk.length;
    // Grown in steps, since each one is a call to the system.
    if (end > memory.byteLength) memory.resize(Math.min(this.#maxBytes, Math.max(end, memory.byteLength * 2)));
    new Uint8Array(memory, at, chunk.length).set(chunk);
  }
}
