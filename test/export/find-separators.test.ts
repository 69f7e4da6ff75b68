import * as fc from "fast-check";
import { expect, test } from "vitest";

import { findSeparators, SEARCH_BYTES, SEARCHES } from "../../src/export/find-separators.ts";

/** The same by a regular expression. */
function expected(text: Buffer): { commas: number[]; feeds: number[] } {
  const found = [...text.toString("latin1").matchAll(/[,\n]/gu)];
  const at = (separator: string): number[] => found.filter(([one]) => one === separator).map(({ index }) => index);
  return { commas: at(","), feeds: at("\n") };
}

function read(text: Buffer, search: (typeof SEARCHES)[number]): { commas: number[]; feeds: number[] } {
  const { positions, lines, lineCount } = findSeparators(text, search);
  const all = [...positions.subarray(0, lines[lineCount])];
  const feeds = [...lines.subarray(0, lineCount)].map((line) => positions[line] ?? -1);
  return { commas: all.filter((at) => !feeds.includes(at)), feeds };
}

/** Longer than what is searched next, so that bytes of the search before would show. */
const NOISE = Buffer.alloc(SEARCH_BYTES, ",\n");
const byte = fc.oneof(fc.constantFrom(0x2c, 0x0a, 0x2d, 0x0b, 0xac, 0x8a), fc.nat(0xff));

test("this processor has the instructions that compare 16 bytes at once", () => {
  expect(SEARCHES).toHaveLength(2);
});

test.each(SEARCHES.map((search, place) => [place, search] as const))("search %d finds every separator", (_, search) => {
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 100 }), (bytes) => {
      const text = Buffer.from(bytes);
      findSeparators(NOISE, search);
      expect(read(text, search)).toEqual(expected(text));
    }),
  );
});

test.each(SEARCHES.map((search, place) => [place, search] as const))(
  "search %d takes the longest text",
  (_, search) => {
    findSeparators(NOISE, search);
    for (const fill of [",", "\n", "x", "abc,de\n"]) {
      const text = Buffer.alloc(SEARCH_BYTES, fill);
      const { positions, lines, lineCount } = findSeparators(text, search);
      const { commas, feeds } = expected(text);
      expect([lineCount, lines[lineCount]]).toEqual([feeds.length, commas.length + feeds.length]);
      expect([...positions.subarray(0, lines[lineCount])]).toEqual([...commas, ...feeds].toSorted((a, b) => a - b));
      expect([...lines.subarray(0, lineCount)].map((line) => positions[line])).toEqual(feeds);
    }
  },
);
