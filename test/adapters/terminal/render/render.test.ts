import { describe, expect, test } from "vitest";

import { shellLine } from "../../../../src/adapters/terminal/render/actions.ts";
import { renderTerminal } from "../../../../src/adapters/terminal/render/render.ts";
import { commandAction, memoryAttachment, reply, type Reply } from "../../../../src/reply/reply.ts";
import { type Block, details, field, type Table } from "../../../../src/reply/block.ts";
import { code, id, link, text, time } from "../../../../src/reply/text.ts";
import { nanoseconds } from "../../../../src/units/time.ts";
import { GALLERY_NOW } from "../../../support/gallery.ts";
import { saying } from "../../../support/said.ts";

const show = (given: Reply, width: number, more: { colour?: boolean; links?: boolean } = {}): string =>
  renderTerminal(given, { width, colour: false, links: false, now: GALLERY_NOW, ...more });

const table = (given: Partial<Table>): Reply =>
  reply({ title: "T", blocks: [{ kind: "table", name: "t", columns: [], rows: [], ...given }] });

const hash = "0123456789abcdef".repeat(4);
const markets = table({
  columns: [
    { title: "Market" },
    { title: "Mark", align: "right" },
    { title: "Bid", align: "right", priority: 2 },
    { title: "Offer", align: "right", priority: 2 },
    { title: "Id", priority: 3 },
  ],
  rows: [
    [text`BTC/USD`, text`67,250.1`, text`67,249.0`, text`67,251.5`, text`${id(hash)}`],
    [text`東京/JPY`, text`9.5`, text`9.4`, text`9.6`, text`${id(hash)}`],
  ],
});

describe("a table", () => {
  test("is shown whole where it fits, with wide characters counted as two", () => {
    expect(show(markets, 120)).toBe(
      [
        "• T",
        "",
        "Market        Mark       Bid     Offer  Id",
        "────────  ────────  ────────  ────────  ────────────────────────────────────────────────────────────────",
        `BTC/USD   67,250.1  67,249.0  67,251.5  ${hash}`,
        `東京/JPY       9.5       9.4       9.6  ${hash}`,
        "",
      ].join("\n"),
    );
  });

  test("shortens ids before a column gives way, and says so", () => {
    expect(show(markets, 60)).toContain("67,251.5  01234567…cdef\n");
    expect(show(markets, 60)).toMatch(saying("--json", "--out DIR"));
    expect(show(markets, 60)).toMatchSnapshot();
  });

  test("lets columns give way, the last of the least needed first, and names them", () => {
    expect(show(markets, 50)).toMatch(/: Id\./u);
    expect(show(markets, 37)).toMatch(/\b2\b.*\bOffer, Id\./u);
    expect(show(markets, 37)).toContain("BTC/USD   67,250.1  67,249.0\n");
    expect(show(markets, 25)).toMatch(saying(3, "columns"));
    expect([50, 37, 25].map((width) => show(markets, width))).toMatchSnapshot();
  });

  test("puts what each row needs below it, where it has no room beside, and names it", () => {
    const open = table({
      columns: [
        { title: "Kind" },
        { title: "About" },
        { title: "How bad" },
        { title: "On" },
        { title: "Since", priority: 2 },
      ],
      rows: [
        [text`market.auction`, text`BTC/USDT-R1420`, text`critical`, text`mainnet`, text`an hour ago`],
        [text`market.auction`, text`XMR/USDT`, text``, text`testnet`, text`a day ago`],
        [text`market.auction`, text`ETH/USDT`, text``, text``, text`a day ago`],
      ],
    });
    const shown = show(open, 38);
    expect(shown.split("\n").slice(4, 9)).toEqual([
      "market.auction  BTC/USDT-R1420",
      "  critical · mainnet",
      "market.auction  XMR/USDT",
      "  testnet",
      "market.auction  ETH/USDT",
    ]);
    expect(shown).toMatch(/\bHow bad, On\.[^]*: Since\./u);
    expect(shown).toMatchSnapshot();
  });

  test("becomes records where not even the needed columns fit, and then shows all of them", () => {
    const long = table({
      columns: [
        { title: "Nonce", align: "right" },
        { title: "Of", priority: 3 },
      ],
      rows: [
        [text`${"9".repeat(30)}`, text`a`],
        [text`1`, text`b`],
      ],
    });
    expect(show(long, 24)).toBe(
      [
        "• T",
        "",
        "Nonce",
        "  9999999999999999999999",
        "  99999999",
        "Of",
        "  a",
        "",
        "Nonce",
        "  1",
        "Of",
        "  b",
        "",
      ].join("\n"),
    );
  });

  test("wraps text, never numbers", () => {
    const wrapped = table({
      columns: [{ title: "Node" }, { title: "Why" }, { title: "Height", align: "right" }],
      rows: [[text`a.example`, text`no answer within five seconds, tried thrice`, text`31,204,551`]],
    });
    expect(show(wrapped, 50)).toContain(
      ["a.example  no answer within five        31,204,551", "           seconds, tried thrice", ""].join("\n"),
    );
  });

  test("counts the rows there are beyond it", () => {
    expect(show(table({ columns: [{ title: "A" }], rows: [[text`1`]], total: 1204 }), 40)).toContain(
      "1 of 1,204 rows.\n",
    );
  });

  test("shows rows that are longer than its heading", () => {
    expect(show(table({ columns: [{ title: "A" }], rows: [[text`1`, text`stray`]] }), 40)).toContain("1  stray\n");
  });

  test("says when it is empty", () => {
    expect(show(table({}), 40)).toContain("None.\n");
    expect(show(table({ empty: text`No market is live.` }), 40)).toContain("No market is live.\n");
  });
});

describe("what is copied whole", () => {
  test("is never broken, even where it is wider than the screen", () => {
    const shown = show(
      reply({ title: "T", blocks: [{ kind: "fields", fields: [field("Nonce", code("9".repeat(78)))] }] }),
      40,
    );
    expect(shown).toBe(`• T\n\nNonce\n  ${"9".repeat(78)}\n`);
  });
});

describe("links", () => {
  const linked = reply({
    title: "T",
    blocks: [{ kind: "paragraph", text: text`See ${link("the docs", "https://docs.example/a?b=c")}.` }],
  });

  test("are written out where the terminal has no hyperlinks", () => {
    expect(show(linked, 80)).toContain("See the docs (https://docs.example/a?b=c).");
  });

  test("are hyperlinks where it has", () => {
    expect(show(linked, 80, { links: true })).toContain(
      "\u001B]8;;https://docs.example/a?b=c\u001B\\the docs\u001B]8;;\u001B\\",
    );
  });

  test("do not hide behind a label that looks like another address", () => {
    const shown = show(
      reply({ title: "T", blocks: [{ kind: "paragraph", text: [link("bank.example", "https://evil.example/")] }] }),
      80,
      { links: true },
    );
    expect(shown).toContain("https://evil.example/");
    expect(shown.split("\u001B]8;;")[0]).toContain("bank.example (https://evil.example/)");
  });

  test("that no parser wrote are shown and lead nowhere", () => {
    const raw = { kind: "link", text: "x", url: "https://a/\u001B\\\u001B[2J" } as const;
    const shown = show(reply({ title: "T", blocks: [{ kind: "paragraph", text: [raw] }] }), 80, { links: true });
    expect(shown).toContain("x (https://a/␛\\␛[2J)");
    expect(shown).not.toContain("\u001B");
  });
});

describe("times", () => {
  test.each([
    ["absolute", 60n, "2026-03-02 09:29:00 UTC"],
    ["relative", 250n, "4 min 10 s ago"],
    ["relative", -7200n, "in 2 h"],
    ["relative", 0n, "now"],
    ["both", 90_000n, "2026-03-01 08:30:00 UTC (1 d 1 h ago)"],
  ] as const)("%s, %d s ago: %s", (style, seconds, shown) => {
    const at = nanoseconds(GALLERY_NOW - seconds * 1_000_000_000n);
    expect(show(reply({ title: time(at, style) }), 80)).toBe(`• ${shown}\n`);
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1.5])("a width of %d is survived", (width) => {
  expect(show(markets, width)).toContain("BTC/USD");
});

test("nothing at all is still a reply", () => {
  expect(show(reply({ title: "" }), 80)).toBe("• \n");
});

test("a file's hash is beside it, unless a field that is shown has it", () => {
  const file = memoryAttachment("a.csv", "text/csv", "a,b\n");
  const fields = { kind: "fields", fields: [field("SHA-256", code(file.sha256))] } as const;
  const folded = { fold: { hint: "--full shows the details." } };
  const given = (detail: boolean): Reply =>
    reply({ title: "T", blocks: detail ? details([fields]) : [fields], attachments: [file] });
  for (const [one, more] of [
    [given(true), folded],
    [given(true), {}],
    [given(false), folded],
  ] as const) {
    const shown = renderTerminal(one, { width: 80, colour: false, links: false, now: GALLERY_NOW, ...more });
    expect(shown.split(file.sha256)).toHaveLength(2);
  }
});

test.each([
  [true, 6, ["T\n\n[1] pick 0", "[6] pick 5\n[7] Help  help"], ["Which one?", "more", "stake"]],
  [false, 6, ["T\n\nWhich one?\n[1] pick 0"], ["more"]],
  [true, 25, ["[5] pick 4\n20 more: type more\n[6] Help  help"], ["pick 5", "stake"]],
])("at the prompt a choice has numbers alone; asked for: %s, of %i the first", (isAsked, count, said, unsaid) => {
  const choices = Array.from({ length: count }, (_, at) => ({
    label: `pick ${at}`,
    invocation: { command: "stake", options: { network: "testnet", party: `p${at}` } },
  }));
  const help = { label: "Help", invocation: { command: "help", options: {} }, effect: "reply" } as const;
  const actions = [{ label: "Which one?", choices, effect: "replace" } as const, help];
  const shown = show(reply({ title: "T", ...(isAsked ? { asks: true } : {}), actions }), 100);
  for (const one of said) expect(shown).toContain(one);
  for (const one of unsaid) expect(shown).not.toContain(one);
});

test.each([60, 80, 120])(
  "at %d columns the lines of buttons that stand beside their labels are one column",
  (width) => {
    const labels = [
      "time",
      "market list",
      "Help about: rotations",
      ...Array.from({ length: 9 }, (_, index) => `Help ${index}`),
    ];
    const actions = labels.map((label) => ({
      label,
      invocation: { command: "help", options: { command: label.length > 12 ? "rotations" : "time" } },
      effect: "reply" as const,
    }));
    const shown = renderTerminal(reply({ title: "Title", actions }), {
      width,
      colour: false,
      links: false,
      now: GALLERY_NOW,
    });
    const starts = shown.split("\n").flatMap((line) => (line.startsWith("[") ? [line.indexOf("help command:")] : []));
    expect(new Set(starts)).toEqual(new Set(["[12] ".length + "Help about: rotations".length + 2]));
  },
);

test.each([60, 200])("of the ids in a button's line the beginning is shown, which is enough: %d columns", (width) => {
  const invocation = { command: "market show", options: { market: hash, network: "mainnet" } };
  const shown = show(reply({ title: "x", actions: [{ label: "Refresh", invocation, effect: "replace" }] }), width);
  expect(shown).toContain(`market show market:${hash.slice(0, 8)} network:mainnet`);
  for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
});

test("above the fold, a file's hash is no wider than the screen", () => {
  const shown = renderTerminal(reply({ title: "x", attachments: [memoryAttachment("a.csv", "text/csv", "a")] }), {
    width: 60,
    colour: false,
    links: false,
    now: GALLERY_NOW,
    fold: { hint: "more" },
  });
  expect(shown).toContain("SHA-256");
  for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
});

test("in a shell the first values of a question have a line each, the others one; a further choice has one", () => {
  const choices = Array.from("ABCDEFGHIJKL").map((market) => ({
    label: market,
    invocation: { command: "market show", options: { market } },
  }));
  const orders = ["1", "2", "3"].map((id) => ({
    label: `no ${id}`,
    invocation: { command: "order", options: { id } },
  }));
  const given = reply({
    asks: true,
    title: "Which?",
    actions: [
      { label: "Which market", choices, effect: "replace" },
      { label: "Or an order", choices: orders, effect: "replace" },
    ],
  });
  const shown = (one: Reply): string =>
    renderTerminal(one, {
      width: 80,
      colour: false,
      links: false,
      now: GALLERY_NOW,
      inShell: (line) => shellLine(`${line} network:mainnet`, undefined, "mainnet"),
    });
  expect(shown(given)).toContain(`
A                npm run -s ask -- "market show market:A"
B                npm run -s ask -- "market show market:B"
C                npm run -s ask -- "market show market:C"
D                npm run -s ask -- "market show market:D"
E                npm run -s ask -- "market show market:E"
F                npm run -s ask -- "market show market:F"
G                npm run -s ask -- "market show market:G"
H                npm run -s ask -- "market show market:H"
4 more: start npm run -s ask and type market show market: and Tab
Or an order (3)  npm run -s ask -- "order id:ID"
`);
  // Never more than five lines to type, an example above them among these.
  const many = ["time", "info", "stake", "chart", "help", "rotations"].map((name) => commandAction(name, name));
  const example: Block = { kind: "code", text: "market list", command: true };
  expect(shown(reply({ title: "Many", blocks: [example], actions: many }))).toMatch(
    /market list[^]*\ninfo {3}npm run -s ask -- "info"\nstake {2}[^\n]*\n3 more: start npm run -s ask\n$/u,
  );
});
