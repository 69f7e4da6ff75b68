import { Readable } from "node:stream";

import { expect, onTestFinished, test } from "vitest";

import { createFileCache, type FileCache } from "../../src/adapters/file-cache.ts";
import { silentLog } from "../../src/log.ts";
import { type Attachment, memoryAttachment } from "../../src/reply/reply.ts";
import { Clock } from "./web/harness.ts";

const FILE_MILLIS = 3_600_000;
const MAX_FILES = 200;

/** A file that counts how often it is disposed of. */
function watched(content: string, more: Partial<Attachment> = {}): Attachment & { readonly disposed: () => number } {
  let disposals = 0;
  return {
    ...memoryAttachment("ledger.csv", "text/csv", content),
    ...more,
    dispose: async () => {
      disposals += 1;
    },
    disposed: () => disposals,
  };
}

function setUp(): { clock: Clock; files: FileCache } {
  const clock = new Clock();
  const files = createFileCache({ maxFiles: MAX_FILES, ttlMillis: FILE_MILLIS, log: silentLog(), now: clock.now });
  onTestFinished(() => files.close());
  return { clock, files };
}

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(bytes)).toString("utf8");
}

test("a file can be read as often as asked until it is too old", async () => {
  const { clock, files } = setUp();
  const file = watched("a,b\n");
  const id = files.add(file);
  expect(id).toMatch(/^[0-9a-f]{32}$/u);
  clock.pass(FILE_MILLIS - 1);
  expect(await readAll(files.read(id)!.bytes)).toBe("a,b\n");
  expect(await readAll(files.read(id)!.bytes)).toBe("a,b\n");
  expect(file.disposed()).toBe(0);
  clock.pass(1);
  expect(files.read(id)).toBeUndefined();
  expect(file.disposed()).toBe(1);
});

test("the oldest goes when there are too many", () => {
  const { files } = setUp();
  const first = watched("first");
  const firstId = files.add(first);
  const second = watched("second");
  const secondId = files.add(second);
  for (let n = 0; n < MAX_FILES - 1; n += 1) files.add(watched(`${n}`));
  expect(files.read(firstId)).toBeUndefined();
  expect(first.disposed()).toBe(1);
  expect(files.read(secondId)).toBeDefined();
  expect(second.disposed()).toBe(0);
});

test("a file that is being read is disposed of by its last reader, also by one that stops half-way", async () => {
  const { clock, files } = setUp();
  const file = watched("abcd", { open: () => Readable.from([Buffer.from("ab"), Buffer.from("cd")]) });
  const id = files.add(file);
  const [whole, half] = [files.read(id)!.bytes, files.read(id)!.bytes];
  await whole.next();
  await half.next();
  clock.pass(FILE_MILLIS);
  expect(files.read(id)).toBeUndefined();
  expect(file.disposed()).toBe(0);
  expect(await readAll(whole)).toBe("cd");
  expect(file.disposed()).toBe(0);
  await half.return();
  expect(file.disposed()).toBe(1);
});

test("a file shorter than it said breaks off instead of leaving the reader waiting", async () => {
  const { files } = setUp();
  const id = files.add(watched("short", { sizeBytes: 1000 }));
  await expect(readAll(files.read(id)!.bytes)).rejects.toThrow("5 bytes instead of 1000");
});

test("a file that cannot be disposed of does not keep the others", async () => {
  const { files } = setUp();
  files.add({ ...memoryAttachment("x", "text/csv", "x"), dispose: () => Promise.reject(new Error("busy")) });
  const other = watched("y");
  const id = files.add(other);
  await files.close();
  expect(other.disposed()).toBe(1);
  expect(files.read(id)).toBeUndefined();
});
