import { altText } from "../../../src/chart/alt.ts";
import { field, paragraph } from "../../../src/reply/block.ts";
import { reply } from "../../../src/reply/reply.ts";
import { id, number, strong, text, time, type Text } from "../../../src/reply/text.ts";
import { formatDecimal, decimal } from "../../../src/units/decimal.ts";
import { SCENES } from "../../chart/scenes.ts";
import { ago, asOf, ask, hex, type GalleryEntry } from "./parts.ts";

const symbols = ["BTC/USD", "ETH/USD", "LINK/ETH", "UNI/USD", "AAVE/DAI", "VEGA/USD", "東京/JPY", "Σ/€"];

function marketRow(index: number): Text[] {
  const symbol = symbols[index % symbols.length] ?? "";
  const mark = 1_000_000_000n / BigInt(index + 1) + 37n * BigInt(index);
  const state = index % 9 === 4 ? text`${strong("auction")} until ${time(ago(-60 * index))}` : text`active`;
  return [
    text`${strong(`${symbol} ${index + 1}`)}`,
    state,
    text`${number(formatDecimal(decimal(mark, 5), { trim: false }), formatDecimal(decimal(mark / 1000n, 2), { trim: false }))}`,
    text`${formatDecimal(decimal(mark - 50n, 5), { trim: false })}`,
    text`${formatDecimal(decimal(mark + 50n, 5), { trim: false })}`,
    text`${formatDecimal(decimal(BigInt(index) * 7_919n, 3))}`,
    text`${id(hex(`market ${index}`))}`,
  ];
}

const marketList = reply({
  title: text`84 live markets`,
  blocks: [
    {
      kind: "table",
      name: "markets",
      columns: [
        { title: "Market" },
        { title: "State" },
        { title: "Mark", align: "right" },
        { title: "Bid", align: "right", priority: 2 },
        { title: "Offer", align: "right", priority: 2 },
        { title: "Open interest", align: "right", priority: 3 },
        { title: "Id", priority: 3 },
      ],
      rows: Array.from({ length: 84 }, (_, index) => marketRow(index)),
      rowAction: {
        label: "Show",
        invocations: Array.from({ length: 84 }, (_, index) => ({
          command: "market show",
          options: { market: hex(`market ${index}`) },
        })),
        effect: "reply",
      },
    },
  ],
  footer: asOf("api1.example.net", 31_204_551n),
  actions: [ask("Refresh", "market list", {}, "replace")],
});

const stake = reply({
  title: text`Stake of the top 3 of 1,204 parties`,
  blocks: [
    {
      kind: "table",
      name: "stake",
      columns: [
        { title: "Party" },
        { title: "Stake", align: "right" },
        { title: "Linkings", align: "right", priority: 2 },
      ],
      rows: [
        [text`${id(hex("p1"))}`, text`${strong("18,446,744,073,709,551,615.000000000000000001")}`, text`12`],
        [text`${id(hex("p2"))}`, text`9,223,372,036,854,775,807.5`, text`3 (1 pending)`],
        [text`${id(hex("p3"))}`, text`0.000000000000000001`, text`1`],
      ],
      total: 1204,
    },
  ],
  footer: asOf("core1.example.net", 31_204_549n),
});

const checkpoints = reply({
  title: text`Checkpoints, newest first`,
  blocks: [
    {
      kind: "table",
      name: "checkpoints",
      columns: [{ title: "Block", align: "right" }, { title: "After", align: "right", priority: 2 }, { title: "Hash" }],
      rows: Array.from({ length: 5 }, (_, index) => [
        text`${strong(31_204_400 - index * 428)}`,
        text`${index === 2 ? "10 min" : "5 min"}`,
        text`${id(hex(`checkpoint ${index}`))}`,
      ]),
    },
  ],
  footer: asOf("api1.example.net", 31_204_551n),
  actions: [
    ask("Previous page", "checkpoints", { last: 5, before: "eyJibG9ja0hlaWdodCI6MzEyMDQ0MDB9" }, "replace"),
    ask("Next page", "checkpoints", { first: 5, after: "eyJibG9ja0hlaWdodCI6MzEyMDI2ODh9+/=" }, "replace"),
  ],
});

const nothing = reply({
  title: text`Key rotations of ${id(hex("node 7"))}`,
  blocks: [
    {
      kind: "table",
      name: "rotations",
      columns: [
        { title: "Node" },
        { title: "Old address" },
        { title: "New address" },
        { title: "Block", align: "right" },
      ],
      rows: [],
      empty: text`None: this node has not rotated its Ethereum key, or the node's id is unknown.`,
    },
    { kind: "table", name: "nothing", columns: [{ title: "Node" }], rows: [] },
    { kind: "list", title: text`Notes`, items: [] },
    { kind: "fields", fields: [] },
  ],
  footer: asOf("api1.example.net", 31_204_551n),
});

const hostile = reply({
  tone: "warning",
  title: text`@everyone <!channel> **${strong("*bold* _it_ ~s~ `c` ||x||")}**`,
  blocks: [
    paragraph(
      text`<@U0123> <@&81384788765712384> <#C012> <https://evil.example|safe> [safe](https://evil.example) &lt;&amp; \\* ${"\u001B]0;owned\u0007\u001B[2J\u001B[31mred"}`,
    ),
    paragraph(
      text`right to left: ${"\u202Egnp.exe\u202C"}, zero width: ${"a\u200Bb\u2060c"}, lone surrogate: ${"\uD83D"}`,
    ),
    {
      kind: "fields",
      title: text`Names that other people chose`,
      fields: [
        field(text`# heading`, text`- list${"\n"}> quote${"\r\n"}1. one`),
        field("```", "```js\nalert(1)\n```"),
        field("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'),
        field("emoji", "👩‍👩‍👧‍👦 🇩🇪 é :smile: <:x:123>"),
      ],
    },
    { kind: "code", text: "``` inside\n\u001B[1mcode\u001B[0m\t| tab\u0000" },
  ],
});

const scene = SCENES["every-state"]!;
const picture = reply({
  title: text`${scene.title}`,
  blocks: [{ kind: "chart", scene, alt: altText(scene) }],
  actions: [ask("Refresh", "chart", { what: "network" }, "replace")],
});

export const listReplies: readonly GalleryEntry[] = [
  { name: "market-list", shows: "84 rows in seven columns, wide characters among them", reply: marketList },
  { name: "stake", shows: "amounts beyond 2^64; 3 of 1,204 rows", reply: stake },
  { name: "checkpoints", shows: "a page of a list, with buttons to the next", reply: checkpoints },
  { name: "chart", shows: "a picture: what each node did, and the age of network time", reply: picture },
  { name: "nothing-found", shows: "tables, a list and fields without anything in them", reply: nothing },
  { name: "hostile-names", shows: "what data must never do: ping, format, link, colour the screen", reply: hostile },
];
