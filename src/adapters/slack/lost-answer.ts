import type { Ask } from "../../reply/reply.ts";
import { Answer } from "./answer.ts";
import type { SlackContext } from "./desk.ts";
import { DirectMessageResponder } from "./direct-surface.ts";
import { RetriesExhausted, type RetryableAnswer } from "./insist.ts";
import { lostAnswerNotice } from "./notices.ts";
import type { RequestContext } from "./origin.ts";

/** Whether something was said within the time that it is insisted on for; rejects with what else is wrong. */
export async function sayWithRetries(desk: SlackContext, what: string, saying: RetryableAnswer): Promise<boolean> {
  try {
    await desk.answerRetrier.say(what, saying);
    return true;
  } catch (error) {
    if (!(error instanceof RetriesExhausted)) throw error;
    desk.log.error({ platform: "slack", what, why: error.message }, "an answer is given up");
    return false;
  }
}

/**
 * Tells in direct messages, once Slack is back, that an answer was given up: the answer itself is not kept for that long,
 * since it may hold files and goes out of date. Rejects when Slack takes that nowhere, either.
 */
export async function notifyLostAnswer(desk: SlackContext, ask: Ask, origin: RequestContext): Promise<void> {
  const direct = { ...origin, surface: new DirectMessageResponder(desk, origin.caller.id) };
  const notice = lostAnswerNotice(desk.command, ask);
  const word = new Answer(desk, { reply: notice, ask, origin: direct, audience: "caller" });
  await desk.lostNoticeRetrier.say(ask.command, word);
}
