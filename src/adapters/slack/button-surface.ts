import type { Visibility } from "../../bot/invocation.ts";
import type { MessageBody } from "./compose.ts";
import type { ResponseUrl } from "./response-url.ts";
import type { EditableMessage } from "./standing-message.ts";
import { NO_UNFURL, type Responder } from "./surface.ts";

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
