import { describe, expect, test } from "vitest";

import { formatBytes } from "../../../../../src/adapters/web/public/reply/render-files.js";
import { pressable } from "../../../../../src/adapters/web/public/reply/render-actions.js";
import { announcement, isSimulated, renderReply } from "../../../../../src/adapters/web/public/reply/reply.js";
import { markSimulated } from "../../../../../src/bot/simulated.ts";
import { memoryAttachment, reply, type Reply } from "../../../../../src/reply/reply.ts";
import type { Block, Table } from "../../../../../src/reply/block.ts";
import { replyToJson } from "../../../../../src/reply/json.ts";
import { code, id, number, strong, text, type Text, time } from "../../../../../src/reply/text.ts";
import { nanoseconds } from "../../../../../src/units/time.ts";
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

  test("of day names its zone once, unless a whole time does", () => {
    const shown = (title: Text): string =>
      textsOf(render(reply({ title, blocks: [{ kind: "paragraph", text: text`from ${time(NOON, "clock")}` }] }))).join(
        "",
      );
    expect(shown(text`until ${time(NOON, "clock")}`)).toBe("until 13:00 CETfrom 13:00");
    expect(shown(text`at ${time(NOON)}`)).toBe("at 2026-03-02 13:00:00 CETfrom 13:00");
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

describe("a number", () => {
  const exact = number("4,069,583,909,131.808001", "4,069,583,909,131.81");

  test("that fills half a phone has its field's line for itself, a short one shares it", () => {
    const fields: Block = {
      kind: "fields",
      fields: [
        { name: text`In`, value: text`${exact}` },
        { name: text`Out`, value: text`${number("5,012.819", "5,012.82")}` },
      ],
    };
    const widths = elementsOf(render(reply({ title: "t", blocks: [fields] }))).map(({ attrs }) => attrs["class"]);
    expect(widths.filter((width) => /^field\b/u.test(String(width)))).toEqual(["field broad", "field"]);
  });

  test("of a heading is copied like another one, and breaks with its line", () => {
    const shown = printTree(render(reply({ title: text`ab12 lost ${exact} in 7 entries` })));
    expect(shown).toContain('<span class="copy exact" data-copy="4,069,583,909,131.808001"');
    expect(shown).not.toMatch(/<h2>[^]*<button[^]*<\/h2>/u);
  });
});

describe("an id", () => {
  test("is shortened, whole in what is copied and shown when pressed", () => {
    const shown = paragraph(text`Party ${id("f8ac93d1aaaaaaaaaaaaaaaaaaaaaaaaaaaa4e21")}`);
    expect(shown).toContain('data-copy="f8ac93d1aaaaaaaaaaaaaaaaaaaaaaaaaaaa4e21"');
    expect(shown).toContain('<code class="short">f8ac93d1…4e21</code>');
    expect(shown).toContain('<code class="whole">f8ac93d1aaaaaaaaaaaaaaaaaaaaaaaaaaaa4e21</code>');
    expect(shown).toMatch(/title="f8ac93d1aaaaaaaaaaaaaaaaaaaaaaaaaaaa4e21\b[^"]*"/u);
  });

  test("that is short stays as it is", () => {
    expect(paragraph(text`${id("f8ac")}`)).toContain("<code>f8ac</code>");
  });
});

describe("a number", () => {
  const mark = number("103,924.07300", "103,924.07");

  test("is short above the fold, and its exact digits are behind it and copied", () => {
    const shown = paragraph(text`Mark ${mark}`);
    expect(shown).toMatch(/data-copy="103,924\.07300" title="103,924\.07300\b[^"]*">103,924\.07</u);
    expect(paragraph(text`${number("2", "2")}`)).not.toContain("data-copy");
  });

  test("is exact below the fold", () => {
    const shown = printTree(
      render(
        reply({ title: text`At ${mark}`, blocks: [{ kind: "paragraph", text: text`Mark ${mark}`, detail: true }] }),
      ),
    );
    expect(shown).toMatch(/>103,924\.07<[^]*<details[^]*103,924\.07300\n/u);
  });

  test("in a table takes no place in the order of Tab", () => {
    const blocks: Block[] = [{ kind: "table", name: "x", columns: [{ title: "Mark" }], rows: [[[mark]]] }];
    const holders = elementsOf(render(reply({ title: "t", blocks }))).filter(({ attrs }) => "data-copy" in attrs);
    expect(holders.map(({ tag }) => tag)).toEqual(["span"]);
  });
});

test("no line breaks between what can be copied and the punctuation behind it", () => {
  const code = { kind: "code", text: "d3bd6" } as const;
  const words = [{ kind: "text", text: "Changed " } as const, code, { kind: "text", text: ": the ops" } as const];
  const tree = render(reply({ title: words, blocks: [{ kind: "paragraph", text: words }] }));
  const joined = elementsOf(tree).filter(({ attrs }) => attrs["class"] === "joined");
  expect(joined.map((one) => textsOf(one).join(""))).toEqual(["d3bd6:"]);
  // A heading breaks within what it names, which is no button there.
  const [heading] = elementsOf(tree).filter(({ tag }) => tag === "h2");
  expect(textsOf(heading ?? "").join("")).toBe("Changed d3bd6: the ops");
  expect(elementsOf(heading ?? "").filter(({ tag }) => tag === "button")).toEqual([]);
});

test.each([
  ["Acknowledge", "Details"],
  ["Details", "More"],
])("beside a button %s, the fold of a reply is called %s", (label, fold) => {
  const shown = render(
    reply({
      title: "t",
      blocks: [{ kind: "paragraph", text: text`below`, detail: true }],
      actions: [{ label, invocation: { command: "alerts why", options: {} }, effect: "reply" }],
    }),
  );
  expect(
    elementsOf(shown)
      .filter(({ tag }) => tag === "summary")
      .flatMap(textsOf),
  ).toEqual([fold]);
});

test("a choice has a button for each of what can be chosen, below what it asks for", () => {
  const choices = ["BTC/USDT", "BTC/USDC"].map((market) => ({
    label: market,
    invocation: { command: "market show", options: { market } },
  }));
  const given = reply({ title: "Which?", actions: [{ label: "Which market", choices, effect: "replace" }] });
  const [group] = elementsOf(render(given)).filter(({ attrs }) => attrs["role"] === "group");
  expect(group?.attrs["aria-label"]).toBe("Which market");
  const buttons = elementsOf(group ?? "").filter(({ tag }) => tag === "button");
  expect(buttons.map((one) => textsOf(one).join(""))).toEqual(["BTC/USDT", "BTC/USDC"]);
});

test("of a long choice the first five are shown, of one behind another none until it is opened", () => {
  const choices = Array.from({ length: 8 }, (_, at) => ({
    label: String(at),
    invocation: { command: "order", options: { id: String(at) } },
  }));
  const given = reply({
    title: "Which?",
    actions: [
      { label: "Order", choices, effect: "reply" },
      { label: "Party", choices, effect: "reply" },
    ],
  });
  const folds = elementsOf(render(given)).filter(({ attrs }) => attrs["class"] === "more");
  expect(folds.map((one) => textsOf(one).join(" "))).toEqual(["3 more 5 6 7", "Choose from 8 0 1 2 3 4 5 6 7"]);
});

describe("the tone is said by a word as well as a colour", () => {
  test.each<[Parameters<typeof reply>[0], string | undefined]>([
    [{ title: "t", tone: "neutral" }, undefined],
    [{ title: "t", tone: "good" }, undefined],
    [{ title: "t", tone: "warning" }, "Warning"],
    [{ title: "t", tone: "bad" }, "Problem"],
    [{ title: "t", tone: "warning", failure: "caller" }, "Not done"],
    [{ title: "t", tone: "bad", failure: "caller" }, "Problem"],
    [{ title: "t?", failure: "caller", asks: true }, undefined],
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
  const columns = [{ title: "Market" }, { title: "Mark", align: "right" as const }];
  const tableReply = (more: Partial<Table>): Reply =>
    reply({ title: "t", blocks: [{ kind: "table", name: "rows", columns, rows: [], ...more }] });
  const drawn = (more: Partial<Table>): ReturnType<typeof render> => render(tableReply(more));
  const table = (more: Partial<Table>): string => printTree(drawn(more));
  const row = [text`BTC/USD`, text`1`];

  test("scrolls by itself, by keyboard as well", () => {
    expect(table({ rows: [row], title: text`Markets` })).toContain(
      '<div class="scroll" tabindex="0" role="region" aria-label="Markets, 1 row">',
    );
  });

  test("says how many rows there are beyond those shown", () => {
    expect(table({ rows: [row], total: 1204 })).toContain("1 of 1,204 rows");
    expect(table({ rows: Array.from({ length: 11 }, () => row) })).toContain("11 rows");
    expect(table({ rows: [row] })).not.toMatch(/rows</u);
  });

  test.each([
    [18, 18, undefined, []],
    [19, 15, "4 more", [""]],
    [31, 15, "16 more", []],
    [1000, 15, "985 more", []],
  ])("of %i rows shows %i, and the others at a press or where a page is wide", (count, shown, more, few) => {
    const tree = elementsOf(drawn({ rows: Array.from({ length: count }, () => row) }));
    const bodies = tree.filter(({ tag }) => tag === "tbody");
    expect(bodies.map(({ attrs, children }) => [children.length, "hidden" in attrs])).toEqual(
      more === undefined
        ? [[shown, false]]
        : [
            [shown, false],
            [count - shown, true],
          ],
    );
    expect(tree.flatMap(({ attrs }) => ("data-few" in attrs ? [attrs["data-few"]] : []))).toEqual(few);
    const offered = tree.filter(({ attrs }) => "data-rows" in attrs).map((button) => textsOf(button).join(""));
    expect(offered.map((label) => /\d+ more/u.exec(label)?.[0])).toEqual(more === undefined ? [] : [more]);
  });

  test("has a button in each row, named for the row, that asks what the row offers", () => {
    const invocations = ["BTC/USD", "ETH/USD"].map((market) => ({ command: "market show", options: { market } }));
    const given = tableReply({
      rows: [row, [text`ETH/USD`, text`2`], [text`no offer`, text`3`]],
      rowAction: { label: "Show", invocations, effect: "reply" },
    });
    const withButton = { ...given, actions: [{ label: "Docs", url: "https://example.net" }] };
    const buttons = elementsOf(render(withButton)).filter(({ attrs }) => "data-action" in attrs);
    expect(buttons.map(({ attrs }) => attrs["aria-label"])).toEqual(["Show BTC/USD", "Show ETH/USD"]);
    const actions = pressable(replyToJson(withButton));
    expect(buttons.map(({ attrs }) => actions[Number(attrs["data-action"])])).toEqual(
      invocations.map((invocation) => ({ label: "Show", invocation, effect: "reply" })),
    );
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

  test("in a failure, and where it is a command, is a line that is ready to type", () => {
    const blocks: Block[] = [{ kind: "code", text: "market show BTC/USD" }];
    expect(printTree(render(reply({ title: "t", failure: "caller", blocks })))).toContain(
      'data-fill="market show BTC/USD"',
    );
    expect(printTree(render(reply({ title: "t", blocks })))).not.toContain("data-fill");
    const typed: Block[] = [{ kind: "code", text: "alerts edit a1", command: true }];
    expect(printTree(render(reply({ title: "t", blocks: typed })))).toContain('data-fill="alerts edit a1"');
  });
});

test("a title that is a link keeps the text of its ids", () => {
  const shown = printTree(render(reply({ title: text`Order ${code("f8ac")}`, url: "https://example.net/o" })));
  expect(shown).toContain('<a href="https://example.net/o" target="_blank" rel="noopener noreferrer">Order f8ac</a>');
});

test("a file stands before facts about it, and behind what it holds as well", () => {
  const attachments = [memoryAttachment("x.csv", "text/csv", "x")];
  const words: Block = { kind: "paragraph", text: text`words` };
  const facts: Block = { kind: "fields", fields: [{ name: text`fact`, value: text`1` }] };
  const table: Block = { kind: "table", name: "x", columns: [{ title: "a" }], rows: [[text`cell`]] };
  const order = (...blocks: readonly Block[]): readonly string[] =>
    printTree(render(reply({ title: "t", blocks, attachments }))).match(/x\.csv(?=<)|cell|words|fact\b/gu) ?? [];
  expect(order(words, facts, { ...table, detail: true })).toEqual(["words", "x.csv", "fact", "cell"]);
  expect(order(words, facts, table)).toEqual(["words", "fact", "cell", "x.csv"]);
  expect(order(words)).toEqual(["words", "x.csv"]);
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

test("of a line with a value still to be given, the part before it is typed", () => {
  const typed = (line: string): string => {
    const block = { kind: "code", text: line, command: true } as const;
    return /data-fill="([^"]*)"/u.exec(printTree(render(reply({ title: "t", blocks: [block] }))))?.[1] ?? "";
  };
  expect(typed("ledger export <party> USDT from:2023-05")).toBe("ledger export ");
  expect(typed("alerts add stake.changed <party>")).toBe("alerts add stake.changed ");
  expect(typed("market show BTC/USDT")).toBe("market show BTC/USDT");
});
