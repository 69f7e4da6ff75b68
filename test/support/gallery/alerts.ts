import { timeToText } from "../../../src/alerts/judge/kinds/kind.ts";
import type { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import type { Subscription } from "../../../src/alerts/route/subscription.ts";
import type { Episode } from "../../../src/alerts/judge/rules/episode.ts";
import { describe } from "../../../src/alerts/words/words.ts";
import { episodeTimelineReply } from "../../../src/answers/alerts/episodes/episode-timeline.ts";
import { momentOf, toldLines, toldTable } from "../../../src/answers/alerts/episodes/told.ts";
import type { CallerContext } from "../../../src/answers/alerts/destination.ts";
import type { Told } from "../../../src/alerts/service/service.ts";
import { field, paragraph } from "../../../src/reply/block.ts";
import { inZone, reply } from "../../../src/reply/reply.ts";
import { code, strong, text, time } from "../../../src/reply/text.ts";
import { toMillis } from "../../../src/units/time.ts";
import { ago, ask, asOf, GALLERY_NOW, type GalleryEntry, hex } from "./parts.ts";
import { PLATFORMS } from "../platforms.ts";

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
        field("Acknowledged by", [{ kind: "person", text: "maria", platform: "discord", id: "1122334455667788990" }]),
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

const watched = {
  id: "7k2mq",
  destination: { platform: "discord", channel: "1122334455667788990" },
  network: "mainnet",
  kinds: ["market.price"],
  subjects: [hex("market")],
  parameters: { "market.price": { high: "70000", low: "50000.5" } },
  floor: "warning",
  style: "thread",
  events: "usual",
  quietHours: { from: "22:00", to: "07:00", zone: "Europe/Berlin" },
  state: "active",
  created: toMillis(ago(60)),
  by: { id: "41", name: "ann" },
} satisfies Subscription;

const firing = {
  id: "node.lagging|mainnet|api2.example.net:3008|3",
  rule: "node.lagging",
  kind: "node.lagging",
  network: "mainnet",
  subject: "api2.example.net:3008",
  number: 3,
  state: "firing",
  severity: "warning",
  began: timeToText(ago(400)),
  detected: timeToText(ago(370)),
  ...sameReading({
    kind: "node.lagging",
    network: "mainnet",
    subject: "api2.example.net:3008",
    state: "bad",
    seenBy: ["api2.example.net:3008", "api1.example.net:3008"],
    nodes: 3,
    facts: { behindMillis: 95_000, behindBlocks: "131" },
  }),
} satisfies Episode;

function sameReading(reading: Reading): { first: Reading; last: Reading } {
  return { first: reading, last: reading };
}

const subscribed = describe(
  {
    type: "change",
    by: "ann",
    at: timeToText(ago(60)),
    change: {
      what: "added",
      subscription: watched,
      standing: {
        network: "mainnet",
        verdict: "healthy",
        looked: timeToText(ago(62)),
        answering: 2,
        nodes: 3,
        height: "31204551",
        firing: [
          { id: firing.id, kind: "node.lagging", subject: firing.subject, severity: "warning", since: firing.began },
        ],
        more: 0,
      },
      first: true,
    },
    labels: { [hex("market")]: "BTC/USDT" },
  },
  {},
  PLATFORMS,
);

const silenced = describe({
  type: "change",
  by: "bob *the* <@builder>",
  at: timeToText(ago(30)),
  change: {
    what: "silenced",
    silence: {
      id: "4hd9x",
      scope: { kind: "node.down", subject: "api2.example.net:3008", network: "mainnet" },
      from: toMillis(ago(30)),
      until: toMillis(ago(-7200)),
      reason: "new disks",
      by: "bob",
      created: toMillis(ago(30)),
    },
  },
});

const inOps: CallerContext = {
  here: { platform: "discord", workspace: "99", channel: "1122334455667788990", files: { maxBytes: 0, maxCount: 0 } },
  caller: { id: "41", name: "ann", mayManageChannel: true },
  platforms: PLATFORMS,
};
const rowOf = { network: "mainnet", episode: firing.id, destination: null, delivery: null };
const here = "discord//1122334455667788990/";
const story = episodeTimelineReply(
  {
    episode: firing,
    decisions: [
      {
        ...rowOf,
        at: toMillis(ago(400)),
        what: "pending",
        detail: "node.lagging of api2.example.net:3008: 1 min 4 s behind",
      },
      {
        ...rowOf,
        at: toMillis(ago(370)),
        what: "fired",
        detail: "node.lagging of api2.example.net:3008: 1 min 34 s behind",
      },
      { ...rowOf, at: toMillis(ago(369)), what: "outcome unknown", destination: here, detail: "attempt 1: no answer" },
    ],
    deliveries: [
      {
        id: "B-3vE4KX4-ijhwxbAs82Hg",
        seq: 1,
        destination: here,
        platform: "discord",
        phase: "trigger",
        urgency: 1,
        join_key: null,
        open_until: null,
        revision: 0,
        shown: 0,
        owed_at: toMillis(ago(370)),
        message: "m",
        episode: firing.id,
        run_at: 0,
        created_at: toMillis(ago(370)),
        data: "{}",
        state: "sent",
        attempts: 2,
        claimed_by: null,
        attempted_at: toMillis(ago(368)),
        uncertain_since: toMillis(ago(369)),
        interruptions: 0,
        last_error: null,
        settled_at: toMillis(ago(367)),
      },
    ],
    items: [],
    receipts: [
      {
        delivery: "B-3vE4KX4-ijhwxbAs82Hg",
        platform: "discord",
        channel: "1122334455667788990",
        message: "1234567890123456789",
        at: toMillis(ago(367)),
      },
    ],
  },
  { ...inOps, now: () => GALLERY_NOW },
);

/** What a channel was told in two days, and two channels of an alert that somebody took. */
const told = (() => {
  const now = toMillis(ago(0));
  const over = { ...firing, state: "resolved", recovered: timeToText(ago(100)), ended: timeToText(ago(90)) } as const;
  const taken = { ...over, acknowledged: { by: "Mia *Sun*", at: timeToText(ago(300)) } };
  const day = { type: "rolling", kind: "checkpoint.new", network: "mainnet", day: "2026-03-01" } as const;
  const event = {
    kind: "checkpoint.new",
    network: "mainnet",
    subject: "",
    key: "c",
    at: timeToText(ago(90_000)),
  } as const;
  const checkpoint = { ...event, hash: hex("c"), atBlock: "31204000" };
  const condition = { type: "condition", phase: "trigger", episode: firing } as const;
  const all: readonly Told[] = [
    { at: now - 370_000, destination: here, id: "m1", message: condition, episode: taken },
    { at: now - 369_000, destination: "discord//2222222222222222222/", id: "m1", message: condition, episode: taken },
    { at: now - 90_000_000, destination: here, id: "m2", message: { ...day, total: 12, events: [checkpoint] } },
  ];
  return inZone(
    reply({
      title: "api1 on mainnet did not answer for 4 min 2 s from 03-01 10:10; 1 other event",
      blocks: [
        toldTable(
          toldLines(all, { ...inOps, networks: ["mainnet"] }, now, "Europe/Zurich"),
          { name: "alerts-told" },
          (at) => momentOf(at, "Europe/Zurich"),
          inOps,
        ),
        paragraph("All channels of this server, and your own watches."),
      ],
    }),
    "Europe/Zurich",
  );
})();

export const alertReplies: readonly GalleryEntry[] = [
  { name: "alert-subscribed", shows: "who subscribed the channel to what, and how things stand", reply: subscribed },
  { name: "alert-silenced", shows: "who silenced what until when, whatever their name contains", reply: silenced },
  { name: "alert-story", shows: "the whole story of an alert, line by line", reply: story },
  { name: "alerts-told", shows: "what was told, with the clock of a zone", reply: told },
  { name: "alert-stalled", shows: "a critical alert with its buttons", reply: stalled },
  { name: "alert-resolved", shows: "the end of it: good news, short", reply: resolved },
];
