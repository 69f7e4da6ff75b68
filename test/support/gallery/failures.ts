import { paragraph } from "../../../src/reply/block.ts";
import { reply } from "../../../src/reply/reply.ts";
import { code, commandLine, strong, text } from "../../../src/reply/text.ts";
import { ask, type GalleryEntry } from "./parts.ts";

const caller = reply({
  tone: "bad",
  failure: "caller",
  title: text`There is no command ${code("markt show")}`,
  blocks: [
    paragraph(text`Did you mean market show? ${commandLine("help")} lists every command.`),
    { kind: "code", text: "market show BTC/USD", command: true },
  ],
  actions: [
    {
      label: "Show a market",
      choices: ["BTC/USD", "ETH/USD"].map((market) => ({
        label: market,
        invocation: { command: "market show", options: { market } },
      })),
      effect: "replace",
    },
  ],
});

const network = reply({
  tone: "bad",
  failure: "network",
  title: text`No data node of mainnet answers`,
  blocks: [
    {
      kind: "list",
      title: text`What was tried`,
      items: [
        text`api1.example.net: connection refused`,
        text`api2.example.net: ${strong("500")} Internal error: ${"pq: canceling statement due to user request"}`,
        text`api3.example.net: rests for 9 min 12 s after 403 (rate limit)`,
      ],
    },
    paragraph("Try again in a minute; nothing is lost."),
  ],
  actions: [ask("Try again", "market list", {}, "replace")],
});

const bug = reply({
  tone: "bad",
  failure: "bug",
  title: text`That is a fault in Bellwether, not in your question`,
  blocks: [paragraph(text`It is logged as ${code("b-4f2a91")}; tell the operators this number.`)],
});

export const failureReplies: readonly GalleryEntry[] = [
  { name: "error-caller", shows: "the caller's mistake, with the right line as a button", reply: caller },
  { name: "error-network", shows: "the network's failure, node by node", reply: network },
  { name: "error-bug", shows: "our own fault: its number, never its message", reply: bug },
];
