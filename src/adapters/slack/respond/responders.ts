import type { Visibility } from "../../../bot/invocation.ts";
import { RESPONSE_URL_PROGRESS_USES, RESPONSE_URL_USES } from "../limits.ts";
import { type MessageBody, withSmallPrint } from "../render/compose.ts";
import type { ResponseUrl } from "../transport/response-url.ts";
import { type CallPolicy, retryingRateLimited, type WebApiAccess, withoutRetry } from "../transport/web-api.ts";
import { editableDirectMessage, EditableMessage, type MessageDestination } from "./editable-message.ts";
import { CONTINUES_IN_DIRECT_MESSAGES } from "./notices.ts";
import { NO_UNFURL, type Responder } from "./request-context.ts";

interface CommandResponderOptions {
  readonly shared: boolean;
  /** Where it can be told again and again how far it is. */
  readonly note: EditableMessage;
}

/**
 * Answers a slash command: progress and answer follow each other in one message. When the uses for progress are over,
 * direct messages tell it.
 */
export class CommandResponder implements Responder {
  readonly replacesMessage = false;
  readonly pace = "few";
  readonly expires = true;
  readonly direct = false;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  readonly #note: EditableMessage;
  #standing = false;
  /** What stands there tells how far it is, and no answer has taken its place. */
  #pending = false;

  constructor(url: ResponseUrl, { shared, note }: CommandResponderOptions) {
    this.#url = url;
    this.shared = shared;
    this.#note = note;
  }

  async showProgress(body: MessageBody): Promise<boolean> {
    // Two uses stay free: for the answer, and for an error or for taking the progress away.
    const left = this.#url.left - (RESPONSE_URL_USES - RESPONSE_URL_PROGRESS_USES);
    if (left <= 0) {
      await this.#note.progress(body);
      return true;
    }
    await this.sayEphemeral(left === 1 ? withSmallPrint(body, CONTINUES_IN_DIRECT_MESSAGES) : body);
    this.#pending = true;
    return true;
  }

  async say(body: MessageBody, audience: Visibility): Promise<void> {
    if (audience === "caller") return this.sayEphemeral(body);
    if (this.#standing) await this.#url.post({ delete_original: true });
    this.#standing = false;
    this.#pending = false;
    await this.#url.post({ ...body, ...NO_UNFURL, response_type: "in_channel", replace_original: false });
  }

  async sayEphemeral(body: MessageBody): Promise<void> {
    await this.#url.post({ ...body, ...NO_UNFURL, response_type: "ephemeral", replace_original: this.#standing });
    this.#standing = true;
    this.#pending = false;
  }

  forFollowUp(): Responder {
    return new CommandResponder(this.#url, { shared: this.shared, note: this.#note });
  }

  replacesProgress(): boolean {
    return true;
  }

  async clearProgress(): Promise<void> {
    await this.#note.clear();
    if (!this.#pending) return;
    this.#pending = false;
    // What stays says itself until when it holds.
    await this.#url.post({ delete_original: true }).catch(() => undefined);
  }
}

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

interface ButtonResponderOptions {
  readonly replaces: boolean;
  readonly shared: boolean;
  readonly thread?: string | undefined;
  /** Where it can be told again and again how far it is. */
  readonly note: EditableMessage;
}

/** Answers a button: in place of its message, or below it. */
export class ButtonResponder implements Responder {
  readonly pace = "steady";
  readonly expires = true;
  readonly direct = false;
  readonly replacesMessage: boolean;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  readonly #note: EditableMessage;
  readonly #thread: { readonly thread_ts?: string };
  #told = false;

  constructor(url: ResponseUrl, { replaces, shared, thread, note }: ButtonResponderOptions) {
    this.#url = url;
    this.replacesMessage = replaces;
    this.shared = shared;
    this.#note = note;
    this.#thread = thread === undefined ? {} : { thread_ts: thread };
  }

  /**
   * What is posted below a message cannot be changed through the message's address: a first word stands there, and what
   * takes longer is told in direct messages. A page stays as it is until the next one is there.
   */
  async showProgress(body: MessageBody): Promise<boolean> {
    if (this.#told || this.replacesMessage) await this.#note.progress(body);
    else await this.sayEphemeral(body);
    this.#told = true;
    return true;
  }

  async say(body: MessageBody, audience: Visibility): Promise<void> {
    if (this.replacesMessage) {
      await this.#url.post({ ...body, ...NO_UNFURL, replace_original: true });
    } else if (audience === "caller") {
      await this.sayEphemeral(body);
    } else {
      const more = { response_type: "in_channel", replace_original: false } as const;
      await this.#url.post({ ...body, ...NO_UNFURL, ...this.#thread, ...more });
    }
  }

  async sayEphemeral(body: MessageBody): Promise<void> {
    const more = { response_type: "ephemeral", replace_original: false } as const;
    await this.#url.post({ ...body, ...NO_UNFURL, ...this.#thread, ...more });
  }

  forFollowUp(): Responder {
    return this;
  }

  replacesProgress(): boolean {
    return false;
  }

  clearProgress(): Promise<void> {
    return this.#note.clear();
  }
}

/** Answers in the app's direct messages: where nothing else can, and for what comes late. */
export class DirectMessageResponder implements Responder {
  readonly replacesMessage = false;
  readonly shared = false;
  readonly pace = "steady";
  readonly expires = false;
  readonly direct = true;
  readonly #talk: WebApiAccess;
  readonly #user: string;
  readonly #message: EditableMessage;

  constructor(talk: WebApiAccess, user: string) {
    this.#talk = talk;
    this.#user = user;
    this.#message = editableDirectMessage(talk, user);
  }

  async showProgress(body: MessageBody): Promise<boolean> {
    await this.#message.progress(body);
    return true;
  }

  say(body: MessageBody): Promise<void> {
    return this.#message.show(body);
  }

  sayEphemeral(body: MessageBody): Promise<void> {
    return this.#message.show(body);
  }

  forFollowUp(): Responder {
    return new DirectMessageResponder(this.#talk, this.#user);
  }

  replacesProgress(): boolean {
    return true;
  }

  clearProgress(): Promise<void> {
    return Promise.resolve();
  }
}
