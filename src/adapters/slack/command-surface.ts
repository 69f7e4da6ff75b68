import type { Visibility } from "../../bot/invocation.ts";
import { withSmallPrint, type Body } from "./compose.ts";
import { PROGRESS_USES, RESPONSE_URL_USES } from "./limits.ts";
import { GOES_ON_DIRECTLY } from "./notices.ts";
import type { ResponseUrl } from "./response-url.ts";
import type { StandingMessage } from "./standing-message.ts";
import { QUIET, type Surface } from "./surface.ts";

interface CommandPlace {
  readonly shared: boolean;
  /** Where it can be told again and again how far it is. */
  readonly note: StandingMessage;
}

/**
 * Answers a slash command: progress and answer follow each other in one message. When the uses for progress are over,
 * direct messages tell it.
 */
export class CommandSurface implements Surface {
  readonly replaces = false;
  readonly pace = "few";
  readonly expires = true;
  readonly direct = false;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  readonly #note: StandingMessage;
  #standing = false;
  /** What stands there tells how far it is, and no answer has taken its place. */
  #pending = false;

  constructor(url: ResponseUrl, { shared, note }: CommandPlace) {
    this.#url = url;
    this.shared = shared;
    this.#note = note;
  }

  async progress(body: Body): Promise<boolean> {
    // Two uses stay free: for the answer, and for an error or for taking the progress away.
    const left = this.#url.left - (RESPONSE_URL_USES - PROGRESS_USES);
    if (left <= 0) {
      await this.#note.progress(body);
      return true;
    }
    await this.whisper(left === 1 ? withSmallPrint(body, GOES_ON_DIRECTLY) : body);
    this.#pending = true;
    return true;
  }

  async say(body: Body, audience: Visibility): Promise<void> {
    if (audience === "caller") return this.whisper(body);
    if (this.#standing) await this.#url.post({ delete_original: true });
    this.#standing = false;
    this.#pending = false;
    await this.#url.post({ ...body, ...QUIET, response_type: "in_channel", replace_original: false });
  }

  async whisper(body: Body): Promise<void> {
    await this.#url.post({ ...body, ...QUIET, response_type: "ephemeral", replace_original: this.#standing });
    this.#standing = true;
    this.#pending = false;
  }

  beside(): Surface {
    return new CommandSurface(this.#url, { shared: this.shared, note: this.#note });
  }

  inPlace(): boolean {
    return true;
  }

  async clear(): Promise<void> {
    await this.#note.clear();
    if (!this.#pending) return;
    this.#pending = false;
    // What stays says itself until when it holds.
    await this.#url.post({ delete_original: true }).catch(() => undefined);
  }
}
