import type { OnReadOpts, Socket } from "node:net";

/**
 * How much is read at once, at most. A socket's own 64 KiB wake the sender up so often that a transfer on one machine
 * costs a fifth more.
 */
const BUFFER_BYTES = 256 * 1024;
/** Two go round: one being read into, one being taken out. The others may fill up while the reader holds back. */
const MAX_FREE_BUFFERS = 4;

/**
 * The memory that one socket reads into, used again and again. Left alone, Node takes new memory for every read, and
 * half of what it costs to receive a large answer is to find that memory, to touch it first and to collect it.
 *
 * Used again is what the socket's reader has taken out, so its bytes are good only until that reader returns.
 */
export class ReceiveBuffers {
  /** For `net.connect`. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#next(),
    callback: (length, memory) => this.#received(length, memory),
  };
  #socket: Pick<Socket, "push" | "readableLength"> | undefined;
  #lent: Uint8Array[] = [];
  #free: Uint8Array[] = [];
  #reuses = false;

  /** Must be called before anything can have been received. */
  attach(socket: Pick<Socket, "push" | "readableLength">): void {
    this.#socket = socket;
  }

  /** From now on; what is received before, a response's head, may be looked at again when more of it has come. */
  startReuse(): void {
    this.#reuses = true;
  }

  #received(length: number, memory: Uint8Array): boolean {
    const socket = this.#socket;
    if (socket === undefined) return false;
    if (socket.readableLength === 0) {
      // All that was lent has been taken out.
      for (const each of this.#lent.splice(0)) if (this.#free.length < MAX_FREE_BUFFERS) this.#free.push(each);
    }
    if (this.#reuses) this.#lent.push(memory);
    return socket.push(Buffer.from(memory.buffer, memory.byteOffset, length));
  }

  #next(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }
}
