import { field, paragraph } from "../../../src/reply/block.ts";
import { reply } from "../../../src/reply/reply.ts";
import { code, strong, text, time } from "../../../src/reply/text.ts";
import { ago, asOf, ask, type GalleryEntry } from "./parts.ts";

const stalled = reply({
  tone: "bad",
  title: text`${strong("Critical")}: mainnet has stalled`,
  blocks: [
    paragraph(
      text`No new block for ${strong("3 min 4 s")}. Three of three nodes answer and agree, so it is the network that stands still.`,
    ),
    {
      kind: "fields",
      fields: [
        field("Last block", text`31,204,551 at ${time(ago(184), "both")}`),
        field("Since", time(ago(184), "relative")),
        field("Episode", code("network.stalled|mainnet||7")),
      ],
    },
    {
      kind: "list",
      items: [
        text`api1.example.net: block 31,204,551`,
        text`api2.example.net: block 31,204,551`,
        text`api3.example.net: block 31,204,550`,
      ],
    },
  ],
  footer: asOf("api1.example.net", 31_204_551n),
  actions: [
    ask("Acknowledge", "alerts ack", { episode: "network.stalled|mainnet||7" }, "replace"),
    ask("Silence 1 h", "alerts silence", { episode: "network.stalled|mainnet||7", for: "1h" }, "replace"),
    ask("Details", "alerts why", { episode: "network.stalled|mainnet||7" }),
    { label: "Runbook", url: "https://runbooks.example.net/stalled" },
  ],
});

const resolved = reply({
  tone: "good",
  title: text`Resolved: mainnet advances again`,
  blocks: [paragraph(text`It stood still for ${strong("12 min 40 s")}, from ${time(ago(800))} to ${time(ago(40))}.`)],
  footer: asOf("api1.example.net", 31_204_640n),
});

export const alertReplies: readonly GalleryEntry[] = [
  { name: "alert-stalled", shows: "a critical alert with its buttons", reply: stalled },
  { name: "alert-resolved", shows: "the end of it: good news, short", reply: resolved },
];
