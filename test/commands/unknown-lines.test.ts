import { expect, test } from "vitest";

import { plainText } from "../../src/reply/plain-text.ts";

import { linesOf, saying } from "../support/said.ts";
import { talkToSimulator } from "./conversation.ts";

test.each(["hallo", "¿qué tal?", "bonjour à tous", "你好", "wie geht es dem Netzwerk?"])(
  "whoever types %s is offered lines to press that all answer",
  async (line) => {
    const talk = await talkToSimulator();
    expect(await talk.ask(line)).toMatch(saying("!", line.toLowerCase().split(" ")[0] ?? "", "help"));
    const lines = linesOf(talk.lastReply);
    expect(lines).toEqual(["time", "market list", "alerts status", "help"]);
    for (const one of lines) {
      await talk.ask(one);
      expect(talk.lastReply.failure).toBeUndefined();
    }
  },
);

test.each(["how do I bake bread", "who won the match?"])(
  "the question %s, which no command answers, has the same lines to press",
  async (line) => {
    const talk = await talkToSimulator();
    const reply = await talk.askFor(line);
    expect(reply.failure).toBe("caller");
    expect(linesOf(reply)).toEqual(expect.arrayContaining(["time", "market list", "alerts status", "help"]));
  },
);

test("a slip in a word that leads on to a command offers that command", async () => {
  const talk = await talkToSimulator();
  expect(linesOf(await talk.askFor("stauts"))).toEqual(["time"]);
});

test("a market that does not exist offers those of the same base, an unknown party the largest stakes", async () => {
  const talk = await talkToSimulator();
  expect(linesOf(await talk.askFor("market show DOGE/XYZ"))).toEqual([expect.stringContaining("market:DOGE/USDT")]);
  expect(linesOf(await talk.askFor("stake abcdef123"))).toEqual([expect.stringContaining("party:all")]);
});

test("last month is the range of an export, and the asset left out is asked for", async () => {
  const talk = await talkToSimulator();
  for (const range of ["last month", "this month", "last week"]) {
    const reply = await talk.askFor(`ledger export ${"73b5b6f2".repeat(8)} ${range}`);
    expect(plainText(reply.title)).toMatch(/which asset\?$/u);
    expect(linesOf(reply).filter((line) => line.includes(`from:"${range}"`)).length).toBeGreaterThan(2);
  }
});
