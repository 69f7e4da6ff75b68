import { describe, expect, it } from "vitest";

import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { deliverySubject, isMerged, messageUrgency } from "../../../src/alerts/message/delivery-subject.ts";
import type { AlertMessage } from "../../../src/alerts/message/message.ts";
import type { Notice } from "../../../src/alerts/message/notice.ts";
import { anEpisode, aSubscription } from "../samples.ts";

const BEGAN = "1700000030000000000";
const LATER = "1700000060000000000";
const firing = anEpisode("network.stalled");
const critical = anEpisode("network.stalled", { severity: "critical", escalated: LATER });
const over = anEpisode("network.stalled", { state: "resolved", ended: LATER });
const checkpoint: AlertEvent = {
  kind: "checkpoint.new",
  network: "mainnet",
  subject: "",
  key: "1/h",
  at: LATER,
  atBlock: "1",
  hash: "h",
};
const forked: AlertEvent = {
  kind: "history.forked",
  network: "mainnet",
  subject: "",
  key: "1",
  at: LATER,
  what: "checkpoints",
  block: "1",
  lastBlock: "1",
  blocks: 1,
  field: "hash",
  before: [],
  beforeBy: [],
  after: [],
  afterBy: [],
};
const silence = { id: "s", from: 1, until: 2, by: "ada", created: 1 };
const at = LATER;

const condition = (phase: "trigger" | "escalation" | "reminder" | "resolve" | "state", episode = firing) =>
  ({ type: "condition", phase, episode }) as const;
const change = (of: Extract<AlertMessage, { type: "change" }>["change"]) =>
  ({ type: "change", by: "ada", at, change: of }) as const;
const digest = (more: Partial<Extract<AlertMessage, { type: "digest" }>>): AlertMessage => {
  return { type: "digest", reason: "held", network: "mainnet", events: [], episodes: [], ...more };
};
const rolling = (...events: AlertEvent[]): AlertMessage => {
  return { type: "rolling", kind: "checkpoint.new", network: "mainnet", day: "2024-06-03", total: 2, events };
};
const notice = (of: Notice) => ({ type: "notice", at, notice: of }) as const;
const token = (of: Extract<AlertMessage, { type: "token" }>["change"]) =>
  ({ type: "token", platform: "discord", why: "401", since: BEGAN, at, change: of }) as const;

const about = (text: string, message: AlertMessage, phase: string, of: string | undefined) =>
  [text, message, phase, of] as const;

describe("a delivery, for programs, is about", () => {
  it.each([
    about("network.stalled mainnet firing warning", condition("trigger"), "trigger", firing.id),
    about("network.stalled mainnet firing warning", condition("reminder"), "reminder", firing.id),
    about("network.stalled mainnet escalated critical", condition("escalation", critical), "escalation", firing.id),
    // The escalation was merged into the trigger, which is thus the first that is heard of it.
    about("network.stalled mainnet firing critical", condition("escalation", critical), "trigger", firing.id),
    about("network.stalled mainnet resolved warning", condition("resolve", over), "resolve", firing.id),
    about("network.stalled mainnet resolved warning", condition("resolve"), "resolve", firing.id),
    about("network.stalled mainnet resolved warning", condition("resolve"), "fired and resolved", firing.id),
    about("network.stalled mainnet resolved warning", condition("state", over), "state", firing.id),
    about("checkpoint.new mainnet event info", { type: "event", event: checkpoint }, "event", undefined),
    about("bot mainnet digest info", digest({}), "digest", undefined),
    about("bot mainnet digest info", digest({ events: [checkpoint] }), "digest", undefined),
    about("bot mainnet digest critical", digest({ episodes: [critical, over] }), "digest", undefined),
    about(
      "checkpoint.new mainnet digest info",
      digest({ reason: "catch-up", events: [checkpoint] }),
      "digest",
      undefined,
    ),
    about("checkpoint.new mainnet digest info", rolling(checkpoint), "rolling", undefined),
    about(
      "network.stalled mainnet digest warning",
      { type: "flapping", episode: firing, episodes: 4, withinMillis: 1 },
      "flapping",
      firing.id,
    ),
    about(
      "node.down mainnet a:1 digest info",
      {
        type: "calm",
        kind: "node.down",
        network: "mainnet",
        subject: "a:1",
        episodes: 4,
        since: BEGAN,
        open: true,
        at,
      },
      "calm",
      undefined,
    ),
    about("bot event info", { type: "away", from: BEGAN, to: LATER, late: [] }, "bot", undefined),
    about(
      "bot C1 event warning",
      notice({ about: "lost", platform: "slack", channel: "C1", why: "gone", subscriptions: 1, unsent: 0 }),
      "bot",
      undefined,
    ),
    about("bot slack event warning", notice({ about: "refused", platform: "slack", places: [] }), "bot", undefined),
    about("bot event critical", notice({ about: "database", what: "deleted", file: "b.db" }), "bot", undefined),
    about("bot discord firing critical", token({ what: "refused", waiting: 1, until: LATER }), "bot", undefined),
    about("bot discord firing critical", token({ what: "revoked", subscriptions: 1, unsent: 0 }), "bot", undefined),
    about(
      "bot discord resolved info",
      token({ what: "accepted", waiting: 0, subscriptions: 1, unsent: 0 }),
      "bot",
      undefined,
    ),
    about("bot discord resolved info", token({ what: "back", subscriptions: 1, unsent: 0 }), "bot", undefined),
    about("bot event warning", notice({ about: "silences", silences: [] }), "bot", undefined),
    about("bot event info", { type: "test", by: "ada", at }, "bot", undefined),
    about("bot mainnet event info", change({ what: "acknowledged", episode: firing }), "bot", firing.id),
    about("bot mainnet event info", change({ what: "added", subscription: aSubscription() }), "bot", undefined),
    about("bot mainnet event info", change({ what: "resumed", subscription: aSubscription() }), "bot", undefined),
    about(
      "bot testnet event info",
      change({ what: "silenced", silence: { ...silence, scope: { network: "testnet" } } }),
      "bot",
      undefined,
    ),
    about("bot event info", change({ what: "unsilenced", silence: { ...silence, scope: {} } }), "bot", undefined),
  ])("%s", (text, message, phase, episode) => {
    const { kind, network, subject, state, severity, ...rest } = deliverySubject(message, phase);
    expect([kind, network, subject, state, severity].filter((word) => word !== "").join(" ")).toBe(text);
    expect(rest.episode).toBe(episode);
  });

  it.each([
    ["firing", condition("trigger"), BEGAN],
    ["the end, in whichever message it is said", condition("trigger", over), LATER],
    ["the escalation", condition("escalation", critical), LATER],
    ["firing, where nothing says when it got worse", condition("escalation"), BEGAN],
    ["the end", condition("resolve", over), LATER],
    ["firing, where nothing says when it ended", condition("resolve"), BEGAN],
    ["the last end in a digest", digest({ episodes: [firing, over] }), LATER],
    ["the last event in a digest", digest({ events: [checkpoint], episodes: [firing] }), LATER],
    ["the last event in a rolling message", rolling({ ...checkpoint, at: BEGAN }, checkpoint), LATER],
    ["its only event", rolling(checkpoint), LATER],
    ["no time that is known", digest({ episodes: [firing] }), "0"],
  ])("the time of %s", (_of, message, time) => {
    expect(deliverySubject(message, message.type === "condition" ? message.phase : "digest").at).toBe(time);
  });

  it.each([
    ["a digest of nothing", digest({}), 0],
    ["a digest of what is never critical", digest({ events: [checkpoint] }), 0],
    ["a digest of which one may be critical", digest({ events: [checkpoint, forked] }), 2],
    ["what may be critical", { type: "event", event: forked }, 2],
    ["what is never critical", { type: "event", event: checkpoint }, 0],
    ["an alert that may be critical", condition("trigger"), 2],
    ["an alert that never is", condition("trigger", anEpisode("market.auction")), 1],
  ] as const)("how urgent %s is", (_what, message, urgency) => {
    expect(messageUrgency(message)).toBe(urgency);
  });

  it("a merged one, where its message is of another phase than its row", () => {
    expect(isMerged(condition("resolve"), { phase: "fired and resolved" })).toBe(true);
    expect(isMerged(condition("resolve"), { phase: "resolve" })).toBe(false);
    expect(isMerged(condition("state"), { phase: "trigger" })).toBe(false);
    expect(isMerged({ type: "test", by: "ada", at }, { phase: "trigger" })).toBe(false);
  });
});
