// Answers commands, mentions, forms and buttons: runs a command, shows its progress, sends the answer. Next:
// bolt-app.ts (routes each event to its handler: command-handler.ts, form-handler.ts, button-handler.ts),
// request-context.ts and responders.ts (where an answer goes), answer.ts, retry-answer.ts (how long an answer is
// retried), notices.ts (the adapter's own texts).

import type { Visibility } from "../../../bot/invocation.ts";
import { type Ask, disposeReply, reply, type Reply } from "../../../reply/reply.ts";
import type { OpenAnswer } from "../../chat/open-answers.ts";
import { Progress, type Shown } from "../../progress.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { SlackContext } from "../context.ts";
import { compose, withSmallPrint } from "../render/compose.ts";
import { describeError, logFailure } from "../transport/api-error.ts";
import { createAnswer } from "./answer.ts";
import { audienceOf, isManagementCommand, prepare } from "./invocation.ts";
import { lostAnswerNotice, notInChannelNotice, progressFootnote, stoppingNotice, workingNotice } from "./notices.ts";
import type { RequestContext, Responder } from "./request-context.ts";
import { directMessageResponder } from "./responders.ts";
import { isTransient } from "./retry-answer.ts";

/** Runs a command and answers it, errors included. Never rejects. */
export async function respond(slack: SlackContext, ask: Ask, request: RequestContext): Promise<void> {
  await logFailure(slack, ask.command, async () => {
    const { channel, responder } = request;
    if (channel !== undefined && responder.shared === true && isManagementCommand(slack, ask.command)) {
      slack.lastManagementRequests.set(channel, request);
    }
    await answerBy(slack, ask, request, async (reply, audience, progress) => {
      if (reply.alone !== undefined && audience === "channel") {
        await progress.stop();
        await respondAlone(slack, reply.alone, request);
        return true;
      }
      const delivered = await respondWith(slack, reply, ask, request, audience, progress);
      if (delivered) void amend(slack, reply, ask, request, audience);
      return delivered;
    });
  });
}

/** Answers to the asker alone what others may not see, though it was asked for everybody. Never rejects. */
export function respondAlone(slack: SlackContext, ask: Ask, request: RequestContext): Promise<void> {
  return respond(slack, ask, { ...request, openly: false, audience: "caller" });
}

/**
 * Shows what an answer becomes later: in its place, or where Slack does not edit it, what is added alone, to whoever asked.
 * Never rejects.
 */
async function amend(
  slack: SlackContext,
  { later, actions }: Reply,
  ask: Ask,
  request: RequestContext,
  audience: Visibility,
): Promise<void> {
  const whole = await later?.(slack.stopping);
  if (whole?.added === undefined) return;
  const isEdited = request.responder.amends?.(audience) !== false;
  const alone = reply({ title: whole.added, actions: whole.actions.slice(actions.length) });
  const answer = isEdited
    ? { reply: whole, ask, audience }
    : { reply: alone, ask: undefined, audience: "caller" as const };
  try {
    await createAnswer(slack, { ...answer, request }).sayHere(false);
  } catch (error) {
    slack.log.debug({ platform: "slack", command: ask.command, why: describeError(error) }, "answer not amended");
  }
}

/**
 * Runs a command and shows its progress. `deliver` answers, and disposes of the reply; false where Slack was unavailable
 * for too long.
 */
export async function answerBy(
  slack: SlackContext,
  ask: Ask,
  request: RequestContext,
  deliver: (reply: Reply, audience: Visibility, progress: Progress) => Promise<boolean>,
): Promise<void> {
  const { responder } = request;
  await slack.openAnswers.during(openingOf(slack, ask, request), async (open) => {
    let audience: Visibility = "caller";
    const progress = progressOf(slack, ask, request, () => audience, open);
    const { started } = request;
    const prepared = started?.prepared ?? prepare(slack, ask, request, (latest) => progress.update(latest));
    audience = audienceOf(slack, ask, request, prepared);
    let delivered: boolean;
    try {
      if (prepared.ok) progress.update(firstNotice(slack, ask, responder, audience));
      started?.follow((latest) => progress.update(latest));
      const reply = await prepared.run();
      // An interrupted command can be repeated once the bot is back.
      const interrupted = slack.stopping.aborted && reply.failure !== undefined;
      await open.answering();
      delivered = await deliver(interrupted ? stoppingNotice(ask) : reply, audience, progress);
    } finally {
      await progress.stop();
      await responder.clearProgress?.();
    }
    if (!delivered) await notifyLostAnswer(slack, ask, request);
  });
}

/** What closes the answer to a request after a crash. */
function openingOf({ stopping }: SlackContext, ask: Ask, request: RequestContext) {
  const { caller, channel, responder, thread, workspace } = request;
  const { id, name } = caller;
  const content = () => ({ v: 1, ask, asker: { id, name }, workspace, channel, thread, place: responder.place() });
  return { workspace, content, stopping };
}

/** The first progress message. */
function firstNotice(slack: SlackContext, ask: Ask, responder: Responder, audience: Visibility): Reply {
  const { network = slack.bot.networks[0] } = ask.options;
  return workingNotice(ask, String(network), responder.replacesProgress?.(audience) === false);
}

/** Shows how far a request is, at the moments that its place allows; what closes its answer is then noted anew. */
function progressOf(
  slack: SlackContext,
  ask: Ask,
  { caller, responder }: RequestContext,
  audience: () => Visibility,
  open: OpenAnswer,
): Progress {
  const asked = slack.now();
  // If the answer replaces a page, the first progress message would appear elsewhere: it is skipped.
  const skipped = responder.replacesMessage === true ? 1 : 0;
  const { kind } = responder.place();
  // At first each progress message of a command costs one of a few uses.
  const costly = kind === "command" ? slack.progressAtMillis : slack.progressAtMillis.slice(0, 1);
  const last = costly.at(-1);
  const pause = ({ times, begunMillis }: Shown): Milliseconds | undefined => {
    const turn = times + skipped;
    if (last === undefined) return undefined;
    return (costly[turn] ?? last + (turn - costly.length + 1) * slack.progressEveryMillis) - begunMillis;
  };
  return new Progress(pause, async (latest) => {
    try {
      const context = { asker: caller.id, command: slack.command, inView: kind === "view" };
      const { body } = await compose(latest, context, slack);
      const footnote = progressFootnote(asked, slack.now(), kind === "command" || kind === "button");
      await responder.showProgress(withSmallPrint(body, footnote), audience());
      open.changed();
      return true;
    } catch (error) {
      slack.log.debug({ platform: "slack", command: ask.command, why: describeError(error) }, "progress not shown");
      return isTransient(error);
    }
  });
}

/**
 * Sends a reply with its files, whose upload `progress` shows; errors go to the asker alone. Returns false when Slack was
 * unavailable for too long; rejects when Slack refuses it everywhere. Without `ask`, it is a notice of the adapter's own.
 * Disposes of the reply.
 */
export async function respondWith(
  slack: SlackContext,
  reply: Reply,
  ask: Ask | undefined,
  request: RequestContext,
  audience: Visibility,
  progress?: Progress,
): Promise<boolean> {
  const answer = createAnswer(slack, { reply, ask, request, audience, progress });
  try {
    return await slack.sendAnswer(ask?.command ?? "notice", answer);
  } finally {
    await disposeReply(reply);
  }
}

/** Notifies the user who last changed a channel's alerts that the bot cannot post there. Never rejects. */
export async function notifyNotInChannel(slack: SlackContext, channel: string): Promise<void> {
  const asked = slack.lastManagementRequests.get(channel);
  slack.lastManagementRequests.delete(channel);
  if (asked === undefined) return;
  await logFailure(slack, "notice", async () => {
    const request = { ...asked, responder: asked.responder.forFollowUp?.() ?? asked.responder };
    await respondWith(slack, notInChannelNotice(slack.botName()), undefined, request, "caller");
  });
}

/**
 * Reports by direct message, once Slack is back, that an answer was lost: the answer itself is discarded, since it may
 * hold files and goes out of date. Rejects when Slack refuses that, too.
 */
async function notifyLostAnswer(slack: SlackContext, ask: Ask, request: RequestContext): Promise<void> {
  const direct: RequestContext = { ...request, responder: directMessageResponder(slack, request.caller.id) };
  const notice = lostAnswerNotice(slack.command, ask);
  const lost = createAnswer(slack, { reply: notice, ask, request: direct, audience: "caller" });
  await slack.sendLostNotice(ask.command, lost);
}
