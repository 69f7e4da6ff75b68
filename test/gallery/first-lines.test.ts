import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { COMMONEST } from "../support/commonest.ts";
import { treeOf } from "./draw.ts";
import { linesRead } from "./read.ts";
import { answersTo, SURFACES } from "./samples.ts";

/** What a phone shows before the thumb moves: so many lines of so many characters. */
const FIRST_LINES = 6;
const PHONE = { pixels: 360, columns: 38 };

// The previews of the chats show times in the reader's zone.
beforeEach(() => void vi.stubEnv("TZ", "UTC"));
afterEach(() => void vi.unstubAllEnvs());

test("the twenty commonest lines are answered within the first six lines of a phone, on all four surfaces", async () => {
  expect(COMMONEST).toHaveLength(20);
  const figures = new Map(COMMONEST.map(({ line, figure }) => [line, figure]));
  const unanswered: string[] = [];
  let answers = 0;
  for await (const { title, shown } of answersTo("commonest", [...figures.keys()])) {
    for (const surface of SURFACES) {
      const read = linesRead(treeOf(surface, shown[surface], PHONE), PHONE.columns)
        .slice(0, FIRST_LINES)
        .join("\n");
      answers += 1;
      if (figures.get(title)?.test(read.replaceAll("\n", " ")) !== true)
        unanswered.push(`${surface} > ${title}\n${read}`);
    }
  }
  expect(unanswered).toEqual([]);
  expect(answers).toBe(COMMONEST.length * SURFACES.length);
});
