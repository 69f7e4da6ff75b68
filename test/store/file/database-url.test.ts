import path from "node:path";

import { describe, expect, it } from "vitest";

import { databaseFile } from "../../../src/store/file/database-url.ts";

describe("DATABASE_URL", () => {
  it.each([
    ["file:./data/bellwether.db", path.resolve("data/bellwether.db")],
    ["file:data/bellwether.db", path.resolve("data/bellwether.db")],
    ["file:/srv/b.db", "/srv/b.db"],
    ["file:///srv/with%20space/b.db", "/srv/with space/b.db"],
    ["FILE:///srv/b.db", "/srv/b.db"],
    ["./b.db", path.resolve("b.db")],
    ["/srv/b.db", "/srv/b.db"],
    ["b", path.resolve("b")],
  ])("%s is the file %s", (url, file) => {
    expect(databaseFile(url)).toBe(file);
  });

  it.each([
    ["mysql://user:hunter2@db/bot", "mysql:"],
    ["file:", "file"],
    ["file:./data/", "file"],
    ["file::memory:", "file"],
    ["file://elsewhere/hunter2.db", "file"],
  ])("%s is refused in one sentence that repeats nothing secret", (url, words) => {
    expect(() => databaseFile(url)).toThrow(words);
    expect(() => databaseFile(url)).toThrowErrorMatchingSnapshot();
    expect(() => databaseFile(url)).toThrow(expect.objectContaining({ name: "UserError", remedy: expect.any(String) }));
    expect(() => databaseFile(url)).not.toThrow("hunter2");
  });
});
