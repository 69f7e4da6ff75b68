import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { RowSorter } from "../../src/export/normalise/row-sorter.ts";
import { runs } from "../support/runs.ts";

let folder: string;
let fd: number;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bellwether-test-"));
  fd = openSync(path.join(folder, "runs"), "wx+");
});
afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

interface Row {
  readonly seconds: number;
  readonly nanos: number;
  readonly text: string;
}

function sorted(rows: readonly Row[], runBytes: number): string {
  const sorter = new RowSorter(fd, runBytes);
  for (const { text, ...time } of rows) {
    // More room than the row needs.
    const at = sorter.reserve(2 * text.length + 10);
    sorter.add(at + sorter.bytes.write(`${text}\n`, at), time);
  }
  let result = "";
  for (const piece of sorter.finish()) {
    result += piece.toString();
    piece.fill("#");
  }
  return result;
}

describe("RowSorter", () => {
  test("sorts by time, then by bytes, whatever the size of its runs and of its rows", () => {
    const row = fc.record({
      seconds: fc.integer({ min: -2, max: 2 }),
      nanos: fc.constantFrom(0, 1, 999_999_999),
      size: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 30 }) }, { weight: 1, arbitrary: fc.nat({ max: 900 }) }),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 200 }), fc.constantFrom(2048, 4096, 1 << 20), (given, runBytes) => {
        const rows = given.map(({ size, ...time }, index) => ({ ...time, text: `${index % 50}${"x".repeat(size)}` }));
        const expected = rows.toSorted(
          (a, b) => a.seconds - b.seconds || a.nanos - b.nanos || (`${a.text}\n` < `${b.text}\n` ? -1 : 1),
        );
        expect(sorted(rows, runBytes)).toBe(expected.map(({ text }) => `${text}\n`).join(""));
      }),
      runs(60),
    );
  });

  test.each([40_000, 200_000])("merges runs that are read in several pieces, in runs of %s bytes", (runBytes) => {
    const rows = Array.from({ length: 6000 }, (_, index) => {
      // Eight of each second, in different runs.
      const seconds = Math.floor(((index * 7919) % 6000) / 8) - 500;
      return { seconds, nanos: 0, text: `${index} ${"x".repeat(index % 150)}` };
    });
    const expected = rows
      .toSorted((a, b) => a.seconds - b.seconds || (a.text < b.text ? -1 : 1))
      .map(({ text }) => `${text}\n`);
    expect(sorted(rows, runBytes) === expected.join("")).toBe(true);
  });

  test("merges rows longer than what is read at once", () => {
    const text = (letter: string): string => letter.repeat(300_000);
    const rows = ["c", "a", "b", "d"].map((letter) => ({
      seconds: letter.codePointAt(0)!,
      nanos: 0,
      text: text(letter),
    }));
    const merged = sorted(rows, 700_000);
    expect(merged).toBe(`${["a", "b", "c", "d"].map(text).join("\n")}\n`);
    expect(fstatSync(fd).size).toBeGreaterThan(1_200_000);
  });

  test("needs no file where one run is enough, and nothing for no rows", () => {
    expect(sorted([{ seconds: 1, nanos: 0, text: "a" }], 4096)).toBe("a\n");
    expect(sorted([], 4096)).toBe("");
    expect(fstatSync(fd).size).toBe(0);
  });

  test("refuses a row longer than a run", () => {
    expect(() => new RowSorter(fd, 4096).reserve(4090)).toThrow(RangeError);
  });

  test("a run that has lost its end is no run", () => {
    const sorter = new RowSorter(fd, 700_000);
    for (const seconds of [1, 2, 3, 4]) sorter.add(sorter.reserve(300_000) + 300_000, { seconds, nanos: 0 });
    const pieces = sorter.finish();
    pieces.next();
    ftruncateSync(fd, 0);
    expect(() => [...pieces]).toThrow("has lost its end");
  });

  test("a run that cannot be written is the system's error", () => {
    const readOnly = openSync(path.join(folder, "runs"), "r");
    const sorter = new RowSorter(readOnly, 100);
    sorter.add(sorter.reserve(60) + 60, { seconds: 1, nanos: 0 });
    expect(() => sorter.reserve(60)).toThrow("EBADF");
    closeSync(readOnly);
  });
});
