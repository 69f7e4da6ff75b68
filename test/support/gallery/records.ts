import { memoryAttachment, reply } from "../../../src/reply/reply.ts";
import { field, paragraph } from "../../../src/reply/block.ts";
import { code, id, link, strong, text, time } from "../../../src/reply/text.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { ago, asOf, ask, chartPicture, GALLERY_NOW, hex, type GalleryEntry } from "./parts.ts";

const market = hex("market BTC/USD");
const party = hex("party maker");

const networkTime = reply({
  tone: "warning",
  title: text`Network time: ${time(ago(1), "both")}`,
  blocks: [
    paragraph(
      text`The network is ${strong("healthy")}: its time advances. One of three nodes is lagging, one is down.`,
    ),
    {
      kind: "table",
      title: text`Nodes`,
      name: "nodes",
      columns: [
        { title: "Node" },
        { title: "State" },
        { title: "Block", align: "right" },
        { title: "Behind", align: "right", priority: 2 },
        { title: "Round trip", align: "right", priority: 3 },
        { title: "Why", priority: 2 },
      ],
      rows: [
        [text`api1.example.net`, text`${strong("ok")}`, text`31,204,551`, text`–`, text`42 ms`, text`–`],
        [
          text`api2.example.net`,
          text`${strong("lagging")}`,
          text`31,204,310`,
          text`2 min 41 s`,
          text`55 ms`,
          text`241 blocks behind`,
        ],
        [
          text`api3.example.net`,
          text`${strong("down")}`,
          text`–`,
          text`–`,
          text`–`,
          text`no answer within 5 s (3 tries)`,
        ],
      ],
    },
  ],
  footer: asOf("api1.example.net", 31_204_551n),
  actions: [ask("Refresh", "time", {}, "replace")],
});

const marketShow = reply({
  tone: "warning",
  title: text`BTC/USD · ${strong("suspended")}, monitoring auction`,
  url: "https://console.example.net/markets/btc-usd?tab=book&depth=20",
  blocks: [
    paragraph(
      text`In a price auction since ${time(ago(754), "relative")}; it ends ${time(ago(-1046), "both")} unless it is extended. ${link("What is a price auction?", "https://docs.example.net/auctions#price")}`,
    ),
    {
      kind: "fields",
      title: text`Prices`,
      fields: [
        field("Mark", text`${strong("67,250.12345")} USD`),
        field("Best bid", "67,249.00000"),
        field("Best offer", "67,251.50000"),
        field("Spread", text`2.5 (0.00%)`),
        field("Open interest", text`${strong("1,204.317")} BTC`),
        field("Target stake", "18446744073709551615 raw"),
        field("Market", id(market), { wide: true }),
      ],
    },
    {
      kind: "table",
      title: text`Price bounds`,
      name: "market-bounds",
      columns: [
        { title: "Lowest", align: "right" },
        { title: "Highest", align: "right" },
        { title: "Reference", align: "right", priority: 2 },
        { title: "Horizon", align: "right" },
        { title: "Probability", align: "right", priority: 3 },
        { title: "Auction", align: "right", priority: 3 },
      ],
      rows: [
        [text`66,100.00000`, text`68,400.50000`, text`67,249.3`, text`1 h`, text`99.99%`, text`5 min`],
        [text`63,990.12500`, text`70,517.00000`, text`67,180.0`, text`12 h`, text`99.9999%`, text`10 min`],
      ],
    },
    {
      kind: "list",
      title: text`Mark to bounds`,
      items: [text`to the lowest: ${strong("1.71%")}`, text`to the highest: ${strong("1.71%")}`],
    },
  ],
  footer: asOf("api1.example.net", 31_204_551n),
  picture: memoryAttachment("btc-usd-24h.png", "image/png", chartPicture(), {
    alt: "BTC/USD over 24 hours: rises from 64,100 to 67,250.",
  }),
  actions: [
    ask("Refresh", "market show", { market }, "replace"),
    ask("Tell me when it trades again", "alerts add", { kind: "market.auction", market }),
    { label: "Open the market", url: "https://console.example.net/markets/btc-usd" },
  ],
});

const orderReply = reply({
  title: text`Order ${id(hex("order 1"))}: ${strong("parked")}`,
  blocks: [
    paragraph(
      text`It ${strong("buys 12.5 BTC")} at the best bid less 3.5, of which ${strong("4.25")} are left. It is parked because its market is in an auction.`,
    ),
    {
      kind: "fields",
      fields: [
        field("Side", "buy"),
        field("Type", "limit, good till time"),
        field("Price", "67,245.50000 USD"),
        field("Size", "12.500"),
        field("Remaining", "4.250"),
        field("Version", "3"),
        field("Post only", "yes"),
        field("Reduce only", undefined),
        field("Created", time(ago(86_400 * 3 + 60), "both")),
        field("Expires", time(ago(-7200), "both")),
        field("Reference", code("maker-7/`a`")),
        field("Party", id(party), { wide: true }),
        field("Market", text`BTC/USD ${id(market)}`, { wide: true }),
      ],
    },
    {
      kind: "code",
      language: "json",
      text: '{\n  "peggedOrder": {\n    "reference": "PEGGED_REFERENCE_BEST_BID",\n    "offset": "350000"\n  },\n  "batchId": "18446744073709551615"\n}',
    },
  ],
  footer: asOf("api2.example.net", 31_204_550n),
  actions: [
    ask("Version 2", "order", { id: hex("order 1"), version: 2 }),
    ask("Refresh", "order", { id: hex("order 1") }, "replace"),
  ],
});

const bundle = reply({
  tone: "good",
  title: text`Asset limits for ${strong("tEURO")}: signed`,
  blocks: [
    paragraph(text`Submit these values to the bridge's ${code("set_asset_limits")}; each can be copied.`),
    {
      kind: "fields",
      fields: [
        field("Asset source", id("0x1faa89f20e2a5d1d0f7bc0d5b1f7bd3bc8a1dd65"), { wide: true }),
        field(
          "maxLifetimeDeposit",
          code("115792089237316195423570985008687907853269984665640564039457584007913129639935"),
        ),
        field("withdrawThreshold", code("1000000000000000000")),
        field("Nonce", code("9".repeat(78)), { wide: true }),
        field("Signatures", code(`0x${`${hex("signature a")}${hex("signature b")}1b`.repeat(5)}`), { wide: true }),
        field("Asset", id(hex("asset tEURO")), { wide: true }),
        field("Oldest possible time", time(nanoseconds(-6_795_364_578_871_345_152n))),
        field("Valid", text`from ${time(GALLERY_NOW)}, seen ${time(ago(30), "relative")}`),
      ],
    },
  ],
  footer: asOf("api1.example.net", 31_204_551n),
});

export const recordReplies: readonly GalleryEntry[] = [
  {
    name: "network-time",
    shows: "a verdict over three nodes; a table with columns that may give way",
    reply: networkTime,
  },
  { name: "market-show", shows: "fields, a table, a list, a picture, a link and buttons", reply: marketShow },
  { name: "order", shows: "ids, plain words, many fields, a block of JSON", reply: orderReply },
  { name: "bundle", shows: "values far wider than any screen that must stay copyable", reply: bundle },
];
