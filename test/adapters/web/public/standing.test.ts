import { expect, test } from "vitest";

import type { AlertJson } from "../../../../src/adapters/web/alerts/alert-json.ts";
import type { OpenAlert } from "../../../../src/adapters/web/alerts/watch.ts";
import { answerWords, beganWords, createStanding } from "../../../../src/adapters/web/public/standing.js";
import { replyToJson } from "../../../../src/reply/json.ts";
import { reply } from "../../../../src/reply/reply.ts";

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

const told = (episode: string, state: AlertJson["state"], more: Partial<AlertJson> = {}): AlertJson => ({
  id: `${episode} ${state}`,
  kind: "market.auction",
  network: "mainnet",
  subject: episode,
  state,
  severity: "warning",
  at: String(AT),
  episode,
  reply: NO_REPLY,
  ...more,
});

const names = (standing: ReturnType<typeof createStanding>): string[] => standing.open().map(({ episode }) => episode);

test("what is told to be over is not open, though the last look still had it", () => {
  const standing = createStanding();
  standing.look().saw([open("stall"), open("auction")]);
  standing.told(told("stall", "resolved"));
  expect(names(standing)).toEqual(["auction"]);
});

test("what is told to fire is open before a look has seen it", () => {
  const standing = createStanding();
  standing.told(told("stall", "firing"));
  expect(names(standing)).toEqual(["stall"]);
  standing.look().saw([]);
  expect(names(standing)).toEqual([]);
  standing.told(told("stall", "escalated", { severity: "critical" }));
  expect(standing.open()).toMatchObject([{ episode: "stall", severity: "critical", state: "firing" }]);
});

test("when it began is said as its message says it: at the latest then, where nobody looked before", () => {
  const began = "1717416000000000000";
  expect(beganWords({ began }, "UTC")).toBe("began 2024-06-03 12:00:00 UTC");
  expect(beganWords({ began, beganBefore: true }, "UTC")).toBe("began 2024-06-03 12:00:00 UTC at the latest");
  const standing = createStanding();
  standing.told(told("stall", "firing"));
  expect(standing.open()).toMatchObject([{ beganBefore: true }]);
  standing.look().saw([open("stall")]);
  expect(standing.open()).toEqual([open("stall")]);
});

test("what is told while a look is under way outlasts that look, and not the next", () => {
  const standing = createStanding();
  const first = standing.look();
  standing.told(told("stall", "resolved"));
  first.saw([open("stall")]);
  expect(names(standing)).toEqual([]);
  standing.look().saw([open("stall")]);
  expect(names(standing)).toEqual(["stall"]);
});

test("news about an episode says nothing of whether it is over", () => {
  const standing = createStanding();
  standing.look().saw([open("stall")]);
  standing.told(told("stall", "event"));
  standing.told(told("other", "digest"));
  expect(names(standing)).toEqual(["stall"]);
});

test("the worst stands first, then what nobody has acknowledged, then the newest", () => {
  const standing = createStanding();
  standing
    .look()
    .saw([
      open("info", { severity: "info", began: String(AT + 9n) }),
      open("seen", { acknowledged: { by: "ada", at: String(AT) }, began: String(AT + 8n) }),
      open("old"),
      open("new", { began: String(AT + 1n) }),
      open("critical", { severity: "critical" }),
    ]);
  expect(names(standing)).toEqual(["critical", "new", "old", "seen", "info"]);
});

test("a node that has no new block answers all the same", () => {
  expect(answerWords([{ state: "ok" }, { state: "lagging" }, { state: "down" }, { state: "unknown" }])).toBe(
    "2 of 4 answer",
  );
});
