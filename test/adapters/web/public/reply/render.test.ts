import { describe, expect, test } from "vitest";

import { formatBytes } from "../../../../../src/adapters/web/public/reply/render-files.js";
import { announcement, isSimulated, renderReply } from "../../../../../src/adapters/web/public/reply/reply.js";
import { markSimulated } from "../../../../../src/bot/simulated.ts";
import { memoryAttachment } from "../../../../../src/reply/attachment.ts";
import type { Block } from "../../../../../src/reply/block.ts";
import { replyToJson } from "../../../../../src/reply/json.ts";
import { reply, type Reply } from "../../../../../src/reply/reply.ts";
import { code, id, strong, text, type Text, time } from "../../../../../src/reply/text.ts";
import { nanoseconds } from "../../../../../src/units/nanoseconds.ts";
import { elementsOf, printTree, textsOf } from "../../print-tree.ts";

const NOON = nanoseconds(1_772_452_800_123_456_789n);
const reader = { now: 1_772_452_980_000, timeZone: "Europe/Berlin" };
const render = (given: Reply): ReturnType<typeof renderReply> =>
  renderReply(
    replyToJson(given, () => "/api/files/1"),
    reader,
  );
const paragraph = (content: Text): string =>
  printTree(render(reply({ title: "t", blocks: [{ kind: "paragraph", text: content }] })));

describe("a time", () => {
  test("is in the reader's zone, with UTC to the last nanosecond behind it", () => {
    expect(paragraph(text`${time(NOON)}`)).toContain(
      '<time datetime="2026-03-02T12:00:00.123Z" title="2026-03-02 12:00:00.123456789 UTC">2026-03-02 13:00:00 CET</time>',
    );
  });

  test("can have its age, which the page keeps counting", () => {
    const shown = paragraph(text`${time(NOON, "both")}`);
    expect(shown).toContain('data-age="1772452800123">2 min 59 s ago</time>');
    expect(paragraph(text`${time(NOON, "relative")}`)).not.toContain("CET");
  });

  test.each([
    [2n ** 63n - 1n, "2262-04-11 23:47:16 UTC"],
    [-(2n ** 63n), "1677-09-21 00:12:43 UTC"],
    [2n ** 64n, "2554-07-21 23:34:33 UTC"],
    [10n ** 24n, "Unix nanosecond 1000000000000000000000000"],
    [-(10n ** 23n), "Unix nanosecond -100000000000000000000000"],
  ])("of %s nanoseconds is shown, whatever a Date holds", (at, shown) => {
    const json = replyToJson(reply({ title: text`${time(nanoseconds(at))}` }));
    expect(textsOf(renderReply(json, { ...reader, timeZone: "UTC" }))).toEqual([shown]);
  });
});

describe("an id", () => {
  test("is shortened, whole in what is copied and shown when pressed", () => {
    const shown = paragraph(text`Party ${id("f8ac93d1aaaaaaaaaaaaaaaaaaaaaaaaaaaa4e21")}`);
    expect(shown).toContain('data-copy="f8ac93d1aaaaaaaaaaaaaaaaaaaaaaaaaaaa4e21"');
    expect(shown).toContain('<code class="short">f8ac93d1…4e21</code>');
    expect(shown).toContain('<code class="whole">f8ac93d1aaaaaaaaaaaaaaaaaaaaaaaaaaaa4e21</code>');
    expect(shown).toContain('aria-label="f8ac93d1…4e21, copy the whole"');
  });

  test("that is short stays as it is", () => {
    expect(paragraph(text`${id("f8ac")}`)).toContain("<code>f8ac</code>");
  });
});

describe("the tone is said by a word as well as a colour", () => {
  test.each<[Parameters<typeof reply>[0], string | undefined]>([
    [{ title: "t", tone: "neutral" }, undefined],
    [{ title: "t", tone: "good" }, undefined],
    [{ title: "t", tone: "warning" }, "Warning"],
    [{ title: "t", tone: "bad" }, "Problem"],
    [{ title: "t", tone: "warning", failure: "caller" }, "Check this"],
    [{ title: "t", tone: "bad", failure: "network" }, "Network problem"],
    [{ title: "t", tone: "bad", failure: "bug" }, "Bot problem"],
  ])("%o", (parts, word) => {
    const badges = elementsOf(render(reply(parts))).filter((element) => element.attrs["class"] === "badge tone");
    expect(badges.map((badge) => badge.children[0])).toEqual(word === undefined ? [] : [word]);
  });
});

describe("a simulated reply", () => {
  const given = replyToJson(markSimulated(reply({ title: text`Mark ${strong("67,250")}` })));

  test("is known by its label, which becomes a badge", () => {
    expect(isSimulated(given)).toBe(true);
    const shown = printTree(renderReply(given, reader));
    expect(shown).toContain('<span class="badge simulated">SIMULATED</span>');
    expect(shown.match(/SIMULATED/gu)).toHaveLength(1);
    expect(announcement(given, reader)).toBe("SIMULATED · Mark 67,250");
  });

  test("is not known by a text that says so", () => {
    expect(isSimulated(replyToJson(reply({ title: "SIMULATED · Mark" })))).toBe(false);
  });
});

describe("a table", () => {
  const table = (more: Partial<Extract<Block, { kind: "table" }>>): string =>
    printTree(
      render(
        reply({
          title: "t",
          blocks: [
            {
              kind: "table",
              name: "rows",
              columns: [{ title: "Market" }, { title: "Mark", align: "right" }],
              rows: [],
              ...more,
            },
          ],
        }),
      ),
    );
  const row = [text`BTC/USD`, text`1`];

  test("scrolls by itself, by keyboard as well", () => {
    expect(table({ rows: [row], title: text`Markets` })).toContain(
      '<div class="scroll" tabindex="0" role="region" aria-label="Markets, 1 row">',
    );
  });

  test("says how many rows there are beyond those shown", () => {
    expect(table({ rows: [row], total: 1204 })).toContain('<p class="count">1 of 1,204 rows</p>');
    expect(table({ rows: Array.from({ length: 11 }, () => row) })).toContain('<p class="count">11 rows</p>');
    expect(table({ rows: [row] })).not.toContain("count");
  });

  test("without a row says what that means", () => {
    expect(table({ empty: text`No market is live.` })).toContain('<p class="empty">No market is live.</p>');
    expect(table({})).toContain('<p class="empty">None.</p>');
  });

  test("fills short rows up and keeps what long ones have", () => {
    const cells = (shown: string): number => shown.match(/<td/gu)?.length ?? 0;
    expect(cells(table({ rows: [[text`a`]] }))).toBe(2);
    expect(cells(table({ rows: [[text`a`, text`b`, text`c`]] }))).toBe(3);
  });
});

describe("code", () => {
  test("can be copied as it is", () => {
    const shown = printTree(
      render(reply({ title: "t", blocks: [{ kind: "code", text: 'a\u0000"b"', language: "json" }] })),
    );
    expect(shown).toContain('data-copy="a&#x0;&quot;b&quot;"');
    expect(shown).toContain("a\u2400&quot;b&quot;</code>");
  });

  test("in a failure is the right line, ready to type", () => {
    const blocks: Block[] = [{ kind: "code", text: "market show BTC/USD" }];
    expect(printTree(render(reply({ title: "t", failure: "caller", blocks })))).toContain(
      'data-fill="market show BTC/USD"',
    );
    expect(printTree(render(reply({ title: "t", blocks })))).not.toContain("data-fill");
  });
});

test("a title that is a link keeps the text of its ids", () => {
  const shown = printTree(render(reply({ title: text`Order ${code("f8ac")}`, url: "https://example.net/o" })));
  expect(shown).toContain('<a href="https://example.net/o" target="_blank" rel="noopener noreferrer">Order f8ac</a>');
});

test("a new reply is announced in a sentence", () => {
  const given = reply({
    title: text`Stake of ${id("f8ac93d1aaaaaaaaaaaaaaaaaaaaaaaaaaaa4e21")}`,
    tone: "warning",
    blocks: [{ kind: "table", name: "x", columns: [{ title: "a" }], rows: [[text`1`], [text`2`]] }],
    attachments: [memoryAttachment("x.csv", "text/csv", "x")],
  });
  expect(announcement(replyToJson(given), reader)).toBe("Warning. Stake of f8ac93d1…4e21. 2 rows. 1 to download");
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [96_300_000, "96.3 MB"],
  [1_288_490_188, "1.3 GB"],
  [2 ** 60, "1152921.5 TB"],
])("%i bytes are %s", (count, shown) => {
  expect(formatBytes(count)).toBe(shown);
});
