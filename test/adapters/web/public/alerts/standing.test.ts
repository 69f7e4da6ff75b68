import { expect, test } from "vitest";

import type { AlertJson } from "../../../../../src/adapters/web/alerts/alert-json.ts";
import type { OpenAlert } from "../../../../../src/adapters/web/alerts/watch.ts";
import {
  answerWords,
  beganWords,
  byDay,
  cardKey,
  clockOf,
  createStanding,
} from "../../../../../src/adapters/web/public/alerts/standing.js";
import { replyToJson } from "../../../../../src/reply/json.ts";
import { reply } from "../../../../../src/reply/reply.ts";

const AT = 1_717_416_000_000_000_000n;
const NO_REPLY = replyToJson(reply({ title: "unread" }), () => undefined);

const open = (episode: string, more: Partial<OpenAlert> = {}): OpenAlert => ({
  episode,
  kind: "market.auction",
  network: "mainnet",
  subject: episode,
  severity: "warning",
  state: "firing",
  began: String(AT),
  ...more,
});

const delivered = (episode: string, state: AlertJson["state"], more: Partial<AlertJson> = {}): AlertJson => ({
  id: `${episode} ${state}`,
  kind: "market.auction",
  network: "mainnet",
  subject: episode,
  state,
  severity: "warning",
  at: String(AT),
  episode,
  noun: "auctions",
  reply: NO_REPLY,
  ...more,
});

const names = (standing: ReturnType<typeof createStanding>): string[] => standing.open().map(({ episode }) => episode);

test("a resolved alert is not open, though the last observation still had it", () => {
  const standing = createStanding();
  standing.beginRequest().received([open("stall"), open("auction")]);
  standing.add(delivered("stall", "resolved"));
  expect(names(standing)).toEqual(["auction"]);
});

test("a firing alert is open before an observation has it", () => {
  const standing = createStanding();
  standing.add(delivered("stall", "firing"));
  expect(names(standing)).toEqual(["stall"]);
  standing.beginRequest().received([]);
  expect(names(standing)).toEqual([]);
  standing.add(delivered("stall", "escalated", { severity: "critical" }));
  expect(standing.open()).toMatchObject([{ episode: "stall", severity: "critical", state: "firing" }]);
});

test("what the bot says of itself has a card for each message; events of a kind share one", () => {
  const event = (more: Partial<AlertJson>): string => {
    const { episode: _, ...rest } = delivered("x", "event", { network: "", subject: "", ...more });
    return cardKey(rest);
  };
  expect(event({ id: "1", kind: "bot" })).not.toBe(event({ id: "2", kind: "bot" }));
  expect(event({ id: "1", kind: "checkpoint.new" })).toBe(event({ id: "2", kind: "checkpoint.new" }));
});

test("when it began is said as its message says it: at the latest then, where there was no observation before", () => {
  const began = "1717416000000000000";
  expect(beganWords({ began }, "UTC")).toMatch(/2024-06-03 12:00:00 UTC$/u);
  expect(beganWords({ began, beganBefore: true }, "UTC")).toMatch(/2024-06-03 12:00:00 UTC .+$/u);
  const standing = createStanding();
  standing.add(delivered("stall", "firing"));
  expect(standing.open()).toMatchObject([{ beganBefore: true }]);
  standing.beginRequest().received([open("stall")]);
  expect(standing.open()).toEqual([open("stall")]);
});

test("an alert that comes during an observation outlasts that one, and not the next", () => {
  const standing = createStanding();
  const first = standing.beginRequest();
  standing.add(delivered("stall", "resolved"));
  first.received([open("stall")]);
  expect(names(standing)).toEqual([]);
  standing.beginRequest().received([open("stall")]);
  expect(names(standing)).toEqual(["stall"]);
});

test("an update of an episode does not decide whether it is open", () => {
  const standing = createStanding();
  standing.beginRequest().received([open("stall")]);
  standing.add(delivered("stall", "event"));
  standing.add(delivered("other", "digest"));
  expect(names(standing)).toEqual(["stall"]);
});

test("the order is that of the state, and what came since stands before it", () => {
  const standing = createStanding();
  standing.beginRequest().received([open("critical"), open("info", { severity: "info" })]);
  standing.add(delivered("new", "firing"));
  expect(names(standing)).toEqual(["new", "critical", "info"]);
});

test("a node that has no new block answers all the same", () => {
  expect(answerWords([{ state: "ok" }, { state: "lagging" }, { state: "down" }, { state: "unknown" }])).toBe(
    "2 of 4 answer",
  );
});

test("what is earlier stands by the reader's day, newest first, with the time of their clock", () => {
  const card = (hours: number, state: AlertJson["state"] = "resolved") => ({
    alert: { at: String(AT + BigInt(hours) * 3_600_000_000_000n), kind: "market.auction" as const, state },
  });
  // 12:00, 23:00 and 22:00 UTC: the second is the next day in Zurich.
  const cards = [card(0), card(11), card(9)];
  expect(byDay(cards, "UTC")).toEqual([{ day: "Monday, 2024-06-03", rows: [[cards[1], cards[2], cards[0]]] }]);
  const event = card(10, "event");
  // Of those that are over three or more fold, at the place of the newest.
  expect(byDay([...cards, event], "UTC")[0]?.rows).toEqual([[cards[1], cards[2], cards[0]], [event]]);
  expect(byDay(cards, "Europe/Zurich").map(({ day, rows: { length } }) => [day, length])).toEqual([
    ["Tuesday, 2024-06-04", 1],
    ["Monday, 2024-06-03", 2],
  ]);
  const clock = clockOf(cards[1]!.alert.at, "Europe/Zurich");
  expect(clock).toMatchObject({
    tag: "time",
    attrs: { datetime: "2024-06-03T23:00:00.000Z", title: "2024-06-03 23:00:00 UTC" },
    children: ["01:00"],
  });
});
