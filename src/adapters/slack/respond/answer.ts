import type { Visibility } from "../../../bot/invocation.ts";
import { formatLine } from "../../../bot/grammar/grammar.ts";
import { code } from "../../../reply/text.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import { lateAnswer, refusedAnswerNotice } from "../../chat/notices.ts";
import type { Progress } from "../../progress.ts";
import { slackPlatform } from "../platform.ts";
import type { SlackContext } from "../context.ts";
import type { MessageFile } from "../../../reply/message-files.ts";
import { finish, type MessageBody, type MessageLines } from "../render/compose.ts";
import type { MessageContext } from "../render/press.ts";
import { renderSlack } from "../render/render.ts";
import { FileBatch, type FileDestination, type FileReport } from "../send/files.ts";
import { openDirectChannel, retryRateLimited } from "../transport/web-api.ts";
import { commandOf } from "./invocation.ts";
import { POSSIBLE_DUPLICATE, stoppingNotice, uploadingNotice } from "./notices.ts";
import type { RequestContext, Responder } from "./request-context.ts";
import { directMessageResponder } from "./responders.ts";
import type { RetryableAnswer } from "./retry-answer.ts";

interface AnswerOptions {
  readonly reply: Reply;
  readonly ask: Ask | undefined;
  readonly request: RequestContext;
  readonly audience: Visibility;
  /** Shows that files are on their way; stopped before the answer. */
  readonly progress?: Progress | undefined;
}

/** One answer, which may be sent several times until Slack accepts it; its files are sent once. */
export function createAnswer(
  slack: SlackContext,
  { reply: given, ask, request, audience, progress }: AnswerOptions,
): RetryableAnswer {
  const { responder: here, caller, channel, thread, above, fresh } = request;
  const may = ask === undefined ? undefined : slack.bot.commonButtons(ask.command);
  const refresh = ask !== undefined && may?.refresh === true ? { ask } : {};
  let reply = given;
  let files: FileBatch | undefined;
  let simplified = false;

  async function sayHere(again: boolean): Promise<void> {
    const failed = reply.failure !== undefined;
    const shownTo = failed ? "caller" : audience;
    const context: MessageContext = {
      asker: caller.id,
      command: slack.command,
      inView: here.inView,
      ...refresh,
      shareable: may?.share === true && shownTo === "caller" && here.shared === true,
      replaces: here.replacesMessage === true && fresh !== true,
      ...(ask !== undefined && reply.failure === "caller" && hasForm(slack, ask) ? { form: ask } : {}),
    };
    const lines = { notes: again ? [POSSIBLE_DUPLICATE] : [], above: failed ? undefined : above };
    const sent = await sendFilesOf(reply, context, lines, here, shownTo);
    if (sent === undefined) return sayHere(again);
    // A page is not replaced by the error of its next one.
    await (failed && context.replaces === true
      ? here.sayEphemeral(sent.body)
      : here.say(sent.body, sent.failed === 0 ? shownTo : "caller"));
  }

  /** For an answer that is late, or that could not be sent to its own destination. */
  async function sayDirectly(direct: Responder, again: boolean): Promise<void> {
    const late = ask === undefined ? reply : lateAnswer(reply, code(`${slack.command} ${formatLine(ask)}`));
    const lines = { notes: again ? [POSSIBLE_DUPLICATE] : [] };
    const sent = await sendFilesOf(
      late,
      { asker: caller.id, command: slack.command, ...refresh },
      lines,
      direct,
      "caller",
    );
    if (sent === undefined) return sayDirectly(direct, again);
    await direct.say(sent.body, "caller");
  }

  /** A message whose files are sent; undefined if the bot stopped in between. */
  async function sendFilesOf(
    given: Reply,
    context: MessageContext,
    { notes, above }: Required<Pick<MessageLines, "notes">> & MessageLines,
    responder: Responder,
    shownTo: Visibility,
  ): Promise<{ readonly body: MessageBody; readonly failed: number } | undefined> {
    const message = renderSlack(given, context);
    const sent = await sendFiles(message.filesLater ? [] : message.files, responder, shownTo);
    if (sent === undefined) return undefined;
    // Without its files it is no success, and nobody else needs to see it.
    const shown = sent.failed === 0 ? message : renderSlack(warned(given), context);
    return { body: await finish(shown, { notes: [sent.lines, ...notes], above }, slack), failed: sent.failed };
  }

  /**
   * Sends the files of a message and returns a line about each; undefined if the bot stopped in between, which changes
   * the answer.
   */
  async function sendFiles(
    given: readonly MessageFile[],
    responder: Responder,
    shownTo: Visibility,
  ): Promise<FileReport | undefined> {
    files ??= new FileBatch(given);
    if (given.length > 0) progress?.update(uploadingNotice(given.map(({ name }) => name)));
    const isPublic = shownTo === "channel" && channel !== undefined;
    const destination: FileDestination | (() => Promise<FileDestination>) = isPublic
      ? { channel, thread, description: thread === undefined ? "this channel" : "this thread" }
      : () => directFileDestination(slack, caller.id, responder.direct === true ? undefined : (channel ?? ""));
    try {
      return await files.send(destination, slack, AbortSignal.any([slack.signal, slack.stopping]));
    } catch (error) {
      if (!slack.stopping.aborted || slack.signal.aborted || ask === undefined) throw error;
      reply = stoppingNotice(ask);
      files = new FileBatch([]);
      return undefined;
    } finally {
      await progress?.stop();
    }
  }

  const direct = here.direct === true ? undefined : directMessageResponder(slack, caller.id);
  return {
    sayHere,
    sayInDirectMessage: direct && ((again) => sayDirectly(direct, again)),
    simplify() {
      if (simplified) return false;
      simplified = true;
      reply = refusedAnswerNotice(slackPlatform.name);
      files = new FileBatch([]);
      return true;
    },
  };
}

/** Whether the command takes values that a form can ask for. */
function hasForm(slack: SlackContext, ask: Ask): boolean {
  return ask.command !== "help" && commandOf(slack, ask) !== undefined;
}

/** An answer that does not carry all it should. */
function warned(given: Reply): Reply {
  return given.tone === "good" || given.tone === "neutral" ? { ...given, tone: "warning" } : given;
}

/**
 * Slack has no ephemeral files: a private file goes into the app's direct messages. `asked` is the channel where the
 * answer stands; absent = these very messages.
 */
export async function directFileDestination(
  slack: SlackContext,
  user: string,
  asked: string | undefined,
): Promise<FileDestination> {
  const channel = await retryRateLimited(slack, () => openDirectChannel(slack.web, user));
  const here = asked === undefined || asked === channel;
  return { channel, description: here ? "this conversation" : "your direct messages with the app" };
}
