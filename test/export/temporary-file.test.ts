import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, open, readdir, rm, symlink, writeFile, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { StorageError } from "../../src/errors.ts";
import { fileSink } from "../../src/export/block-writer.ts";
import { temporaryFiles } from "../../src/export/temporary-file.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "bellwether-test-"));
});
afterEach(() => rm(directory, { recursive: true }));

describe("a temporary file", () => {
  test("returns what was written, as often as asked, and its SHA-256", async () => {
    const file = await temporaryFiles({ directory }).create(fileSink);
    const bytes = randomBytes(3_000_000);
    for (let at = 0; at < bytes.length; at += 70_001) {
      const room = file.write(bytes.subarray(at, at + 70_001));
      if (room !== undefined) await room;
    }
    expect(await file.finish()).toEqual({
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    });
    const both = await Promise.all([buffer(file.open()), buffer(file.open())]);
    expect(both.every((read) => read.equals(bytes))).toBe(true);
    expect((await buffer(file.open())).equals(bytes)).toBe(true);
    await file.dispose();
  });

  test("an empty one is empty", async () => {
    const file = await temporaryFiles({ directory }).create(fileSink);
    expect((await file.finish()).sizeBytes).toBe(0);
    expect((await buffer(file.open())).length).toBe(0);
    await file.dispose();
  });

  test("is nobody else's: mode 0600, and no name from the moment it is open", async () => {
    const handles: FileHandle[] = [];
    const openFile = async (name: string): Promise<FileHandle> => {
      expect(path.basename(name)).toMatch(/^ledger-[0-9a-f]{32}\.part$/u);
      const handle = await open(name, "wx+", 0o600);
      handles.push(handle);
      return handle;
    };
    const file = await temporaryFiles({ directory, openFile }).create(fileSink);
    const mode = process.platform === "win32" ? 0o600 : (await handles[0]!.stat()).mode & 0o777;
    expect(mode).toBe(0o600);
    expect(await readdir(directory)).toEqual([]);
    await file.dispose();
  });

  test("is gone once it is disposed of, also for readers that have begun", async () => {
    const file = await temporaryFiles({ directory }).create(fileSink);
    await file.write(randomBytes(300_000));
    await file.finish();
    const reader = file.open();
    await file.dispose();
    await file.dispose();
    await expect(buffer(reader)).rejects.toThrow("given up");
    await expect(buffer(file.open())).rejects.toThrow("given up");
  });

  test("what a crash left is swept at first use, other files are left alone", async () => {
    await writeFile(path.join(directory, `ledger-${"0a".repeat(16)}.part`), "left over");
    await writeFile(path.join(directory, "notes.txt"), "somebody's");
    const file = await temporaryFiles({ directory }).create(fileSink);
    expect(await readdir(directory)).toEqual(["notes.txt"]);
    await file.dispose();
  });

  test("the folder is made anew when a cleaner has taken it away", async () => {
    const folder = path.join(directory, "below");
    const files = temporaryFiles({ directory: folder });
    await (await files.create(fileSink)).dispose();
    await rm(folder, { recursive: true });
    await (await files.create(fileSink)).dispose();
    expect(existsSync(folder)).toBe(true);
  });

  describe.skipIf(process.platform === "win32")("the default folder is private:", () => {
    afterEach(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    });

    const own = process.getuid?.() ?? 0;
    test.each<[string, number, (usual: string) => Promise<unknown>, boolean]>([
      ["a new one", own, async () => undefined, true],
      ["this user's", own, (usual) => mkdir(usual, { mode: 0o700 }), true],
      ["not one that others may read", own, (usual) => mkdir(usual, { mode: 0o750 }), false],
      ["not one that a link names", own, (usual) => symlink(directory, usual), false],
      ["not another user's", own + 1, (usual) => mkdir(usual, { mode: 0o700 }), false],
    ])("%s", async (_name, user, prepare, isUsed) => {
      vi.stubEnv("TMPDIR", directory);
      vi.spyOn(process, "getuid").mockReturnValue(user);
      const usual = path.join(directory, `bellwether-${user}`);
      await prepare(usual);
      const used: string[] = [];
      const openFile = (name: string): Promise<FileHandle> => {
        used.push(path.dirname(name));
        return open(name, "wx+", 0o600);
      };
      await (await temporaryFiles({ openFile }).create(fileSink)).dispose();
      const [folder = ""] = used;
      expect(folder === usual).toBe(isUsed);
      expect((await lstat(folder)).mode & 0o777).toBe(0o700);
    });
  });

  test("a disk too full for a file's name is one, too", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    const files = temporaryFiles({ directory, openFile: () => Promise.reject(full) });
    await expect(files.create(fileSink)).rejects.toThrow(StorageError);
  });

  test.runIf(existsSync("/dev/full"))("a full disk is one clear sentence", async () => {
    const file = await temporaryFiles({ directory, openFile: () => open("/dev/full", "r+") }).create(fileSink);
    const writing = (async () => {
      for (let count = 0; count < 4; count += 1) await file.write(Buffer.alloc(600_000));
      await file.finish();
    })();
    await expect(writing).rejects.toThrow(StorageError);
    await expect(writing).rejects.toThrow(/\bdisk\b.*\b\d MB\b/u);
    await file.dispose();
    await file.dispose();
  });
});
