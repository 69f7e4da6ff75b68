import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

const FOLDER = import.meta.dirname;

/** The rows of the table in regressions.md, without its head. */
const rows = readFileSync(path.join(FOLDER, "regressions.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => line.split(/(?<!\\)\|/u).map((cell) => cell.trim().replaceAll("\\|", "|")));

test("each mended fault has a row of three cells", () => {
  expect(rows.length).toBeGreaterThan(0);
  for (const cells of rows) {
    expect(cells).toHaveLength(5);
    expect(cells.slice(1, 4)).not.toContain("");
  }
});

test.each(rows)("%s%s", (_before, _what, file = "", title = "") => {
  const named = path.join(FOLDER, file);
  expect(existsSync(named), `${file} does not exist`).toBe(true);
  expect(readFileSync(named, "utf8"), `${file} has no test “${title}”`).toContain(title);
});
