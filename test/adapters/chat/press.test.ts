import { describe, expect, test } from "vitest";

import { decodePress as decodeDiscord } from "../../../src/adapters/discord/render/press.ts";
import {
  keptPress,
  keptReply,
  parsePressPayload,
  pressPayload,
  readPress,
  storePresses,
} from "../../../src/adapters/chat/press.ts";
import { decodePress as decodeSlack } from "../../../src/adapters/slack/render/press.ts";
import { silentLog } from "../../../src/log.ts";
import { replyToJson } from "../../../src/reply/json.ts";
import { reply } from "../../../src/reply/reply.ts";

const ask = { command: "time", options: {} };

test("each press is stored by itself: one that the store does not take costs no other", async () => {
  const payloads = {
    put: async (value: unknown) =>
      JSON.stringify(value).includes("stuck") ? new Promise<never>(() => {}) : `key of ${JSON.stringify(value)}`,
    get: async () => undefined,
  };
  const presses = [
    ["first", { kind: "files", ask }],
    ["second", { kind: "files", ask: { command: "stuck", options: {} } }],
    ["third", { kind: "question" }],
  ] as const;
  const keys = await storePresses("discord", presses, { payloads, log: silentLog(), ttlMillis: 1 });
  const keyOf = (press: (typeof presses)[number][1]): string => `key of ${JSON.stringify(pressPayload(press))}`;
  expect(Object.fromEntries(keys)).toEqual({ first: keyOf(presses[0][1]), third: keyOf(presses[2][1]) });
});

describe("a press that an earlier version stored", () => {
  const given = reply({ title: "Time", footer: "mainnet" });
  const { headline: _headline, ...shown } = replyToJson(given);
  const context = { asker: "1", ask, shareable: true };

  test.each([
    ["a select of Discord's", { v: "1", press: { kind: "choose", asks: [ask], effect: "reply" } }],
    ["a choice of Slack's", { v: 1, press: { kind: "choice", asks: [ask], effect: "reply" } }],
  ])("%s asks what was chosen", async (_what, payload) => {
    const payloads = { get: async () => payload, put: async () => "" };
    const read = await readPress(payloads, { kind: "stored", key: "k", at: 0 });
    expect(read).toEqual({ kind: "ask", ask, effect: "reply" });
    expect(await readPress(payloads, { kind: "stored", key: "k", at: 1 })).toBeUndefined();
  });

  test.each([
    ["Discord's", { v: "1", kept: { reply: replyToJson(given), ...context, at: 7 } }],
    ["Slack's", { v: 1, press: { kind: "share", shown, context, at: 7 } }],
  ])("a kept reply of %s is the one that is kept today", (_what, payload) => {
    const read = parsePressPayload(JSON.parse(JSON.stringify(payload)));
    expect(read).toEqual(parsePressPayload(JSON.parse(JSON.stringify(pressPayload(keptPress(given, context, 7))))));
    expect(read?.kind === "share" && keptReply(read)).toMatchObject({ title: given.title, footer: given.footer });
  });

  test.each([undefined, null, {}, { v: "0", press: { kind: "question" } }, { v: "1", press: { kind: "x" } }])(
    "of another make is not understood",
    (payload) => {
      expect(parsePressPayload(payload)).toBeUndefined();
    },
  );

  test("has its key in the button", () => {
    const stored = { kind: "stored", key: "k" };
    expect(["1k0:k", "1s1:k", "1d2:k", "1l3:k"].map(decodeDiscord)).toEqual(
      [undefined, undefined, "whole", "folded"].map((show) => ({ ...stored, show })),
    );
    const values = [
      '{"v":1,"key":"k"}',
      '{"v":1,"key":"k","show":"whole"}',
      '{"v":1,"key":"k","show":"folded"}',
      "k:3",
    ];
    expect(values.map(decodeSlack)).toEqual([
      { ...stored, show: undefined },
      { ...stored, show: "whole" },
      { ...stored, show: "folded" },
      { ...stored, at: 3 },
    ]);
  });
});
