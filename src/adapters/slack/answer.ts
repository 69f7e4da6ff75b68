import type { Visibility } from "../../bot/invocation.ts";
import type { Ask, Reply } from "../../reply/reply.ts";
import { afterLimit } from "./after-limit.ts";
import type { MessageContext } from "./buttons.ts";
import { compose, withLine, type Composed } from "./compose.ts";
import type { Desk } from "./desk.ts";
import { directChannel } from "./direct-message.ts";
import { DirectSurface } from "./direct-surface.ts";
import { FileBatch, type FilePlace } from "./files.ts";
import type { Saying } from "./insist.ts";
import { lateAnswer, PERHAPS_TWICE, stoppingNotice, unshowableNotice } from "./notices.ts";
import type { Origin } from "./origin.ts";
import { commandOf } from "./question.ts";
import type { Surface } from "./surface.ts";

interface AnswerParts {
  readonly reply: Reply;
  readonly ask: Ask | undefined;
  readonly origin: Origin;
  readonly audience: Visibility;
}

/** One answer, which may have to be said several times until Slack takes it; its files are sent once. */
export class Answer implements Saying {
  readonly directly: Saying["directly"];
  readonly #desk: Desk;
  readonly #ask: Ask | undefined;
  readonly #origin: Origin;
  readonly #audience: Visibility;
  #reply: Reply;
  #files: FileBatch | undefined;
  #simple = false;

  constructor(desk: Desk, { reply, ask, origin, audience }: AnswerParts) {
    this.#desk = desk;
    this.#ask = ask;
    this.#origin = origin;
    this.#reply = reply;
    this.#audience = audience;
    if (!origin.surface.direct) {
      const direct = new DirectSurface(desk, origin.caller.id);
      this.directly = (again) => this.#sayDirectly(direct, again);
    }
  }

  async here(again: boolean): Promise<void> {
    const { surface, above, caller, fresh } = this.#origin;
    const failed = this.#reply.failure !== undefined;
    const audience = failed ? "caller" : this.#audience;
    const ask = this.#ask;
    const context: MessageContext = {
      asker: caller.id,
      ...(ask === undefined ? {} : { ask }),
      shareable: audience === "caller" && surface.shared,
      replaces: surface.replaces && fresh !== true,
      ...(ask !== undefined && this.#reply.failure === "caller" && this.#hasForm(ask) ? { form: ask } : {}),
    };
    const composed = await compose(this.#reply, context, this.#desk);
    const files = await this.#sendFiles(composed, surface, audience);
    if (files === undefined) return this.here(again);
    const body = withLine(withLine(composed.body, files), again ? PERHAPS_TWICE : "");
    const said = above === undefined || failed ? body : withLine(body, above, true);
    // A page stays where its next one fails.
    await (failed && context.replaces === true ? surface.whisper(said) : surface.say(said, audience));
  }

  simplify(): boolean {
    if (this.#simple) return false;
    this.#simple = true;
    this.#reply = unshowableNotice();
    this.#files = new FileBatch([]);
    return true;
  }

  /** For what came too late, or what Slack did not take where it belonged. */
  async #sayDirectly(direct: Surface, again: boolean): Promise<void> {
    const ask = this.#ask;
    const late = ask === undefined ? this.#reply : lateAnswer(this.#reply, this.#desk.command, ask);
    const context = { asker: this.#origin.caller.id, ...(ask === undefined ? {} : { ask }) };
    const composed = await compose(late, context, this.#desk);
    const files = await this.#sendFiles(composed, direct, "caller");
    if (files === undefined) return this.#sayDirectly(direct, again);
    await direct.say(withLine(withLine(composed.body, files), again ? PERHAPS_TWICE : ""), "caller");
  }

  /** Whether the command takes values that a form can ask for. */
  #hasForm(ask: Ask): boolean {
    return ask.command !== "help" && commandOf(this.#desk, ask) !== undefined;
  }

  /**
   * Sends the files of a message where it belongs, and gives a line about each. Undefined when the bot stopped in the
   * middle: something else is to be said then.
   */
  async #sendFiles({ files }: Composed, surface: Surface, audience: Visibility): Promise<string | undefined> {
    this.#files ??= new FileBatch(files);
    const { channel, thread, caller } = this.#origin;
    const desk = this.#desk;
    const openly = audience === "channel" && channel !== undefined;
    const place: FilePlace | (() => Promise<FilePlace>) = openly
      ? { channel, thread, words: thread === undefined ? "this channel" : "this thread" }
      : () => privatePlace(desk, caller.id, surface.shared);
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
export async function privatePlace(desk: Desk, user: string, elsewhere: boolean): Promise<FilePlace> {
  const channel = await afterLimit(desk, () => directChannel(desk.web, user));
  return { channel, words: elsewhere ? "your direct messages with the app" : "this conversation" };
}
