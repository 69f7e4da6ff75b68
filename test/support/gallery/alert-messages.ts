import { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { CONDITION_KINDS } from "../../../src/alerts/judge/kinds/kinds.ts";
import { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import type { DeliveryContext } from "../../../src/alerts/message/delivery-subject.ts";
import type { AlertMessage } from "../../../src/alerts/message/message.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { anEpisode } from "../../alerts/samples.ts";
import { serviceMessages } from "./service-messages.ts";

const NASTY = "<@everyone> *bold* & [x](y)";
export const at = "1700000000000000000";

/** One reading of each kind, with every fact there is. */
const READINGS: { readonly [K in Reading["kind"]]: Extract<Reading, { kind: K }>["facts"] } = {
  "network.stalled": { frontier: at, height: "123456789012345678901234567890" },
  "network.disagree": {
    advancing: ["a:1"],
    standing: ["b:1", "c:1"],
    votes: [
      { node: "a:1", vote: "moves", height: "1250" },
      { node: "b:1", vote: "stands", height: "1200" },
      { node: "c:1", vote: "stands" },
    ],
  },
  "network.time-back": { from: at, to: "1600000000000000000" },
  "network.clock": { driftMillis: -45_000 },
  "watch.blind": { nodes: [{ node: "a:1", why: "does not answer" }, { node: "b:1" }] },
  "node.lagging": { behindMillis: 90_000, behindBlocks: "130" },
  "node.down": {},
  "node.lying": { by: "outvoted" },
  "node.diverges": {
    what: "checkpoints",
    block: "1200",
    blocks: 3,
    field: "block hash",
    says: ["ab12"],
    others: ["cd34", "ef56"],
    by: ["b:1", "c:1"],
  },
  "node.refuses": {},
  "node.slow": { answers: 118, late: 34, limitMillis: 2000 },
  "network.slow": { blockMillis: 6200, usualMillis: 800 },
  "checkpoint.overdue": { sinceMillis: 1_200_000, usualMillis: 300_000, lastBlock: "1200" },
  "snapshot.overdue": { sinceMillis: 7_200_000, usualMillis: 900_000, lastBlock: "1000" },
  "market.auction": {
    tradingMode: "TRADING_MODE_MONITORING_AUCTION",
    trigger: "AUCTION_TRIGGER_PRICE",
    start: at,
    end: (BigInt(at) + 300_000_000_000n).toString(),
  },
  "market.price": { price: "61250.5" },
  "market.value": { mark: "61250.5", last: "61250", "spread%": "0.62" },
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
  "history.forked": {
    what: "checkpoints",
    block: "1200",
    lastBlock: "1500",
    blocks: 2,
    field: "block hash",
    before: ["ab12"],
    beforeBy: ["c:1"],
    after: ["cd34"],
    afterBy: ["a:1", "b:1"],
  },
  "order.final": { status: "STATUS_REJECTED", reason: "ORDER_ERROR_MARGIN_CHECK_FAILED", label: NASTY, size: "1.5" },
  "stake.changed": { change: "linked", amount: "1,000", available: "5,000", txHash: "0x1", ethereumAddress: "0x2" },
  "bundle.signed": { bundle: "list-asset", assetSource: "0x1" },
};

export function readingOf(kind: Reading["kind"], full = true): Reading {
  const common = {
    kind,
    network: "mainnet",
    subject: "a:1",
    state: "bad",
    // Of what all nodes are asked, a majority must show it.
    seenBy: kind.startsWith("network.") && kind !== "network.time-back" ? ["a:1", "b:1"] : ["a:1"],
    nodes: 3,
    label: "BTC/USD",
  };
  const least =
    kind === "watch.blind" ? { nodes: [] } : kind === "network.disagree" ? { advancing: [], standing: [] } : {};
  return Reading.parse({ ...common, facts: full ? READINGS[kind] : least });
}

export const EVENT_KINDS = Object.keys(EVENTS) as AlertEvent["kind"][];

export function eventOf(kind: AlertEvent["kind"]): AlertEvent {
  return AlertEvent.parse({ kind, network: "mainnet", subject: "s1", key: "k", at, node: "a:1", ...EVENTS[kind] });
}

export function episodeOf(kind: Reading["kind"], full = true, more: object = {}) {
  const reading = readingOf(kind, full);
  const rule = kind === "market.value" ? "market.value{if=spread_above_0.5%}" : kind;
  return anEpisode(kind, { rule, subject: "a:1", first: reading, last: reading, lastGood: at, ...more });
}

const trigger = (episode: ReturnType<typeof anEpisode>): Extract<AlertMessage, { type: "condition" }> => ({
  type: "condition",
  phase: "trigger",
  episode,
});
const digest = (reason: "quiet hours" | "catch-up" | "held"): Extract<AlertMessage, { type: "digest" }> => ({
  type: "digest",
  network: "mainnet",
  reason,
  events: [eventOf("core.upgraded"), eventOf("checkpoint.new")],
  episodes: [],
});
/** Seconds after it began. */
const after = (seconds: number): string => String(BigInt(at) + BigInt(seconds) * 1_000_000_000n);
const over = { state: "resolved", recovered: after(252), ended: after(312) } as const;
const taken = { by: "bob", at: after(95) };
const escalated = after(180);
/** An hour and a half later. */
const later = "1700005400000000000";
const calm = { type: "calm", kind: "node.down", network: "mainnet", subject: "a:1", since: at, at } as const;
const node = { type: "condition", episode: episodeOf("node.down") } as const;
const GUIDANCE = { note: "Core 2 restarts by itself.", runbook: "https://wiki.example.org/node-down" };
const checkpoint = eventOf("checkpoint.new");
const rolling: Extract<AlertMessage, { type: "rolling" }> = {
  type: "rolling",
  kind: "checkpoint.new",
  network: "mainnet",
  day: "2023-11-14",
  total: 2,
  events: [checkpoint, { ...checkpoint, key: "k2" }],
};
const market = { kind: "market.state", network: "mainnet", subject: "m1", key: "k", at, label: "A/B" } as const;
const opening = { tradingMode: "TRADING_MODE_OPENING_AUCTION", trigger: "AUCTION_TRIGGER_OPENING" };
const pending = { state: "STATE_PENDING", ...opening };
const changed = (before: object | undefined, after: object): AlertMessage => ({
  type: "event",
  event: AlertEvent.parse({ ...market, ...(before === undefined ? {} : { before }), after }),
});

/** The first episode's message, which says all of them. */
function grouped(
  id: string,
  episodes: readonly ReturnType<typeof anEpisode>[],
  more: { readonly merged?: true } = {},
): [AlertMessage, DeliveryContext] {
  const [first] = episodes;
  if (first === undefined) throw new RangeError("a group of none");
  return [trigger(first), { group: { id, episodes, notices: [], ...more } }];
}

/** The first notice's message, which says all of them. */
function noticed(notices: readonly AlertMessage[]): [AlertMessage, DeliveryContext] {
  const [first] = notices;
  if (first === undefined) throw new RangeError("a group of none");
  return [first, { group: { id: "N-3vE4KX4", episodes: [], notices } }];
}
const auctionOf = (number: number) =>
  episodeOf("market.auction", true, {
    id: `market.auction|mainnet|m${number}|1`,
    subject: `m${number}`,
    first: named(number),
    last: named(number),
  });
const named = (number: number): Reading => Reading.parse({ ...readingOf("market.auction"), label: `M${number}/USD` });

/** Every kind of message that alerts send, with the cases that are worded differently. */
/** Nobody had taken a stall by its last reminder; how it stands now. */
const unacknowledged = (more: Partial<ReturnType<typeof anEpisode>>): AlertMessage => ({
  type: "notice",
  at,
  notice: {
    about: "unacknowledged",
    episode: episodeOf("network.stalled", true, { severity: "critical", escalated, ...more }),
    reminders: 4,
  },
});

/** The bot's clock was an hour ahead when it began, and was right again when it ended. */
const clockAhead = episodeOf("network.clock", true, {
  ...over,
  began: String(BigInt(at) + 3_358_000_000_000n),
  first: { ...readingOf("network.clock"), facts: { driftMillis: 3_600_000 } },
});

/** It was as far behind. */
const clockBehind = episodeOf("network.clock", true, {
  ...over,
  began: String(BigInt(at) - 3_842_000_000_000n),
  seenMillis: 242_000,
  first: { ...readingOf("network.clock"), facts: { driftMillis: -3_600_000 } },
});

/** Three nodes, of which one goes on alone. */
const doubtedStall = episodeOf("network.stalled", true, {
  last: {
    ...readingOf("network.stalled"),
    facts: { height: "1200", doubted: [{ node: "c:1", why: "the other nodes contradict it" }] },
  } as Reading,
});

export const alertMessages: readonly (readonly [AlertMessage, DeliveryContext?])[] = [
  ...CONDITION_KINDS.flatMap((kind): [AlertMessage, DeliveryContext?][] => [
    [trigger(episodeOf(kind))],
    [trigger(episodeOf(kind, false))],
    [
      {
        type: "condition",
        phase: "resolve",
        episode: episodeOf(kind, true, { ...over, acknowledged: taken, escalated }),
      },
      { triggeredAt: nanoseconds(BigInt(at)) },
    ],
  ]),
  [{ ...trigger(episodeOf("market.bound", true, { state: "recovering" })), phase: "state" }],
  [{ type: "condition", phase: "resolve", episode: clockAhead }],
  [{ type: "condition", phase: "resolve", episode: clockBehind }],
  [trigger(doubtedStall)],
  grouped(
    "B-3vE4KX4",
    Array.from({ length: 12 }, (_, index) => auctionOf(index + 1)),
  ),
  grouped("C-3vE4KX4", [
    episodeOf("node.down", true, over),
    episodeOf("node.down", true, { subject: NASTY, acknowledged: { ...taken, by: NASTY } }),
  ]),
  grouped("E-3vE4KX4", [
    episodeOf("network.stalled", true, { id: "network.stalled|mainnet||1", subject: "" }),
    episodeOf("node.down", true, { ...over, id: "node.down|mainnet|a:1|1" }),
    episodeOf("node.down", true, { subject: NASTY, id: "node.down|mainnet|b:1|1" }),
  ]),
  grouped("F-3vE4KX4", [
    episodeOf("network.stalled", true, { ...over, id: "network.stalled|mainnet||1", subject: "" }),
    episodeOf("node.down", true, { subject: NASTY, id: "node.down|mainnet|b:1|1" }),
  ]),
  [
    trigger(episodeOf("network.stalled", true, { id: "network.stalled|mainnet||1", subject: "" })),
    {
      group: {
        id: "G-3vE4KX4",
        episodes: [episodeOf("network.stalled", true, { ...over, id: "network.stalled|mainnet||1", subject: "" })],
        notices: [
          ...["s1", NASTY].map(
            (subject) => ({ type: "event", event: { ...eventOf("node.version"), subject } }) as const,
          ),
          { type: "event", event: eventOf("core.upgraded") },
        ],
      },
    },
  ],
  grouped("D-3vE4KX4", [episodeOf("node.down", true, over), episodeOf("node.down", true, { ...over, subject: "b:1" })]),
  grouped(
    "E-3vE4KX4",
    ["a:1", "b:1"].map((subject) => episodeOf("node.down", true, { ...over, state: "gone", subject })),
  ),
  grouped("F-3vE4KX4", [
    episodeOf("node.down", true, { ...over, state: "gone" }),
    episodeOf("node.down", true, { ...over, subject: "b:1" }),
  ]),
  grouped(
    "G-3vE4KX4",
    ["a:1", "b:1"].map((subject) => episodeOf("node.down", true, { ...over, subject })),
    { merged: true },
  ),
  ...EVENT_KINDS.map((kind): [AlertMessage] => [{ type: "event", event: eventOf(kind) }]),
  [
    {
      type: "event",
      event: AlertEvent.parse({ ...eventOf("history.reset"), oldest: "9000", newest: "9900", pruned: true }),
    },
  ],
  [trigger(episodeOf("node.down", true, { beganBefore: true }))],
  [{ type: "condition", phase: "resolve", episode: episodeOf("node.down", true, { ...over, beganBefore: true }) }],
  [trigger(anEpisode("network.stalled", { last: { ...readingOf("network.stalled"), nodes: 1 } }))],
  ...[1, 3].map((nodes): [AlertMessage] => [
    trigger(anEpisode("node.down", { subject: "a:1", last: { ...readingOf("node.down"), seenBy: [], nodes } })),
  ]),
  [changed(undefined, { state: "STATE_PROPOSED" })],
  [changed({ state: "STATE_PROPOSED", ...opening }, pending)],
  [changed(pending, { state: "STATE_PENDING", tradingMode: "TRADING_MODE_NO_TRADING" })],
  [changed({}, pending)],
  [digest("quiet hours")],
  [digest("catch-up")],
  [digest("held")],
  [{ ...digest("quiet hours"), episodes: [episodeOf("node.down", true, over)] }],
  [rolling],
  [{ ...rolling, total: 500 }],
  [{ ...node, phase: "escalation", episode: episodeOf("node.down", true, { severity: "critical", escalated }) }],
  [{ ...node, phase: "reminder", reminder: { number: 2, of: 4 } }],
  [{ ...node, phase: "state", episode: episodeOf("node.down", true, { acknowledged: taken }) }],
  [{ ...node, phase: "trigger", already: "silence", guidance: GUIDANCE }],
  [{ ...node, phase: "trigger", drill: true, simulated: true }],
  [{ ...node, phase: "trigger" }, { plain: true }],
  [{ ...node, phase: "trigger" }, { twice: true }],
  [
    { ...node, phase: "trigger" },
    { plain: true, outdated: true },
  ],
  [{ type: "event", event: eventOf("checkpoint.new") }, { repeat: true }],
  [unacknowledged({})],
  [unacknowledged({ acknowledged: taken })],
  [unacknowledged(over)],
  [{ ...calm, episodes: 1, open: true }],
  // As of versions that did not know when the last one ended.
  [{ ...calm, episodes: 7, open: false }],
  [{ ...calm, episodes: 7, open: false, until: later, critical: true }],
  noticed([
    { ...calm, episodes: 1, open: true },
    { ...calm, subject: NASTY, episodes: 7, open: true },
  ]),
  noticed(
    Array.from({ length: 12 }, (_, index) => ({
      ...calm,
      kind: "market.auction",
      subject: `m${index + 1}`,
      label: `M${index + 1}/USD`,
      episodes: 7,
      open: false,
      until: later,
    })),
  ),
  [{ type: "flapping", episode: episodeOf("node.down"), episodes: 4, withinMillis: 1_800_000 }],
  noticed([
    { type: "flapping", episode: episodeOf("node.down"), episodes: 4, withinMillis: 1_800_000 },
    {
      type: "flapping",
      episode: episodeOf("node.down", true, { subject: NASTY }),
      episodes: 5,
      withinMillis: 1_800_000,
    },
  ]),
  noticed(
    Array.from({ length: 12 }, (_, index) => ({
      type: "flapping",
      episode: auctionOf(index + 1),
      episodes: 4,
      withinMillis: 1_800_000,
    })),
  ),
  ...serviceMessages,
];
