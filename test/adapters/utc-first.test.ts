import { expect, test } from "vitest";

import { renderText as discord } from "../../src/adapters/discord/render/markdown.ts";
import { renderText as slack } from "../../src/adapters/slack/render/mrkdwn.ts";
import { rangeWords } from "../../src/answers/export-range.ts";
import { fromSeconds } from "../../src/units/nanoseconds.ts";

const range = { from: fromSeconds(1_767_225_600n), to: fromSeconds(1_769_904_000n) };

test("a range that was asked for in UTC is shown in UTC first, in the reader's zone second", () => {
  expect(discord(rangeWords(range)).markdown).toMatch(
    /2026-01-01 00:00:00 UTC \(<t:1767225600:f>\), inclusive, to 2026-02-01 00:00:00 UTC \(<t:1769904000:f>\)/u,
  );
  expect(slack(rangeWords(range), { max: 1000 }).mrkdwn).toMatch(
    /2026-01-01 00:00:00 UTC \(<!date\^1767225600\^.*\), inclusive, to 2026-02-01 00:00:00 UTC \(<!date\^1769904000\^/u,
  );
});
