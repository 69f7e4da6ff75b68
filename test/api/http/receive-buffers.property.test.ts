import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";

import * as fc from "fast-check";
import { expect, test } from "vitest";

import { ReceiveBuffers } from "../../../src/api/http/receive-buffers.ts";
import { runs } from "../../support/runs.ts";

/** No byte value comes again soon, so that a chunk out of its place cannot pass for another. */
const FILE = Buffer.from(Uint32Array.from({ length: 400_000 }, (_, index) => Math.imul(index, 2_654_435_761)).buffer);

/** Everything that a reader takes out of a socket which reads into the memory, with a pause now and then. */
async function received(
  buffers: ReceiveBuffers,
  pauses: readonly number[],
  chunks: readonly number[] = [FILE.length],
  lookup?: net.LookupFunction,
): Promise<Buffer> {
  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    void (async () => {
      let sent = 0;
      for (let count = 0; sent < FILE.length; count += 1) {
        const chunk = chunks[count % chunks.length] ?? FILE.length;
        if (!socket.write(FILE.subarray(sent, sent + chunk))) await once(socket, "drain");
        sent += chunk;
        await setImmediate();
      }
      socket.end();
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = net.connect({
    port,
    onread: buffers.onread,
    ...(lookup === undefined ? { host: "127.0.0.1" } : { host: "node.example", autoSelectFamily: true, lookup }),
  });
  buffers.attach(socket);
  const parts: Buffer[] = [];
  let reads = 0;
  let paused = false;
  const drain = (): void => {
    if (paused) return;
    const part = socket.read() as Buffer | null;
    if (part === null) return;
    parts.push(Buffer.from(part));
    const pause = pauses[(reads += 1) % pauses.length] ?? 0;
    paused = pause > 0;
    if (!paused) return;
    setTimeout(() => {
      paused = false;
      drain();
    }, pause);
  };
  socket.on("readable", drain);
  await once(socket, "end");
  server.close();
  return Buffer.concat(parts);
}

test("nothing is written over before it is taken out, however slowly that goes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 5000, max: 300_000 }), { minLength: 1, maxLength: 8 }),
      async (pauses, chunks) => {
        const buffers = new ReceiveBuffers();
        buffers.startReuse();
        expect((await received(buffers, pauses, chunks)).equals(FILE)).toBe(true);
      },
    ),
    runs(60),
  );
});

test("the second address of a name serves where the first refuses", async () => {
  const buffers = new ReceiveBuffers();
  buffers.startReuse();
  const both: net.LookupFunction = (_name, _options, done) =>
    done(null, [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ]);
  expect((await received(buffers, [0], undefined, both)).equals(FILE)).toBe(true);
});

test("data before startReuse stays intact", async () => {
  const buffers = new ReceiveBuffers();
  const inUse: Uint8Array[] = [];
  const reader = { readableLength: 0, push: () => true };
  buffers.attach(reader);
  const { onread } = buffers;
  const next = (): Uint8Array => (typeof onread.buffer === "function" ? onread.buffer() : onread.buffer);
  for (let read = 0; read < 5; read += 1) {
    const chunk = next();
    expect(inUse).not.toContain(chunk);
    inUse.push(chunk);
    onread.callback(10, chunk);
  }
  buffers.startReuse();
  const later = new Set(
    Array.from({ length: 20 }, () => {
      const chunk = next();
      onread.callback(10, chunk);
      return chunk;
    }),
  );
  expect(later.size).toBe(2);
  expect(inUse.some((chunk) => later.has(chunk))).toBe(false);
});
