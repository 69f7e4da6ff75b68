import type { Visibility } from "../../../bot/invocation.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import type { SlackContext } from "../context.ts";
import type { MessageContext } from "../render/buttons.ts";
import { compose, type ComposedMessage, withLine } from "../render/compose.ts";
import { FileBatch, type FileDestination } from "../send/files.ts";
import { retryRateLimited } from "../transport/web-api.ts";
import { openDirectChannel } from "./editable-message.ts";
import { commandOf } from "./invocation.ts";
import { lateAnswer, POSSIBLE_DUPLICATE, refusedAnswerNotice, stoppingNotice } from "./notices.ts";
import type { RequestContext, Responder } from "./request-context.ts";
import { DirectMessageResponder } from "./responders.ts";
import type { RetryableAnswer } from "./retry-answer.ts";

interface AnswerOptions {
  readonly reply: Reply;
  readonly ask: Ask | undefined;
  readonly origin: RequestContext;
  readonly audience: Visibility;
}

/** One answer, which may have to be said several times until Slack takes it; its files are sent once. */
export class Answer implements RetryableAnswer {
  readonly sayInDirectMessage: RetryableAnswer["sayInDirectMessage"];
  readonly #desk: SlackContext;
  readonly #ask: Ask | undefined;
  readonly #origin: RequestContext;
  readonly #audience: Visibility;
  #reply: Reply;
  #files: FileBatch | undefined;
  #simple = false;

  constructor(desk: SlackContext, { reply, ask, origin, audience }: AnswerOptions) {
    this.#desk = desk;
    this.#ask = ask;
    this.#origin = origin;
    this.#reply = reply;
    this.#audience = audience;
    if (!origin.surface.direct) {
      const direct = new DirectMessageResponder(desk, origin.caller.id);
      this.sayInDirectMessage = (again) => this.#sayDirectly(direct, again);
    }
  }

  async sayHere(again: boolean): Promise<void> {
    const { surface, above, caller, fresh } = this.#origin;
    const failed = this.#reply.failure !== undefined;
    const audience = failed ? "caller" : this.#audience;
    const ask = this.#ask;
    const context: MessageContext = {
      asker: caller.id,
      ...(ask === undefined ? {} : { ask }),
      shareable: audience === "caller" && surface.shared,
      replaces: surface.replacesMessage && fresh !== true,
      ...(ask !== undefined && this.#reply.failure === "caller" && this.#hasForm(ask) ? { form: ask } : {}),
    };
    const composed = await compose(this.#reply, context, this.#desk);
    const files = await this.#sendFiles(composed, surface, audience);
    if (files === undefined) return this.sayHere(again);
    const body = withLine(withLine(composed.body, files), again ? POSSIBLE_DUPLICATE : "");
    const said = above === undefined || failed ? body : withLine(body, above, true);
    // A page stays where its next one fails.
    await (failed && context.replaces === true ? surface.sayEphemeral(said) : surface.say(said, audience));
  }

  simplify(): boolean {
    if (this.#simple) return false;
    this.#simple = true;
    this.#reply = refusedAnswerNotice();
    this.#files = new FileBatch([]);
    return true;
  }

  /** For what came too late, or what Slack did not take where it belonged. */
  async #sayDirectly(direct: Responder, again: boolean): Promise<void> {
    const ask = this.#ask;
    const late = ask === undefined ? this.#reply : lateAnswer(this.#reply, this.#desk.command, ask);
    const context = { asker: this.#origin.caller.id, ...(ask === undefined ? {} : { ask }) };
    const composed = await compose(late, context, this.#desk);
    const files = await this.#sendFiles(composed, direct, "caller");
    if (files === undefined) return this.#sayDirectly(direct, again);
    await direct.say(withLine(withLine(composed.body, files), again ? POSSIBLE_DUPLICATE : ""), "caller");
  }

  /** Whether the command takes values that a form can ask for. */
  #hasForm(ask: Ask): boolean {
    return ask.command !== "help" && commandOf(this.#desk, ask) !== undefined;
  }

  /**
   * Sends the files of a message where it belongs, and gives a line about each. Undefined when the bot stopped in the
   * middle: something else is to be said then.
   */
  async #sendFiles({ files }: ComposedMessage, surface: Responder, audience: Visibility): Promise<string | undefined> {
    this.#files ??= new FileBatch(files);
    const { channel, thread, caller } = this.#origin;
    const desk = this.#desk;
    const openly = audience === "channel" && channel !== undefined;
    const place: FileDestination | (() => Promise<FileDestination>) = openly
      ? { channel, thread, description: thread === undefined ? "this channel" : "this thread" }
      : () => directFileDestination(desk, caller.id, surface.shared);
    try {
      return await this.#files.send(place, desk, AbortSignal.any([desk.signal, desk.stopping]));
    } catch (error) {
      if (!desk.stopping.aborted || desk.signal.aborted || this.#ask === undefined) throw error;
      this.#reply = stoppingNotice(this.#ask);
      this.#files = new FileBatch([]);
      return undefined;
    }
  }
}

/** There is no file that one person of a channel alone sees: it goes into the app's direct messages. */
export async function directFileDestination(
  desk: SlackContext,
  user: string,
  elsewhere: boolean,
): Promise<FileDestination> {
  const channel = await retryRateLimited(desk, () => openDirectChannel(desk.web, user));
  return { channel, description: elsewhere ? "your direct messages with the app" : "this conversation" };
}
