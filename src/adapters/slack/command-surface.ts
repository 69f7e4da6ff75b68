import type { Visibility } from "../../bot/invocation.ts";
import { withSmallPrint, type MessageBody } from "./compose.ts";
import { RESPONSE_URL_PROGRESS_USES, RESPONSE_URL_USES } from "./limits.ts";
import { CONTINUES_IN_DIRECT_MESSAGES } from "./notices.ts";
import type { ResponseUrl } from "./response-url.ts";
import type { EditableMessage } from "./standing-message.ts";
import { NO_UNFURL, type Responder } from "./surface.ts";

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
