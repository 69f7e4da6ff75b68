import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { toMillis } from "../../src/units/nanoseconds.ts";
import { COMMONEST } from "../support/commonest.ts";
import { keepAMonth } from "../support/kept-looks.ts";
import { treeOf } from "./draw.ts";
import { linesRead } from "./read.ts";
import { answersTo, SURFACES } from "./samples.ts";

/** What a phone shows before the thumb moves: so many lines of so many characters. */
const FIRST_LINES = 6;
const PHONE = { pixels: 360, columns: 38 };
/** What stands before the fold, its rows and buttons too. */
const MOST_CHARACTERS = 1200;

// The previews of the chats show times in the reader's zone.
beforeEach(() => void vi.stubEnv("TZ", "UTC"));
afterEach(() => void vi.unstubAllEnvs());

test("the twenty commonest lines are answered within the first six lines of a phone, on all four surfaces", async () => {
  expect(COMMONEST).toHaveLength(20);
  const figures = new Map(COMMONEST.map(({ line, figure }) => [line, figure]));
  const unanswered: string[] = [];
  const tooLong: string[] = [];
  let answers = 0;
  for await (const { title, shown } of answersTo("commonest", [...figures.keys()])) {
    for (const surface of SURFACES) {
      const lines = linesRead(treeOf(surface, shown[surface], PHONE), PHONE.columns);
      const read = lines.slice(0, FIRST_LINES).join("\n");
      answers += 1;
      const length = lines.join("\n").length;
      if (length > MOST_CHARACTERS) tooLong.push(`${surface} > ${title}: ${length} characters`);
      if (figures.get(title)?.test(read.replaceAll("\n", " ")) !== true)
        unanswered.push(`${surface} > ${title}\n${read}`);
    }
  }
  expect(unanswered).toEqual([]);
  expect(tooLong).toEqual([]);
  expect(answers).toBe(COMMONEST.length * SURFACES.length);
});

test("a trial tells its count, the longest and the nights within those lines", async () => {
  const line = "alerts try node.lagging behind:50s";
  const tell = /In 29 days this would have told you 3 times, 14 min at most, 2 at night/u;
  for await (const { shown } of answersTo("trials", [line], ({ store, now }) => keepAMonth(store, toMillis(now())))) {
    for (const surface of SURFACES) {
      const lines = linesRead(treeOf(surface, shown[surface], PHONE), PHONE.columns);
      expect(`${surface}: ${lines.slice(0, FIRST_LINES).join(" ")}`).toMatch(tell);
    }
  }
});
