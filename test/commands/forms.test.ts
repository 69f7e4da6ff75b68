import { describe, expect, test } from "vitest";

import type { Fault } from "../../src/bot/invocation.ts";
import type { Ask } from "../../src/reply/reply.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { ann, OPS, talkInOps } from "./alert-channel.ts";

type Values = Ask["options"];
type Talk = Awaited<ReturnType<typeof talkInOps>>;

const signal = new AbortController().signal;

/** What a form answers: the faults that are known at once, or that show while it runs; else the title. */
async function submit({ bot }: Talk, command: string, options: Values): Promise<readonly Fault[] | string> {
  const submitted = await bot.submit({ command, options, here: OPS, caller: ann, signal });
  if (!submitted.ok) return submitted.faults;
  const { reply, faults } = await submitted.run();
  return faults.length > 0 ? faults : plainText(reply.title);
}

/** What is kept: forms with faults change none of it. */
async function kept({ engine }: Talk) {
  return { subscriptions: await engine.subscriptions(), silences: await engine.silences() };
}

/** A word for an option as only a line has it: `for:2h`, `--for`, `critical-for`. */
const LINE_WORDS = /\b[a-z-]+:[^\s/]|--[a-z]|\bcritical-for\b|\bat-least\b|:$/u;

const WRONG: readonly [command: string, options: Values, option: string, sentence: RegExp][] = [
  ["alerts add", { kinds: "node.dwn" }, "kinds", /“node.dwn” is no kind of alert.*Did you mean node.down/u],
  ["alerts add", { kinds: "market.price", subjects: "BTC/USDT", high: "cheap" }, "high", /^“Above” is a number/u],
  ["alerts add", { kinds: "market.price", subjects: "BTC/USDT", low: "-5" }, "low", /^“Below” is above zero/u],
  [
    "alerts add",
    { kinds: "market.price", subjects: "BTC/USDT", high: "5%" },
    "high",
    /^“Above” is a price, not a perc/u,
  ],
  ["alerts add", { kinds: "market.price", subjects: "BTC/USDT", high: "2m" }, "high", /Did you mean 2M \(2,000,000\)/u],
  ["alerts add", { kinds: "market.price", subjects: "BTC/USDT" }, "high", /“Above”, “Below”, or both/u],
  ["alerts add", { kinds: "market.price", high: "5" }, "subjects", /market.price needs a market/u],
  ["alerts add", { kinds: "market.price", subjects: "FOO/BAR", high: "5" }, "subjects", /FOO\/BAR/u],
  ["alerts add", { for: "2" }, "for", /^“Told after” is a span of time, not “2”/u],
  ["alerts add", { for: "5m", "critical-for": "1m" }, "critical-for", /^“Critical after” \(1 min\) is shorter/u],
  ["alerts add", { rounds: "0" }, "rounds", /^“Looks in a row” cannot be “0”/u],
  ["alerts add", { quiet: "late" }, "quiet", /^“Quiet hours” is from when to when, not “late”/u],
  ["alerts add", { quiet: "22:00-07:00", zone: "Mars" }, "zone", /“Mars” is no time zone/u],
  ["alerts add", { zone: "Europe/Berlin" }, "zone", /as in “Quiet hours” 22:00-07:00 “Time zone” Europe\/Berlin/u],
  ["alerts add", { mention: "nobody at all" }, "mention", /nobody at all/u],
  ["alerts add", { runbook: "wiki/down" }, "runbook", /“wiki\/down” is no runbook/u],
  ["alerts silence", { for: "5" }, "for", /^“For how long” is a span of time, not “5”/u],
  ["alerts silence", { what: "all" }, "for", /^Silence for how long\? Say how long, or until when/u],
  ["alerts silence", { for: "1h", until: "tomorrow" }, "until", /^“For how long” and “Ends” both say/u],
  ["alerts silence", { for: "1h", from: "2020-01-01" }, "from", /Leave “Begins” out/u],
  ["alerts silence", { for: "1h", from: "never" }, "from", /^“Begins” is a time, not “never”/u],
  ["alerts silence", { what: "the moon", for: "1h" }, "what", /“the moon” is no episode/u],
  ["my zone", { zone: "Mars" }, "zone", /“Mars” is no time zone/u],
  ["my zone", {}, "zone", /^This is needed/u],
  ["market show", { market: "FOO/BAR" }, "market", /FOO\/BAR/u],
  ["alerts edit", { id: "zzzzz", severity: "warning" }, "id", /There is no subscription “zzzzz” here/u],
];

describe("a form", () => {
  test.each(WRONG)(
    "of %s with %j names the wrong field in its words, and keeps nothing",
    async (command, options, option, sentence) => {
      const talk = await talkInOps();
      const faults = await submit(talk, command, options);
      expect(faults).toMatchObject([{ option, sentence: expect.stringMatching(sentence) as string }]);
      for (const fault of faults as readonly Fault[]) expect(fault.sentence).not.toMatch(LINE_WORDS);
      expect(await kept(talk)).toMatchObject({ subscriptions: [], silences: [] });
    },
  );

  test("names every value that is wrong by itself", async () => {
    const talk = await talkInOps();
    const faults = await submit(talk, "alerts add", {
      kinds: "nod",
      for: "2",
      rounds: "x",
      quiet: "late",
      zone: "Mars",
    });
    expect((faults as readonly Fault[]).map(({ option }) => option)).toEqual([
      "kinds",
      "for",
      "rounds",
      "quiet",
      "zone",
    ]);
  });

  test.each([
    ["70,000", "70000"],
    ["1.5k", "1500"],
    ["0.123456789012345678", "0.123456789012345678"],
  ])("takes %s as a price, exactly, as a typed line does", async (typed, high) => {
    const talk = await talkInOps();
    await submit(talk, "alerts add", { kinds: "market.price", subjects: "BTC/USDT", high: typed });
    await talk.ask(`alerts add market.price ETH/USDT high:${typed}`);
    const [form, line] = await talk.engine.subscriptions();
    expect(form?.parameters).toEqual({ "market.price": { high } });
    expect(line?.parameters).toEqual(form?.parameters);
  });

  test("that changes nothing says so", async () => {
    const talk = await talkInOps();
    await submit(talk, "alerts add", { kinds: "node.down" });
    const [one] = await talk.engine.subscriptions();
    expect(await submit(talk, "alerts edit", { id: one?.id ?? "" })).toContain("Nothing changed");
  });
});
