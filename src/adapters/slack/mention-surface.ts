import type { Visibility } from "../../bot/invocation.ts";
import { withoutRetry, retryingRateLimited, type CallPolicy, type WebApiAccess } from "./after-limit.ts";
import type { MessageBody } from "./compose.ts";
import { editableDirectMessage } from "./direct-message.ts";
import { EditableMessage, type MessageDestination } from "./standing-message.ts";
import type { Responder } from "./surface.ts";

interface MentionResponderOptions {
  readonly channel: string;
  readonly thread?: string | undefined;
  readonly user: string;
}

/** Answers a mention, in the thread where it was made. */
export class MentionResponder implements Responder {
  readonly replacesMessage = false;
  readonly shared = true;
  readonly pace = "steady";
  readonly expires = false;
  readonly direct = false;
  readonly #talk: WebApiAccess;
  readonly #place: MessageDestination;
  readonly #user: string;
  /** What stands there for all to see. */
  readonly #shown: EditableMessage;
  readonly #note: EditableMessage;
  #told = false;

  constructor(talk: WebApiAccess, { channel, thread, user }: MentionResponderOptions) {
    const place = { channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
    this.#talk = talk;
    this.#user = user;
    this.#place = place;
    this.#shown = new EditableMessage(talk, () => Promise.resolve(place));
    this.#note = editableDirectMessage(talk, user);
  }

  /**
   * For all to see: one message, which the answer takes the place of. What one person alone sees cannot be changed
   * there: after a first word it is told in direct messages.
   */
  async showProgress(body: MessageBody, audience: Visibility): Promise<boolean> {
    if (audience === "channel") await this.#shown.progress(body);
    else if (this.#told) await this.#note.progress(body);
    else await this.#whisper(body, withoutRetry);
    this.#told = true;
    return true;
  }

  say(body: MessageBody, audience: Visibility): Promise<void> {
    return audience === "caller" ? this.sayEphemeral(body) : this.#shown.show(body);
  }

  async sayEphemeral(body: MessageBody): Promise<void> {
    await this.#whisper(body, retryingRateLimited(this.#talk));
    // What all saw of an answer that then became one person's.
    await this.#shown.clear();
  }

  forFollowUp(): Responder {
    return this;
  }

  replacesProgress(audience: Visibility): boolean {
    return audience === "channel";
  }

  clearProgress(): Promise<void> {
    return this.#note.clear();
  }

  async #whisper(body: MessageBody, call: CallPolicy): Promise<void> {
    const message = { ...this.#place, user: this.#user, text: body.text, blocks: [...body.blocks] };
    await call(() => this.#talk.web.chat.postEphemeral(message));
  }
}
