import type { Socket } from "node:net";

const INTERIM = /^HTTP\/1\.[01] 100[ \r]/u;
/** The length of `HTTP/1.1 100 `. */
const TELLING_BYTES = 13;
const HEAD_END = "\r\n\r\n";
/** A head that has not ended by then is left to the parser, which refuses it. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Removes `100 Continue` before an answer. Some proxies send it without a request for it; a client may ignore that (RFC
 * 9110, 15.2), but undici drops the connection. Reads only the bytes between a request and the head of its answer.
 */
export function skipContinue(socket: Socket): void {
  let isHeadNext = false;
  let held: Buffer = Buffer.alloc(0);
  const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean;
  const push = socket.push.bind(socket);
  socket.write = (...parts: unknown[]) => {
    isHeadNext = true;
    return write(...parts);
  };
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!isHeadNext || !Buffer.isBuffer(chunk)) {
      if (held.length > 0) push(held);
      held = Buffer.alloc(0);
      return push(chunk, encoding);
    }
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = Buffer.alloc(0);
    let at = 0;
    while (INTERIM.test(bytes.toString("latin1", at, at + TELLING_BYTES))) {
      const end = bytes.indexOf(HEAD_END, at);
      if (end === -1) break;
      at = end + HEAD_END.length;
    }
    const rest = bytes.subarray(at);
    const mayBecomeInterim =
      rest.length < TELLING_BYTES
        ? "HTTP/1.1 100 ".startsWith(rest.toString("latin1"))
        : INTERIM.test(rest.toString("latin1", 0, TELLING_BYTES));
    if (mayBecomeInterim && rest.length < MAX_HEAD_BYTES) {
      // Kept in memory of its own, since the socket's may be reused.
      held = Buffer.from(rest);
      return true;
    }
    isHeadNext = false;
    return push(rest);
  };
}
