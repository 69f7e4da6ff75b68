/** Bodies up to this size are left to the garbage collector. */
const SMALL_BYTES = 256 * 1024;

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
