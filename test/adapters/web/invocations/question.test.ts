import { expect, test } from "vitest";

import { runQuestion } from "../../../../src/adapters/web/invocations/question.ts";
import { BotStopping } from "../../../../src/errors.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { fakeBot } from "../harness.ts";

test.each([
  ["the bot stops", new BotStopping(), "network"],
  ["the asker leaves", undefined, "caller"],
])("a command that goes on when %s is answered for", async (_when, reason, failure) => {
  const bot = fakeBot(() => new Promise(() => undefined));
  const timeouts = { totalMillis: 60_000, graceMillis: 1 };
  const answer = await runQuestion(bot, { text: "slow" }, { gone: AbortSignal.abort(reason), timeouts });
  expect(answer).toMatchObject({ tone: "warning", failure });
});

test("what an address asks is told to the bot from what somebody types", async () => {
  const bot = fakeBot(() => reply({ title: "Answered" }));
  const how = { gone: new AbortController().signal, timeouts: { totalMillis: 60_000, graceMillis: 1 } };
  await runQuestion(bot, { text: "market list", again: true }, how);
  await runQuestion(bot, { text: "market list" }, how);
  expect(bot.asked.map(({ again }) => again)).toEqual([true, undefined]);
});
