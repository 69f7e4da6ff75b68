import type { Visibility } from "../../../bot/invocation.ts";
import { formatLine } from "../../../bot/grammar/grammar.ts";
import { type Ask, forEverybody, type MessageFile, type Reply } from "../../../reply/reply.ts";
import { code } from "../../../reply/text.ts";
import { lateAnswer, refusedAnswerNotices } from "../../chat/notices.ts";
import type { Progress } from "../../progress.ts";
import { slackPlatform } from "../platform.ts";
import type { SlackContext } from "../context.ts";
import { finish, type MessageBody, withLine } from "../render/compose.ts";
import type { MessageContext } from "../render/press.ts";
import { renderSlack, type SlackMessage } from "../render/render.ts";
import { FileBatch, type FileDestination, type FileReport } from "../send/files.ts";
import { openDirectChannel, retryRateLimited } from "../transport/web-api.ts";
import { commandOf } from "./invocation.ts";
import { missingLine, POSSIBLE_DUPLICATE, stoppingNotice, uploadingNotice } from "./notices.ts";
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

/** Where an attempt sends an answer. */
interface Sending {
  /** It may have arrived before. */
  readonly again: boolean;
  readonly to: Responder;
  readonly shownTo: Visibility;
  /** A line of mrkdwn above it. */
  readonly above?: string | undefined;
}

/** One answer, which may be sent several times until Slack accepts it; its files are sent once. */
export function createAnswer(
  slack: SlackContext,
  { reply: given, ask, request, audience, progress }: AnswerOptions,
): RetryableAnswer {
  const { responder: here, caller, channel, thread, above, fresh } = request;
  const may = ask === undefined ? undefined : slack.bot.commonButtons(ask.command);
  const refresh = ask !== undefined && may?.refresh === true ? { ask } : {};
  // Neither help nor a question in plain words has values to fill in.
  const hasForm = ask !== undefined && !["ask", "help"].includes(ask.command) && commandOf(slack, ask) !== undefined;
  const missing = ask === undefined ? "" : missingLine(slack.command, ask, commandOf(slack, ask)?.shownBy);
  let reply = given;
  let files: FileBatch | undefined;
  /** With what could not be kept. */
  let further: FileBatch | undefined;
  let simpler: readonly Reply[] | undefined;

  async function sayHere(again: boolean): Promise<void> {
    const failed = reply.failure !== undefined;
    const shownTo = failed ? "caller" : audience;
    const shown = shownTo === "channel" && here.shared === true ? forEverybody(reply) : reply;
    const context: MessageContext = {
      asker: caller.id,
      command: slack.command,
      now: slack.now(),
      inView: here.place().kind === "view",
      ...refresh,
      shareable: may?.share === true && shownTo === "caller" && here.shared === true,
      replaces: here.replacesMessage === true && fresh !== true,
      ...(hasForm && reply.failure === "caller" ? { form: ask } : {}),
    };
    const sent = await sendFilesOf(shown, context, { again, to: here, shownTo, above: failed ? undefined : above });
    if (sent === undefined) return sayHere(again);
    // A page is not replaced by the error of its next one.
    await (failed && context.replaces === true
      ? here.sayEphemeral(sent.body)
      : here.say(sent.body, sent.failed === 0 ? shownTo : "caller"));
  }

  /** For an answer that is late, or that could not be sent to its own destination. */
  async function sayDirectly(direct: Responder, again: boolean): Promise<void> {
    const late = ask === undefined ? reply : lateAnswer(reply, code(`${slack.command} ${formatLine(ask)}`));
    const context = { asker: caller.id, command: slack.command, now: slack.now(), ...refresh };
    const sent = await sendFilesOf(late, context, { again, to: direct, shownTo: "caller" });
    if (sent === undefined) return sayDirectly(direct, again);
    await direct.say(sent.body, "caller");
  }

  /** A message whose files are sent; undefined if the bot stopped in between, which changes the answer. */
  async function sendFilesOf(
    given: Reply,
    context: MessageContext,
    { again, to, shownTo, above }: Sending,
  ): Promise<{ readonly body: MessageBody; readonly failed: number } | undefined> {
    const message = renderSlack(given, context);
    const attached = message.filesLater ? [] : message.files;
    files ??= new FileBatch(attached);
    if (attached.length > 0) progress?.update(uploadingNotice(attached.map(({ name }) => name)));
    const destination = (): Promise<FileDestination> => destinationFor(to, shownTo);
    let report: FileReport;
    try {
      report = await files.send(destination, slack, AbortSignal.any([slack.signal, slack.stopping]));
    } catch (error) {
      if (!slack.stopping.aborted || slack.signal.aborted || ask === undefined) throw error;
      reply = stoppingNotice(ask);
      files = new FileBatch([]);
      return undefined;
    } finally {
      await progress?.stop();
    }
    // Without its files it is no success, and nobody else needs to see it.
    const shown = report.failed === 0 ? message : renderSlack(warned(given), context);
    const notes = [report.lines, again ? POSSIBLE_DUPLICATE : ""];
    const body = await finish(shown, { notes, above }, slack);
    const unkept = body.unkept === true ? shown.unkept() : undefined;
    const added = unkept?.filesLater === false ? await sendFurther(unkept.files, attached, destination) : NO_FILES;
    const failed = report.failed + added.failed;
    if (failed === 0) return { body: withLine(body, added.lines), failed };
    const lines = [...notes, added.lines, missing];
    const last = isKept(shown) && unkept === undefined ? {} : renderSlack(warned(given), context).alone();
    return { body: await finish({ ...shown, ...last }, { notes: lines, above }, slack), failed };
  }

  async function destinationFor(to: Responder, shownTo: Visibility): Promise<FileDestination> {
    if (shownTo === "channel" && channel !== undefined)
      return { channel, thread, description: thread === undefined ? "this channel" : "this thread" };
    const asked = to.place().kind === "direct" ? undefined : (channel ?? "");
    return directFileDestination(slack, caller.id, asked);
  }

  /** Sends those files that are not among these. */
  function sendFurther(
    all: readonly MessageFile[],
    attached: readonly MessageFile[],
    destination: () => Promise<FileDestination>,
  ): Promise<FileReport> {
    const sent = new Set(attached.map(({ name }) => name));
    further ??= new FileBatch(all.filter(({ name }) => !sent.has(name)));
    return further.send(destination, slack, AbortSignal.any([slack.signal, slack.stopping]));
  }

  const direct = here.place().kind === "direct" ? undefined : directMessageResponder(slack, caller.id);
  return {
    sayHere,
    sayInDirectMessage: direct && ((again) => sayDirectly(direct, again)),
    simplify() {
      const [less, ...others] = simpler ?? refusedAnswerNotices(slackPlatform.name, given);
      simpler = others;
      if (less === undefined) return false;
      // Its own files are there.
      reply = { ...less, attachments: [] };
      files = undefined;
      further = undefined;
      return true;
    },
  };
}

const NO_FILES: FileReport = { lines: "", failed: 0 };

/** Whether it has buttons that work on the kept reply. */
function isKept({ unstored }: SlackMessage): boolean {
  return unstored.values().some((press) => press.kind === "share" && press.shown !== undefined);
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
  const channel = await retryRateLimited(slack)(() => openDirectChannel(slack.web, user));
  const here = asked === undefined || asked === channel;
  return { channel, description: here ? "this conversation" : "your direct messages with the app" };
}
