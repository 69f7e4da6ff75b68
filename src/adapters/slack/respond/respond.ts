import type { Prepared, Visibility } from "../../../bot/invocation.ts";
import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { SlackContext } from "../context.ts";
import { compose, withSmallPrint } from "../render/compose.ts";
import { describeError, logFailure } from "../transport/api-error.ts";
import { Answer } from "./answer.ts";
import { audienceOf, isManagementCommand, prepare } from "./invocation.ts";
import { lostAnswerNotice, notInChannelNotice, progressFootnote, stoppingNotice, workingNotice } from "./notices.ts";
import { Progress } from "./progress.ts";
import type { RequestContext } from "./request-context.ts";
import { DirectMessageResponder } from "./responders.ts";
import { RetriesExhausted, type RetryableAnswer } from "./retry-answer.ts";

/** Runs a question and answers it, whatever comes. Never rejects. */
export async function respond(desk: SlackContext, ask: Ask, origin: RequestContext): Promise<void> {
  await logFailure(desk, ask.command, async () => {
    const { channel, surface } = origin;
    if (channel !== undefined && surface.shared && isManagementCommand(desk, ask.command)) {
      desk.lastManagementRequests.note(channel, origin);
    }
    const prepared = prepare(desk, ask, origin, (latest) => progress.update(latest));
    const audience = audienceOf(desk, ask, origin, prepared);
    const progress = progressOf(desk, ask, origin, audience);
    let said: boolean;
    try {
      const reply = await runPrepared(prepared, progress, workingNotice(ask, surface.replacesProgress(audience)));
      // What was broken off is no answer: the question can be asked again as soon as the bot is back.
      const cut = desk.stopping.aborted && reply.failure !== undefined;
      said = await respondWith(desk, cut ? stoppingNotice(ask) : reply, ask, origin, audience);
    } finally {
      await surface.clearProgress();
    }
    if (!said) await notifyLostAnswer(desk, ask, origin);
  });
}

function progressOf(
  desk: SlackContext,
  ask: Ask,
  { caller, surface }: RequestContext,
  audience: Visibility,
): Progress<Reply> {
  const asked = desk.now();
  // A page stays as it is for a while: nothing is said yet where the first word would stand elsewhere.
  const skipped = surface.replacesMessage ? 1 : 0;
  const costly = surface.pace === "few" ? desk.progressAtMillis : desk.progressAtMillis.slice(0, 1);
  const last = costly.at(-1);
  const at = (index: number): number | undefined => {
    const turn = index + skipped;
    if (last === undefined) return undefined;
    return costly[turn] ?? last + (turn - costly.length + 1) * desk.progressEveryMillis;
  };
  return new Progress<Reply>(at, async (latest) => {
    try {
      const { body } = await compose(latest, { asker: caller.id }, desk);
      return await surface.showProgress(
        withSmallPrint(body, progressFootnote(asked, desk.now(), surface.expires)),
        audience,
      );
    } catch (error) {
      desk.log.debug({ platform: "slack", command: ask.command, why: describeError(error) }, "progress was not shown");
      return false;
    }
  });
}

async function runPrepared(prepared: Prepared, progress: Progress<Reply>, first: Reply): Promise<Reply> {
  if (!prepared.ok) return prepared.reply;
  progress.update(first);
  try {
    return await prepared.run();
  } finally {
    await progress.stop();
  }
}

/**
 * Says a reply where it belongs: errors to the asker alone, files beside it. False when Slack was away for too long;
 * rejects when Slack takes it nowhere. Without `ask`, it is a word of the adapter's own. Disposes of the reply.
 */
export async function respondWith(
  desk: SlackContext,
  reply: Reply,
  ask: Ask | undefined,
  origin: RequestContext,
  audience: Visibility,
): Promise<boolean> {
  const answer = new Answer(desk, { reply, ask, origin, audience });
  try {
    return await sayWithRetries(desk, ask?.command ?? "notice", answer);
  } finally {
    await disposeReply(reply);
  }
}

/** Tells whoever changed last what a channel is told that nothing can be posted there. Never rejects. */
export async function notifyNotInChannel(desk: SlackContext, channel: string): Promise<void> {
  const origin = desk.lastManagementRequests.take(channel);
  if (origin === undefined) return;
  await logFailure(desk, "notice", async () => {
    await respondWith(desk, notInChannelNotice(desk.botName()), undefined, origin, "caller");
  });
}

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
