import { expect, it } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../../src/alerts/alerts-config.ts";
import {
  joinRules,
  LONGEST_GROUPING,
  type PlannedDelivery,
  SLOW_TO_FOLLOW,
} from "../../../../src/alerts/deliver/outbox/batch.ts";
import type { ConditionKind } from "../../../../src/alerts/judge/kinds/kinds.ts";
import type { AlertMessage } from "../../../../src/alerts/message/message.ts";
import { anEpisode } from "../../samples.ts";
import { ops } from "./owed.ts";

const alert = (kind: ConditionKind, subject = "a", more: object = {}): AlertMessage => ({
  type: "condition",
  phase: "trigger",
  episode: anEpisode(kind, { network: "mainnet", subject }),
  ...more,
});
const version = {
  kind: "node.version",
  network: "mainnet",
  subject: "a",
  key: "a",
  at: "1",
  before: {},
  after: {},
} as const;
const digest: AlertMessage = {
  type: "digest",
  reason: "catch-up",
  network: "mainnet",
  events: [version],
  episodes: [],
};
const calm = {
  type: "calm",
  kind: "node.down",
  network: "mainnet",
  subject: "a",
  episodes: 4,
  since: "1",
  open: false,
  at: "1",
} as const;
const day: AlertMessage = {
  type: "rolling",
  kind: "checkpoint.new",
  network: "mainnet",
  day: "2024-06-03",
  total: 0,
  events: [],
};

const { within } = DEFAULT_ALERTS_CONFIG.group;
const halt = (after: number) => ({ key: "halt mainnet", after });
const MIDNIGHT = Date.UTC(2024, 5, 4);

/** The rule of a delivery. */
function ruleOf(message: AlertMessage, more: Partial<PlannedDelivery> = {}, console = false) {
  const planned = { id: "d", destination: ops, phase: "trigger", message, ...more } as const;
  const where = { config: DEFAULT_ALERTS_CONFIG, ...(console ? { console: ops } : {}) };
  return joinRules(where)(planned);
}

it.each<[string, AlertMessage, Partial<PlannedDelivery>, PlannedDelivery["joins"]]>([
  ["a halt begins", alert("network.stalled", ""), {}, { key: "halt mainnet" }],
  ["the rest of a halt", alert("network.stalled", ""), { phase: "resolve" }, undefined],
  [
    "a node in a halt",
    alert("node.down"),
    {},
    { cause: halt(0), key: "trigger node.down mainnet warning", within: SLOW_TO_FOLLOW },
  ],
  ["a version", { type: "event", event: version }, { phase: "event" }, { cause: halt(600_000) }],
  ["many versions", digest, { phase: "digest" }, { cause: halt(600_000) }],
  ["what is held", digest, { phase: "digest", heldUntil: 9 }, { key: "held mainnet", until: 0 }],
  [
    "another subject",
    alert("market.auction"),
    { mention: "R1" },
    { key: "trigger market.auction mainnet warning R1", within },
  ],
  ["a reminder", alert("market.auction"), { phase: "reminder" }, undefined],
  ["an edit", alert("market.auction"), { edits: "card" }, undefined],
  [
    "a short post",
    alert("market.auction"),
    { cardOf: "card", phase: "escalation" },
    { key: "escalation market.auction mainnet warning", until: 0 },
  ],
  ["the end on a card", alert("node.down"), { cardOf: "card", phase: "resolve" }, undefined],
  ["a drill", alert("node.down", "a", { drill: true }), {}, undefined],
  ["calm", calm, { phase: "calm" }, { key: "calm node.down mainnet", within: LONGEST_GROUPING }],
  ["no flapping", { ...calm, open: true }, {}, { key: "steady node.down mainnet", within: LONGEST_GROUPING }],
  ["calm of a network", { ...calm, subject: "" }, {}, undefined],
  ["a day's events", day, { phase: "rolling" }, { key: "day checkpoint.new mainnet 2024-06-03", until: MIDNIGHT }],
])("the table says what joins what: %s", (_what, message, more, rule) => {
  expect(ruleOf(message, more)).toEqual(rule);
});

it("the console lists each alert by itself, and its lists grow", () => {
  expect(ruleOf(alert("market.auction"), {}, true)).toBeUndefined();
  expect(ruleOf(digest, {}, true)).toBeUndefined();
  expect(ruleOf(digest, { heldUntil: 9 }, true)).toEqual({ key: "held mainnet", until: 0 });
  expect(ruleOf(day, {}, true)?.key).toMatch(/^day/u);
});
