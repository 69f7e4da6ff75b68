import type { Visibility } from "../../../bot/invocation.ts";
import { RESPONSE_URL_PROGRESS_USES, RESPONSE_URL_USES } from "../limits.ts";
import { type MessageBody, NO_UNFURL, withSmallPrint } from "../render/compose.ts";
import type { ResponseUrl } from "../transport/response-url.ts";
import { type CallPolicy, retryingRateLimited, type WebApiAccess, withoutRetry } from "../transport/web-api.ts";
import { editableDirectMessage, EditableMessage, type MessageDestination } from "./editable-message.ts";
import { CONTINUES_IN_DIRECT_MESSAGES } from "./notices.ts";
import type { Responder } from "./request-context.ts";

interface CommandResponderOptions {
  readonly shared: boolean;
  /** Progress in direct messages, which can be edited any number of times. */
  readonly progressMessage: EditableMessage;
}

/**
 * Answers a slash command: the answer replaces the progress message, where Slack does that; it may post the answer beside
 * it (https://github.com/slackapi/bolt-js/issues/2287). Once the uses for progress are spent, progress
 * continues in direct messages.
 */
export class CommandResponder implements Responder {
  readonly replacesMessage = false;
  readonly pace = "few";
  readonly expires = true;
  readonly direct = false;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  readonly #progressMessage: EditableMessage;
  #ephemeralPosted = false;
  /** Whether a progress message is shown that no answer has replaced. */
  #pending = false;

  constructor(url: ResponseUrl, { shared, progressMessage }: CommandResponderOptions) {
    this.#url = url;
    this.shared = shared;
    this.#progressMessage = progressMessage;
  }

  async showProgress(body: MessageBody): Promise<boolean> {
    // Two uses are reserved: for the answer, and for an error or for deleting the progress.
    const left = this.#url.left - (RESPONSE_URL_USES - RESPONSE_URL_PROGRESS_USES);
    if (left <= 0) {
      await this.#progressMessage.progress(body);
      return true;
    }
    await this.sayEphemeral(left === 1 ? withSmallPrint(body, CONTINUES_IN_DIRECT_MESSAGES) : body);
    this.#pending = true;
    return true;
  }

  async say(body: MessageBody, audience: Visibility): Promise<void> {
    if (audience === "caller") return this.sayEphemeral(body);
    // Progress that remains says nothing untrue; the answer does not wait for it.
    if (this.#ephemeralPosted) await this.#url.post({ delete_original: true }).catch(() => undefined);
    this.#ephemeralPosted = false;
    this.#pending = false;
    await this.#url.post({ ...body, ...NO_UNFURL, response_type: "in_channel", replace_original: false });
  }

  async sayEphemeral(body: MessageBody): Promise<void> {
    await this.#url.post({
      ...body,
      ...NO_UNFURL,
      response_type: "ephemeral",
      replace_original: this.#ephemeralPosted,
    });
    this.#ephemeralPosted = true;
    this.#pending = false;
  }

  forFollowUp(): Responder {
    return new CommandResponder(this.#url, { shared: this.shared, progressMessage: this.#progressMessage });
  }

  replacesProgress(): boolean {
    return true;
  }

  async clearProgress(): Promise<void> {
    await this.#progressMessage.clear();
    if (!this.#pending) return;
    this.#pending = false;
    // A progress message that remains states how long it is valid.
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
  readonly #api: WebApiAccess;
  readonly #place: MessageDestination;
  readonly #user: string;
  readonly #shown: EditableMessage;
  readonly #progressMessage: EditableMessage;
  #progressShown = false;

  constructor(api: WebApiAccess, { channel, thread, user }: MentionResponderOptions) {
    const place = { channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
    this.#api = api;
    this.#user = user;
    this.#place = place;
    this.#shown = new EditableMessage(api, () => Promise.resolve(place));
    this.#progressMessage = editableDirectMessage(api, user);
  }

  /**
   * Public: one message, which the answer replaces. An ephemeral message cannot be edited: after the first one,
   * progress continues in direct messages.
   */
  async showProgress(body: MessageBody, audience: Visibility): Promise<boolean> {
    if (audience === "channel") await this.#shown.progress(body);
    else if (this.#progressShown) await this.#progressMessage.progress(body);
    else await this.#postEphemeral(body, withoutRetry);
    this.#progressShown = true;
    return true;
  }

  say(body: MessageBody, audience: Visibility): Promise<void> {
    return audience === "caller" ? this.sayEphemeral(body) : this.#shown.show(body);
  }

  async sayEphemeral(body: MessageBody): Promise<void> {
    await this.#postEphemeral(body, retryingRateLimited(this.#api));
    // Removes the public progress of an answer that turned out ephemeral.
    await this.#shown.clear();
  }

  forFollowUp(): Responder {
    return this;
  }

  replacesProgress(audience: Visibility): boolean {
    return audience === "channel";
  }

  clearProgress(): Promise<void> {
    return this.#progressMessage.clear();
  }

  async #postEphemeral(body: MessageBody, call: CallPolicy): Promise<void> {
    const message = { ...this.#place, user: this.#user, text: body.text, blocks: [...body.blocks] };
    await call(() => this.#api.web.chat.postEphemeral(message));
  }
}

interface ButtonResponderOptions {
  readonly replaces: boolean;
  readonly shared: boolean;
  readonly thread?: string | undefined;
  /** Progress in direct messages, which can be edited any number of times. */
  readonly progressMessage: EditableMessage;
}

/** Answers a button: in place of its message, or below it. */
export class ButtonResponder implements Responder {
  readonly pace = "steady";
  readonly expires = true;
  readonly direct = false;
  readonly replacesMessage: boolean;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  readonly #progressMessage: EditableMessage;
  readonly #thread: { readonly thread_ts?: string };
  #progressShown = false;

  constructor(url: ResponseUrl, { replaces, shared, thread, progressMessage }: ButtonResponderOptions) {
    this.#url = url;
    this.replacesMessage = replaces;
    this.shared = shared;
    this.#progressMessage = progressMessage;
    this.#thread = thread === undefined ? {} : { thread_ts: thread };
  }

  /**
   * A message below a button's cannot be edited at its response_url: after the first one, progress continues in direct
   * messages. A page is shown until the next one replaces it.
   */
  async showProgress(body: MessageBody): Promise<boolean> {
    if (this.#progressShown || this.replacesMessage) await this.#progressMessage.progress(body);
    else await this.sayEphemeral(body);
    this.#progressShown = true;
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
    return this.#progressMessage.clear();
  }
}

/** Answers in the app's direct messages: for requests without a channel, and for late answers. */
export class DirectMessageResponder implements Responder {
  readonly replacesMessage = false;
  readonly shared = false;
  readonly pace = "steady";
  readonly expires = false;
  readonly direct = true;
  readonly #api: WebApiAccess;
  readonly #user: string;
  readonly #message: EditableMessage;

  constructor(api: WebApiAccess, user: string) {
    this.#api = api;
    this.#user = user;
    this.#message = editableDirectMessage(api, user);
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
    return new DirectMessageResponder(this.#api, this.#user);
  }

  replacesProgress(): boolean {
    return true;
  }

  clearProgress(): Promise<void> {
    return Promise.resolve();
  }
}
