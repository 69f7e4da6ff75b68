import type { Visibility } from "../../bot/invocation.ts";
import type { Body } from "./compose.ts";
import type { ResponseUrl } from "./response-url.ts";
import type { StandingMessage } from "./standing-message.ts";
import { QUIET, type Surface } from "./surface.ts";

interface ButtonPlace {
  readonly replaces: boolean;
  readonly shared: boolean;
  readonly thread?: string | undefined;
  /** Where it can be told again and again how far it is. */
  readonly note: StandingMessage;
}

/** Answers a button: in place of its message, or below it. */
export class ButtonSurface implements Surface {
  readonly pace = "steady";
  readonly expires = true;
  readonly direct = false;
  readonly replaces: boolean;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  readonly #note: StandingMessage;
  readonly #thread: { readonly thread_ts?: string };
  #told = false;

  constructor(url: ResponseUrl, { replaces, shared, thread, note }: ButtonPlace) {
    this.#url = url;
    this.replaces = replaces;
    this.shared = shared;
    this.#note = note;
    this.#thread = thread === undefined ? {} : { thread_ts: thread };
  }

  /**
   * What is posted below a message cannot be changed through the message's address: a first word stands there, and what
   * takes longer is told in direct messages. A page stays as it is until the next one is there.
   */
  async progress(body: Body): Promise<boolean> {
    if (this.#told || this.replaces) await this.#note.progress(body);
    else await this.whisper(body);
    this.#told = true;
    return true;
  }

  async say(body: Body, audience: Visibility): Promise<void> {
    if (this.replaces) {
      await this.#url.post({ ...body, ...QUIET, replace_original: true });
    } else if (audience === "caller") {
      await this.whisper(body);
    } else {
      const more = { response_type: "in_channel", replace_original: false } as const;
      await this.#url.post({ ...body, ...QUIET, ...this.#thread, ...more });
    }
  }

  async whisper(body: Body): Promise<void> {
    const more = { response_type: "ephemeral", replace_original: false } as const;
    await this.#url.post({ ...body, ...QUIET, ...this.#thread, ...more });
  }

  beside(): Surface {
    return this;
  }

  inPlace(): boolean {
    return false;
  }

  clear(): Promise<void> {
    return this.#note.clear();
  }
}
