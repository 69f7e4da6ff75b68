import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { holderAddresses, makePrivateFolder } from "../../../src/main/holder/holder.ts";

describe("where the holder of a database answers", () => {
  it("is beside the file first", () => {
    const [first, second] = holderAddresses("/srv/b.db", "linux");
    expect(first).toBe("/srv/b.db.sock");
    expect(path.dirname(second!)).toBe(path.join(os.tmpdir(), `bellwether-${os.userInfo().uid}`));
  });

  it("is short whatever the file's path, and another one for another file", () => {
    const long = holderAddresses(`/srv/${"deep/".repeat(40)}b.db`, "linux");
    expect(long).toHaveLength(1);
    expect(Buffer.byteLength(long[0]!)).toBeLessThanOrEqual(103);
    expect(holderAddresses(`/srv/${"deep/".repeat(40)}c.db`, "linux")).not.toEqual(long);
    expect(holderAddresses(`/${"ü".repeat(60)}.db`, "darwin")).toHaveLength(1);
  });

  it("is a named pipe on Windows", () => {
    expect(holderAddresses("C:\\data\\b.db", "win32")).toEqual([
      expect.stringMatching(/^\\\\\.\\pipe\\bellwether-[\da-f]{24}$/u),
    ]);
  });
});

describe("the folder for sockets under the temporary one", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), "bellwether-own-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it("is this user's alone, made where there is none", () => {
    const folder = path.join(root, "ours");
    makePrivateFolder(folder);
    makePrivateFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("is refused where others may enter it, or where it is a link to elsewhere", () => {
    const open = path.join(root, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => makePrivateFolder(open)).toThrow(open);
    const linked = path.join(root, "linked");
    mkdirSync(path.join(root, "target"), { mode: 0o700 });
    symlinkSync(path.join(root, "target"), linked);
    expect(() => makePrivateFolder(linked)).toThrow(linked);
  });
});
