import type { Context, MiddlewareHandler } from "hono";

/**
 * Refuses a body of more bytes than that: one with a length before it is read, one without a length once it has sent
 * too much. The framework's own middleware copies a request whose body has no length by handing it to the platform's
 * Request, which takes none of the server's.
 */
export function limitBody(maxBytes: number, refusal: (c: Context) => Response): MiddlewareHandler {
  return async (c, next) => {
    const length = c.req.header("content-length");
    // The server itself lets nothing through beyond an announced length.
    if (length !== undefined && c.req.header("transfer-encoding") === undefined) {
      return Number(length) > maxBytes ? refusal(c) : next();
    }
    const { body, headers, signal } = c.req.raw;
    if (body === null) return next();
    const read = await readUpTo(body, maxBytes);
    if (read === undefined) return refusal(c);
    c.req.raw = new Request(c.req.url, { method: c.req.method, headers, signal, body: read });
    return next();
  };
}

/** Undefined where there is more. */
async function readUpTo(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(pieces);
    size += value.length;
    if (size > maxBytes) return undefined;
    pieces.push(value);
  }
}
