import { expect, test } from "vitest";

import { renderText as discord } from "../../src/adapters/discord/render/markdown.ts";
import { renderText as slack } from "../../src/adapters/slack/render/mrkdwn.ts";
import { plainOf as web, renderText } from "../../src/adapters/web/public/reply/render-text.js";
import { silenceTimeWords } from "../../src/alerts/words/silence-words.ts";
import { rangeWords } from "../../src/answers/export-range.ts";
import { fromSeconds } from "../../src/units/time.ts";

const range = { from: fromSeconds(1_767_225_600n), to: fromSeconds(1_769_904_000n) };

test("chats show a range in the reader's own zone, whole days by UTC too", () => {
  expect(discord(rangeWords(range)).markdown).toMatch(/^from <t:1767225600:d> .*until just before <t:1769904000:d>/u);
  expect(slack(rangeWords(range), { max: 1000 }).mrkdwn).toMatch(/<!date\^1767225600\^.*<!date\^1769904000\^/u);
});

test("chats show the end of a silence once, in the reader's own zone", () => {
  const until = 1_767_225_600_000;
  const silence = { id: "k7m2w", scope: {}, from: 0, until, by: "bob", created: 0 } as const;
  expect(discord(silenceTimeWords(silence, 1)).markdown).toBe("until <t:1767225600:d> <t:1767225600:t>");
  expect(slack(silenceTimeWords(silence, 1), { max: 1000 }).mrkdwn).toMatch(/^until <!date\^1767225600\^[^>]*>$/u);
});

test.each(["UTC", "Europe/Berlin"])(
  "on the page a reader in %s sees it in UTC alone, without parts of a second",
  (timeZone) => {
    const at = [{ kind: "time", at: "1767225600564000000", style: "utc" }] as const;
    const reader = { now: 0, timeZone };
    expect(web(at, reader)).toBe("2026-01-01 00:00:00 UTC");
    const texts = JSON.stringify(renderText(at, reader)).match(/2026-01-01 00:00:00\.?\d* UTC/gu) ?? [];
    expect(texts.filter((text) => !text.includes("."))).toHaveLength(1);
  },
);
