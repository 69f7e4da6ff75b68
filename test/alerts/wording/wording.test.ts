import * as fc from "fast-check";
import { describe as group, expect, it } from "vitest";

import { AlertEvent } from "../../../src/alerts/kinds/event.ts";
import type { Event } from "../../../src/alerts/kinds/kind.ts";
import { CONDITION_KINDS, KINDS } from "../../../src/alerts/kinds/kinds.ts";
import { Reading } from "../../../src/alerts/kinds/reading.ts";
import { deliverySubject } from "../../../src/alerts/outbox/delivery-subject.ts";
import { AlertMessage } from "../../../src/alerts/outbox/message.ts";
import { describe } from "../../../src/alerts/wording/wording.ts";
import { fullTextAttachment } from "../../../src/reply/full-text.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { nanoseconds } from "../../../src/units/nanoseconds.ts";
import { anEpisode } from "../samples.ts";

const NASTY = "<@everyone> *bold* & [x](y)";
const at = "1700000000000000000";

/** One reading of each kind, with every fact there is. */
const READINGS: { readonly [K in Reading["kind"]]: Extract<Reading, { kind: K }>["facts"] } = {
  "network.stalled": { frontier: at, height: "123456789012345678901234567890" },
  "network.disagree": { advancing: ["a:1"], standing: ["b:1", "c:1"] },
  "network.time-back": { from: at, to: "1600000000000000000" },
  "network.clock": { driftMillis: -45_000 },
  "watch.blind": { nodes: [{ node: "a:1", why: "does not answer" }, { node: "b:1" }] },
  "node.lagging": { behindMillis: 90_000, behindBlocks: "130" },
  "node.down": {},
  "checkpoint.overdue": { sinceMillis: 1_200_000, usualMillis: 300_000, lastBlock: "1200" },
  "market.auction": {
    tradingMode: "TRADING_MODE_MONITORING_AUCTION",
    trigger: "AUCTION_TRIGGER_PRICE",
    start: at,
    end: at,
  },
  "market.price": { price: "61250.5" },
  "market.bound": { price: "61250.5", bound: "61300", side: "upper", distancePercent: "0.08" },
};

const EVENTS: { readonly [K in AlertEvent["kind"]]: object } = {
  "checkpoint.new": { atBlock: "1200", hash: "abc", blockHash: "DEF" },
  "snapshot.new": { blockHeight: "1200", blockHash: "ab", coreVersion: "v0.71.4" },
  "core.upgraded": { from: "v0.71.4", to: "v0.71.5", blockHeight: "1200" },
  "rotation.new": { nodeId: "n1", nodeName: NASTY, oldAddress: "0x1", newAddress: "0x2", blockHeight: "1200" },
  "market.state": {
    label: NASTY,
    before: { state: "STATE_ACTIVE", tradingMode: "TRADING_MODE_CONTINUOUS" },
    after: {
      state: "STATE_SUSPENDED",
      tradingMode: "TRADING_MODE_MONITORING_AUCTION",
      trigger: "AUCTION_TRIGGER_PRICE",
    },
  },
  "node.version": { before: { version: "v1" }, after: { version: "v2", commitHash: "abc" } },
  "history.reset": { what: "checkpoints", lastSeen: "1200", oldest: "1", newest: "20" },
  "order.final": { status: "STATUS_REJECTED", reason: "ORDER_ERROR_MARGIN_CHECK_FAILED", label: NASTY, size: "1.5" },
  "stake.changed": { change: "linked", amount: "1,000", available: "5,000", txHash: "0x1", ethereumAddress: "0x2" },
  "bundle.signed": { bundle: "list-asset", assetSource: "0x1" },
};

const EVENT_KINDS = Object.keys(EVENTS) as AlertEvent["kind"][];

function readingOf(kind: Reading["kind"], full = true): Reading {
  const common = {
    kind,
    network: "mainnet",
    subject: "a:1",
    state: "bad",
    seenBy: ["a:1"],
    nodes: 3,
    label: "BTC/USD",
  };
  const least =
    kind === "watch.blind" ? { nodes: [] } : kind === "network.disagree" ? { advancing: [], standing: [] } : {};
  return Reading.parse({ ...common, facts: full ? READINGS[kind] : least });
}

function eventOf(kind: AlertEvent["kind"]): AlertEvent {
  return AlertEvent.parse({ kind, network: "mainnet", subject: "s1", key: "k", at, node: "a:1", ...EVENTS[kind] });
}

function episodeOf(kind: Reading["kind"], full = true, more: object = {}) {
  const reading = readingOf(kind, full);
  return anEpisode(kind, { subject: "a:1", first: reading, last: reading, lastGood: at, ...more });
}

async function wordsOf(message: AlertMessage, wording: Parameters<typeof describe>[1] = {}): Promise<string> {
  const stored = AlertMessage.parse(JSON.parse(JSON.stringify(message)));
  expect(stored).toEqual(message);
  const reply = describe(stored, wording);
  return Buffer.concat(await fullTextAttachment(reply, "words.txt").open().toArray()).toString();
}

group("an alert in words", () => {
  it.each(CONDITION_KINDS)("of kind %s says what, since when, how sure and what was last good", async (kind) => {
    const words = await wordsOf({ type: "condition", phase: "trigger", episode: episodeOf(kind) });
    for (const part of [
      "WARNING",
      "mainnet",
      "Since",
      "Seen by",
      "Last good",
      "Acknowledge",
      "Silence 1 h",
      "Details",
    ]) {
      expect(words).toContain(part);
    }
    expect(words).not.toMatch(/undefined|NaN|\[object/u);
    const least = await wordsOf({ type: "condition", phase: "trigger", episode: episodeOf(kind, false) });
    expect(least).not.toMatch(/undefined|NaN|\[object/u);
  });

  it.each(CONDITION_KINDS)("of kind %s tells its story when it is over", async (kind) => {
    const acknowledged = { by: "bob", at };
    const episode = episodeOf(kind, true, { state: "resolved", recovered: at, ended: at, acknowledged, escalated: at });
    const triggeredAt = nanoseconds(BigInt(at));
    const words = await wordsOf({ type: "condition", phase: "resolve", episode }, { triggeredAt });
    for (const part of ["RESOLVED", "Began", "Detected", "Told", "Escalated", "by bob", "Recovered", "It lasted"]) {
      expect(words).toContain(part);
    }
    expect(words).not.toContain("Acknowledge:");
  });

  it.each(EVENT_KINDS)("of kind %s says what happened, where and when", async (kind) => {
    const event = eventOf(kind);
    const words = await wordsOf({ type: "event", event });
    expect(words).toContain("mainnet");
    expect(words).toContain("Seen");
    expect(words).not.toMatch(/undefined|NaN|\[object/u);
    expect(describe({ type: "event", event, simulated: true }).title[0]).toEqual({ kind: "strong", text: "SIMULATED" });
  });

  it("says so where it is only known that it began by then", async () => {
    const begun = { beganBefore: true } as const;
    const open = await wordsOf({ type: "condition", phase: "trigger", episode: episodeOf("node.down", true, begun) });
    expect(open).toMatch(/Since: at least 2023-11-14/u);
    const over = { ...begun, state: "resolved", recovered: at, ended: at };
    const closed = await wordsOf({ type: "condition", phase: "resolve", episode: episodeOf("node.down", true, over) });
    expect(closed).toMatch(/Began: 2023-11-14 .+ at the latest/u);
    expect(closed).toContain("It lasted at least");
  });

  it("with one node says that network and node cannot be told apart", async () => {
    const last = { ...readingOf("network.stalled"), nodes: 1 };
    const words = await wordsOf({
      type: "condition",
      phase: "trigger",
      episode: anEpisode("network.stalled", { last }),
    });
    expect(words).toContain("Seen from one node; network and node cannot be told apart.");
  });

  it("of a node that is silent says who noticed, and whether there is another to ask", async () => {
    const said = async (kind: "node.down" | "watch.blind", nodes: number): Promise<string> => {
      const last = { ...readingOf(kind), seenBy: [], nodes };
      return wordsOf({ type: "condition", phase: "trigger", episode: anEpisode(kind, { subject: "a:1", last }) });
    };
    expect(await said("node.down", 3)).toContain("Seen by: Bellwether itself");
    expect(await said("node.down", 3)).toContain("others that do are asked in its place");
    expect(await said("node.down", 1)).toContain("it is the only one there is to ask");
    expect(await said("watch.blind", 3)).toContain("Seen by: Bellwether itself");
  });

  it.each([
    ["1700000100000000000", "1700000200000000000", /Acknowledged[\s\S]*Escalated[\s\S]*Recovered/u],
    ["1700000200000000000", "1700000100000000000", /Escalated[\s\S]*Acknowledged[\s\S]*Recovered/u],
  ])(
    "tells its story in the order of time: acknowledged at %s, worse at %s",
    async (acknowledged, escalated, order) => {
      const over = { state: "resolved", escalated, recovered: "1700000300000000000", ended: "1700000300000000000" };
      const episode = episodeOf("network.stalled", true, { ...over, acknowledged: { by: "bob", at: acknowledged } });
      expect(await wordsOf({ type: "condition", phase: "resolve", episode })).toMatch(order);
    },
  );

  it("of a market's change says how it is before how it was, and what that means", async () => {
    const changed = AlertEvent.parse({ ...eventOf("market.state"), label: "BTC/USD" });
    const words = await wordsOf({ type: "event", event: changed });
    expect(words).toContain(
      "WARNING · BTC/USD on mainnet is suspended, monitoring auction (price), was active, continuous",
    );
    expect(words).toContain("Orders are collected and not matched until the auction ends.");
    const common = { kind: "market.state", network: "mainnet", subject: "m1", key: "k", at, label: "BTC/USD" } as const;
    const listed: AlertEvent = { ...common, after: { state: "STATE_PROPOSED" } };
    expect(await wordsOf({ type: "event", event: listed })).toContain("INFO · BTC/USD on mainnet is new: proposed");
  });

  it("of a market's change leaves out of how it was what is so still", async () => {
    const opening = { tradingMode: "TRADING_MODE_OPENING_AUCTION", trigger: "AUCTION_TRIGGER_OPENING" };
    const [proposed, pending] = [
      { state: "STATE_PROPOSED", ...opening },
      { state: "STATE_PENDING", ...opening },
    ];
    const halted = { state: "STATE_PENDING", tradingMode: "TRADING_MODE_NO_TRADING" };
    const common = { kind: "market.state", network: "mainnet", subject: "m1", key: "k", at, label: "A/B" } as const;
    const said = (before: object, after: object): Promise<string> =>
      wordsOf({ type: "event", event: AlertEvent.parse({ ...common, before, after }) });
    expect(await said(proposed, pending)).toContain("A/B on mainnet is pending, opening auction, was proposed\n");
    expect(await said(pending, halted)).toContain("A/B on mainnet is pending, no trading, was opening auction\n");
    expect(await said({}, pending)).toContain("is pending, opening auction, was unknown\n");
  });

  it.each(EVENT_KINDS)("of kind %s says what it means and what to do", async (kind) => {
    const record: Event = KINDS[kind];
    const said = await wordsOf({ type: "event", event: eventOf(kind) });
    expect(said).toContain(record.meaning?.(eventOf(kind)) ?? "");
    expect(said.includes("What to do")).toBe(record.remedy !== undefined);
    expect(said).toContain(record.remedy ?? "");
  });

  it.each(CONDITION_KINDS)("of kind %s says what it means and what to do, but not in a drill", async (kind) => {
    const record = KINDS[kind];
    const episode = anEpisode(kind);
    const message = { type: "condition", phase: "trigger", episode } as const;
    const said = await wordsOf(message);
    expect(said).toContain(record.meaning(episode.last));
    expect(said).toContain(record.remedy ?? "");
    expect(await wordsOf({ ...message, drill: true })).not.toContain(record.meaning(episode.last));
  });

  it("says when each event came that was held for quiet hours", async () => {
    const events = [eventOf("core.upgraded"), eventOf("checkpoint.new")];
    const digest = (reason: "quiet hours" | "catch-up"): AlertMessage => ({
      type: "digest",
      network: "mainnet",
      reason,
      events,
      episodes: [],
    });
    expect(await wordsOf(digest("quiet hours"))).toContain("2023-11-14 22:13:20 UTC: Protocol upgrade");
    expect(await wordsOf(digest("catch-up"))).not.toContain("22:13:20 UTC: Protocol");
  });

  it.each<[AlertMessage, string]>([
    [
      {
        type: "calm",
        kind: "market.auction",
        network: "mainnet",
        subject: "ab".repeat(32),
        label: "BTC/USD",
        episodes: 1,
        since: at,
        open: false,
        at,
      },
      "CALM AGAIN · market.auction of BTC/USD on mainnet",
    ],
    [
      { type: "calm", kind: "node.down", network: "mainnet", subject: "a:1", episodes: 1, since: at, open: true, at },
      "FIRING STEADILY · node.down at a:1 on mainnet",
    ],
    [
      { type: "calm", kind: "node.down", network: "mainnet", subject: "a:1", episodes: 1, since: at, open: true, at },
      "It fired once since",
    ],
    [
      { type: "lost", platform: "slack", channel: "C1", why: "is_archived", subscriptions: 1, unsent: 1, at },
      "1 of its subscriptions ended, 1 message was given up",
    ],
    [
      { type: "flapping", episode: episodeOf("node.down"), episodes: 4, withinMillis: 1_800_000 },
      "It has fired 4 times within 30 min",
    ],
    [
      { type: "calm", kind: "node.down", network: "mainnet", subject: "a:1", episodes: 7, since: at, open: false, at },
      "It fired 7 times since",
    ],
    [
      { type: "away", from: at, to: "1700001920000000000", late: [{ kind: "checkpoint.new", count: 2 }] },
      "Told late: 2 checkpoints; nothing was lost",
    ],
    [{ type: "away", from: at, to: at, late: [] }, "Nothing happened meanwhile"],
    [
      { type: "away", from: at, to: at, late: [{ kind: "history.reset", count: 1 }] },
      "what lies before a reset cannot be told",
    ],
    [
      { type: "away", from: at, to: at, late: [], unseen: ["mainnet"] },
      "What happened meanwhile is not known yet; not all of mainnet could be looked at, and what is found there is told once it can be.",
    ],
    [
      {
        type: "away",
        from: at,
        to: at,
        late: [
          { kind: "checkpoint.new", count: 2 },
          { kind: "history.reset", count: 1 },
        ],
        unseen: ["mainnet", "testnet"],
      },
      "Told late so far: 2 checkpoints, 1 reset of a node's history; what lies before a reset cannot be told; not all of mainnet and testnet",
    ],
    [
      { type: "lost", platform: "slack", channel: "C1", why: "is_archived", subscriptions: 2, unsent: 3, at },
      "is_archived. 2 of its subscriptions ended, 3 messages were given up",
    ],
    [{ type: "database", what: "deleted", file: "/srv/b.db", at }, "/srv/b.db"],
    [{ type: "database", what: "replaced", file: "/srv/b.db", at }, "npm run restore"],
    [{ type: "database", what: "begun anew", file: "/srv/b.db", at }, "a new one was begun"],
    [
      {
        type: "silences",
        silences: [{ id: "4hd9x", scope: {}, from: 0, until: 1_700_003_600_000, by: "ada", created: 0 }],
        at,
      },
      "in all places, 1 h left, by ada",
    ],
    [{ type: "test", by: "ada", at }, "ada subscribed this channel"],
  ])("about the bot itself is plain: %j", async (message, part) => {
    expect(await wordsOf(message)).toContain(part);
    expect(deliverySubject(message, "bot").at).toMatch(/^\d+$/u);
  });

  it("that may be a repeat says so before anything else", () => {
    const { blocks } = describe({ type: "event", event: eventOf("checkpoint.new") }, { repeat: true });
    expect(blocks[0]?.kind === "paragraph" && plainText(blocks[0].text)).toContain("This may be a repeat");
  });

  it("never fails, whatever a node called its things", () => {
    const words = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(words, words, fc.constantFrom(...EVENT_KINDS), (subject, label, kind) => {
        const event = AlertEvent.parse({ ...eventOf(kind), subject, label, status: label, node: label });
        const digest = {
          type: "digest",
          reason: "catch-up",
          network: subject,
          events: Array(9).fill(event),
          episodes: [],
        };
        for (const message of [{ type: "event", event }, digest]) {
          expect(describe(AlertMessage.parse(message)).title.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});

group("what a program is told of a message", () => {
  const states: [AlertMessage, string, string][] = [
    [{ type: "condition", phase: "trigger", episode: episodeOf("node.down") }, "trigger", "firing"],
    [{ type: "condition", phase: "reminder", episode: episodeOf("node.down") }, "reminder", "firing"],
    [{ type: "condition", phase: "escalation", episode: episodeOf("node.down") }, "escalation", "escalated"],
    [{ type: "condition", phase: "escalation", episode: episodeOf("node.down") }, "trigger", "firing"],
    [
      { type: "condition", phase: "resolve", episode: episodeOf("node.down", true, { state: "resolved", ended: at }) },
      "fired and resolved",
      "resolved",
    ],
    [{ type: "event", event: eventOf("checkpoint.new") }, "event", "event"],
    [
      { type: "digest", reason: "catch-up", network: "mainnet", events: [eventOf("checkpoint.new")], episodes: [] },
      "digest",
      "digest",
    ],
    [
      { type: "rolling", kind: "checkpoint.new", network: "mainnet", day: "2024-06-03", total: 1, events: [] },
      "rolling",
      "digest",
    ],
  ];
  it.each(states)("%j as %s is %s", (message, phase, state) => {
    expect(deliverySubject(message, phase)).toMatchObject({ network: "mainnet", state });
  });
});
