import { createHash } from "node:crypto";
import { mkdtemp, open, readFile, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { BlockThread } from "../../src/export/block-thread.ts";
import { BlockWriter, fileSink, type Written } from "../../src/export/block-writer.ts";
import { runs } from "../support/runs.ts";

let directory: string;
let handle: FileHandle;
const fileName = (): string => path.join(directory, "file");
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "bellwether-test-"));
  handle = await open(fileName(), "wx+", 0o600);
});
afterEach(async () => {
  await handle.close();
  await rm(directory, { recursive: true });
});

const MIB = 1024 * 1024;

describe("BlockWriter", () => {
  test("however large the pieces, the file and its SHA-256 are those of all bytes in order", async () => {
    const sizes = fc.array(fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 3 * MIB })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        await handle.truncate(0);
        const writer = new BlockWriter(fileSink(handle));
        const expected = Buffer.alloc(lengths.reduce((sum, length) => sum + length, 0));
        let at = 0;
        for (const [index, length] of lengths.entries()) {
          expected.fill(`piece ${index}, `, at, at + length);
          // The same memory is reused at once: it must have been read by then.
          const piece = Buffer.from(expected.subarray(at, at + length));
          const room = writer.write(piece);
          piece.fill("x");
          if (room !== undefined) await room;
          at += length;
        }
        const { sizeBytes, sha256 } = await writer.finish();
        await writer.stop();
        expect(sizeBytes).toBe(expected.length);
        expect((await readFile(fileName())).equals(expected)).toBe(true);
        expect(sha256).toBe(createHash("sha256").update(expected).digest("hex"));
      }),
      runs(50),
    );
  });

  test("loses nothing of a caller that does not wait", async () => {
    const writer = new BlockWriter(fileSink(handle));
    const pieces = Array.from({ length: 30 }, (_, index) => Buffer.alloc(700_001, `piece ${index}, `));
    const expected = Buffer.concat(pieces);
    const rooms = pieces.map((piece) => {
      const room = writer.write(piece);
      piece.fill("x");
      return room;
    });
    expect(rooms.at(0)).toBeUndefined();
    const { sizeBytes, sha256 } = await writer.finish();
    await writer.stop();
    expect(sizeBytes).toBe(expected.length);
    expect((await readFile(fileName())).equals(expected)).toBe(true);
    expect(sha256).toBe(createHash("sha256").update(expected).digest("hex"));
  });

  test("holds its caller back when the disk is slower, and never holds more than its blocks", async () => {
    const writer = new BlockWriter(fileSink(handle));
    const waits: Promise<void>[] = [];
    const room = writer.write(Buffer.alloc(40 * MIB, "a"));
    if (room !== undefined) waits.push(room);
    expect(waits).toHaveLength(1);
    await Promise.all(waits);
    expect((await writer.finish()).sizeBytes).toBe(40 * MIB);
    await writer.stop();
  });

  test("can be stopped in the middle, twice, and leaves no thread behind", async () => {
    const writer = new BlockWriter(fileSink(handle));
    // The last block is free.
    expect(writer.write(Buffer.alloc(5 * MIB))).toBeUndefined();
    await writer.stop();
    await writer.stop();
    expect((await handle.stat()).size).toBeLessThanOrEqual(5 * MIB);
  });

  test("is whole on a system that takes a part of each write", async () => {
    const half = Object.assign(Object.create(handle) as FileHandle, {
      write: (bytes: Uint8Array, from: number, length: number, to: number) =>
        handle.write(bytes, from, Math.ceil(length / 2), to),
    });
    const writer = new BlockWriter(fileSink(half));
    expect(writer.write(Buffer.from("twelve bytes"))).toBeUndefined();
    await writer.finish();
    expect(await readFile(fileName(), "utf8")).toBe("twelve bytes");
  });

  test("what waits for a full block waits so long, from its first byte on", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sent: number[] = [];
    const thread = {
      append: async (memory: ArrayBuffer, length: number) => {
        sent.push(length);
        return memory;
      },
    };
    const start = () => thread as unknown as BlockThread<Written>;
    const writer = new BlockWriter({ ...fileSink(handle), start, flushMillis: 300 });
    const write = async (bytes: number, sentBefore: readonly number[], pause: number) => {
      expect(writer.write(Buffer.alloc(bytes))).toBeUndefined();
      await vi.advanceTimersByTimeAsync(pause);
      expect(sent).toEqual(sentBefore);
    };
    try {
      await write(MIB, [MIB], 100);
      await write(1, [MIB], 299);
      await write(1, [MIB, 2], 1);
      await write(1, [MIB, 2], 299);
      await write(1, [MIB, 2, 2], 1);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a write's error on a failing disk is reported at the end at the latest", async () => {
    const readOnly = await open(fileName(), "r");
    const writer = new BlockWriter(fileSink(readOnly));
    const writing = (async () => {
      await writer.write(Buffer.alloc(5 * MIB));
      await writer.finish();
    })();
    await expect(writing).rejects.toThrow("EBADF");
    await writer.stop();
    await readOnly.close();
  });
});
