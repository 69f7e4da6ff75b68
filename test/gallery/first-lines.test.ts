import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { toMillis } from "../../src/units/time.ts";
import { COMMONEST } from "../support/commonest.ts";
import { DAY, HOUR, keepLooks, MINUTE } from "../support/kept-looks.ts";
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

test("a trial tells its count, the longest, the nights and its advice within those lines", async () => {
  const short = Array.from({ length: 12 }, (_, day) => ({ ago: (2 * day + 2) * DAY, lasts: 45_000, behind: 30_000 }));
  const long = [
    { ago: 20 * DAY + 9 * HOUR, lasts: 14 * MINUTE, behind: 3 * MINUTE },
    { ago: 10 * DAY + 10 * HOUR, lasts: 4 * MINUTE, behind: 90_000 },
    { ago: 5 * DAY + 2 * HOUR, lasts: 6 * MINUTE, behind: 3 * MINUTE },
  ];
  const month = { since: 30 * DAY, troubles: [...short, ...long] };
  const told = new Map([
    ["alerts try node.lagging behind:50s", /told you 3 times, 14 min at most, 2 at night/u],
    [
      "alerts try node.lagging behind:20s for:1s",
      /told you 15 times, 14 min at most, 2 at night\.\s+Most were over within 2 min\. With behind:40s it would have told you 3\b/u,
    ],
  ]);
  for await (const { title, shown } of answersTo("trials", [...told.keys()], ({ store, now }) =>
    keepLooks(store, toMillis(now()), month),
  )) {
    for (const surface of SURFACES) {
      const lines = linesRead(treeOf(surface, shown[surface], PHONE), PHONE.columns);
      expect(`${surface}: ${lines.slice(0, FIRST_LINES).join(" ")}`).toMatch(told.get(title) ?? "");
    }
  }
});
