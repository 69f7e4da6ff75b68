import type { Visibility } from "../../../bot/invocation.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import type { Progress } from "../../progress.ts";
import type { SlackContext } from "../context.ts";
import type { MessageContext } from "../render/buttons.ts";
import { compose, type ComposedMessage, withLine } from "../render/compose.ts";
import { FileBatch, type FileDestination, type FileReport } from "../send/files.ts";
import { openDirectChannel, retryRateLimited } from "../transport/web-api.ts";
import { commandOf } from "./invocation.ts";
import { lateAnswer, POSSIBLE_DUPLICATE, refusedAnswerNotice, stoppingNotice, uploadingNotice } from "./notices.ts";
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
export class Answer implements RetryableAnswer {
  readonly sayInDirectMessage: RetryableAnswer["sayInDirectMessage"];
  readonly #slack: SlackContext;
  readonly #ask: Ask | undefined;
  readonly #request: RequestContext;
  readonly #audience: Visibility;
  readonly #progress: Progress | undefined;
  #reply: Reply;
  #files: FileBatch | undefined;
  #simplified = false;

  constructor(slack: SlackContext, { reply, ask, request, audience, progress }: AnswerOptions) {
    this.#progress = progress;
    this.#slack = slack;
    this.#ask = ask;
    this.#request = request;
    this.#reply = reply;
    this.#audience = audience;
    if (!request.responder.direct) {
      const direct = directMessageResponder(slack, request.caller.id);
      this.sayInDirectMessage = (again) => this.#sayDirectly(direct, again);
    }
  }

  async sayHere(again: boolean): Promise<void> {
    const { responder, above, caller, fresh } = this.#request;
    const failed = this.#reply.failure !== undefined;
    const audience = failed ? "caller" : this.#audience;
    const ask = this.#ask;
    const may = ask === undefined ? undefined : this.#slack.bot.commonButtons(ask.command);
    const context: MessageContext = {
      asker: caller.id,
      ...(ask === undefined || may?.refresh !== true ? {} : { ask }),
      shareable: may?.share === true && audience === "caller" && responder.shared,
      replaces: responder.replacesMessage && fresh !== true,
      ...(ask !== undefined && this.#reply.failure === "caller" && this.#hasForm(ask) ? { form: ask } : {}),
    };
    const composed = await compose(this.#reply, context, this.#slack);
    const files = await this.#sendFiles(composed, responder, audience);
    if (files === undefined) return this.sayHere(again);
    // Without its files it is no success, and nobody else needs to see it.
    const { body: shown } = files.failed === 0 ? composed : await compose(warned(this.#reply), context, this.#slack);
    const body = withLine(withLine(shown, files.lines), again ? POSSIBLE_DUPLICATE : "");
    const said = above === undefined || failed ? body : withLine(body, above, true);
    // A page is not replaced by the error of its next one.
    await (failed && context.replaces === true
      ? responder.sayEphemeral(said)
      : responder.say(said, files.failed === 0 ? audience : "caller"));
  }

  simplify(): boolean {
    if (this.#simplified) return false;
    this.#simplified = true;
    this.#reply = refusedAnswerNotice();
    this.#files = new FileBatch([]);
    return true;
  }

  /** For an answer that is late, or that could not be sent to its own destination. */
  async #sayDirectly(direct: Responder, again: boolean): Promise<void> {
    const ask = this.#ask;
    const late = ask === undefined ? this.#reply : lateAnswer(this.#reply, this.#slack.command, ask);
    const refresh = ask !== undefined && this.#slack.bot.commonButtons(ask.command).refresh;
    const context = { asker: this.#request.caller.id, ...(refresh ? { ask } : {}) };
    const composed = await compose(late, context, this.#slack);
    const files = await this.#sendFiles(composed, direct, "caller");
    if (files === undefined) return this.#sayDirectly(direct, again);
    const { body } = files.failed === 0 ? composed : await compose(warned(late), context, this.#slack);
    await direct.say(withLine(withLine(body, files.lines), again ? POSSIBLE_DUPLICATE : ""), "caller");
  }

  /** Whether the command takes values that a form can ask for. */
  #hasForm(ask: Ask): boolean {
    return ask.command !== "help" && commandOf(this.#slack, ask) !== undefined;
  }

  /**
   * Sends the files of a message and returns a line about each; undefined if the bot stopped in between, which changes
   * the answer.
   */
  async #sendFiles(
    { files }: ComposedMessage,
    responder: Responder,
    audience: Visibility,
  ): Promise<FileReport | undefined> {
    this.#files ??= new FileBatch(files);
    if (files.length > 0) this.#progress?.update(uploadingNotice(files.map(({ name }) => name)));
    const { channel, thread, caller } = this.#request;
    const slack = this.#slack;
    const isPublic = audience === "channel" && channel !== undefined;
    const destination: FileDestination | (() => Promise<FileDestination>) = isPublic
      ? { channel, thread, description: thread === undefined ? "this channel" : "this thread" }
      : () => directFileDestination(slack, caller.id, responder.direct ? undefined : (channel ?? ""));
    try {
      return await this.#files.send(destination, slack, AbortSignal.any([slack.signal, slack.stopping]));
    } catch (error) {
      if (!slack.stopping.aborted || slack.signal.aborted || this.#ask === undefined) throw error;
      this.#reply = stoppingNotice(this.#ask);
      this.#files = new FileBatch([]);
      return undefined;
    } finally {
      await this.#progress?.stop();
    }
  }
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
