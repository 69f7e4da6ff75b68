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
    ["postgres://user:hunter2@db/bot", "PostgreSQL server, which is not supported yet"],
    ["postgresql://user:hunter2@db/bot", "PostgreSQL server, which is not supported yet"],
    ["mysql://user:hunter2@db/bot", "the scheme mysql:, which is not supported"],
    ["file:", "names no file"],
    ["file:./data/", "names no file"],
    ["file::memory:", "names no file"],
    ["file://elsewhere/hunter2.db", "is no file address"],
  ])("%s is refused in one sentence that repeats nothing secret", (url, words) => {
    expect(() => databaseFile(url)).toThrow(words);
    expect(() => databaseFile(url)).toThrow(expect.objectContaining({ name: "UserError", remedy: expect.any(String) }));
    expect(() => databaseFile(url)).not.toThrow("hunter2");
  });
});
