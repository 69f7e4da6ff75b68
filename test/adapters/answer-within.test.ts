import { expect, test } from "vitest";

import { type UserInteraction, targetOf as onDiscord } from "../../src/adapters/discord/respond/interaction.ts";
import { targetOf as onSlack } from "../../src/adapters/slack/respond/invocation.ts";
import { CONSOLE_CONTEXT } from "../../src/adapters/web/invocations/question.ts";
import type { Target } from "../../src/bot/invocation.ts";

const MINUTE = 60_000;
const interaction = { type: 2, user: { id: "5" }, context: 1, channel: { id: "900" } } as unknown as UserInteraction;

// https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages: 15 minutes.
// https://docs.slack.dev/interactivity/handling-user-interaction/#message_responses: 30 minutes.
test.each<[string, Target, number]>([
  ["Discord", onDiscord(interaction), 15 * MINUTE],
  ["Slack", onSlack({ workspace: undefined, channel: undefined }), 30 * MINUTE],
  ["the console", CONSOLE_CONTEXT.here, 30 * MINUTE],
])("on %s a long answer is announced in time, with a minute left for it", (_name, { answerWithin }, lifetime) => {
  expect(answerWithin).toBeGreaterThan(lifetime / 2);
  expect(answerWithin).toBeLessThanOrEqual(lifetime - MINUTE);
});
