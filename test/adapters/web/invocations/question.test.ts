import { expect, test } from "vitest";

import { runQuestion } from "../../../../src/adapters/web/invocations/question.ts";
import { BotStopping } from "../../../../src/errors.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { fakeBot } from "../harness.ts";

test.each([
  ["the bot stops", new BotStopping(), "The bot is being restarted", "network"],
  ["the asker leaves", undefined, "Cancelled", "caller"],
])("a command that goes on when %s is answered for", async (_when, reason, title, failure) => {
  const bot = fakeBot(() => new Promise(() => undefined));
  const timeouts = { totalMillis: 60_000, graceMillis: 1 };
  const answer = await runQuestion(bot, { text: "slow" }, { gone: AbortSignal.abort(reason), timeouts });
  expect([plainText(answer.title), answer.failure]).toEqual([title, failure]);
});
