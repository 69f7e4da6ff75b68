import type { OnReadOpts, Socket } from "node:net";

/**
 * The size of one read. Node's default of 64 KiB wakes the sender so often that a local transfer costs a fifth more.
 */
const BUFFER_BYTES = 256 * 1024;
/** Two are in use: one being filled, one being read. The others fill up while the reader is paused. */
const MAX_FREE_BUFFERS = 4;

/**
 * The buffers that one socket reads into, reused. By default Node allocates memory for every read, and allocating,
 * touching and collecting it is half the cost of receiving a large answer.
 *
 * A buffer is reused once the socket's reader has taken its bytes, so they are good only until that reader returns.
 */
export class ReceiveBuffers {
  /** For `net.connect`. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#next(),
    callback: (length, buffer) => this.#received(length, buffer),
  };
  #socket: Pick<Socket, "push" | "readableLength"> | undefined;
  #inUse: Uint8Array[] = [];
  #free: Uint8Array[] = [];
  #reuses = false;

  /** Must be called before the socket receives data. */
  attach(socket: Pick<Socket, "push" | "readableLength">): void {
    this.#socket = socket;
  }

  /** Starts reusing buffers. Earlier ones hold the response head, which the parser may read again. */
  startReuse(): void {
    this.#reuses = true;
  }

  #received(length: number, buffer: Uint8Array): boolean {
    const socket = this.#socket;
    if (socket === undefined) return false;
    if (socket.readableLength === 0) {
      // The reader has taken all of it.
      for (const each of this.#inUse.splice(0)) if (this.#free.length < MAX_FREE_BUFFERS) this.#free.push(each);
    }
    if (this.#reuses) this.#inUse.push(buffer);
    return socket.push(Buffer.from(buffer.buffer, buffer.byteOffset, length));
  }

  #next(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }
}
