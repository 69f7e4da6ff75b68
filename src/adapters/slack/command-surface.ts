import type { Visibility } from "../../bot/invocation.ts";
import type { Body } from "./compose.ts";
import { PROGRESS_USES, RESPONSE_URL_USES } from "./limits.ts";
import type { ResponseUrl } from "./response-url.ts";
import { QUIET, type Surface } from "./surface.ts";

/** Answers a slash command: progress and answer follow each other in one message. */
export class CommandSurface implements Surface {
  readonly replaces = false;
  readonly pace = "few";
  readonly expires = true;
  readonly direct = false;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  #standing = false;
  /** What stands there tells how far it is, and no answer has taken its place. */
  #pending = false;

  constructor(url: ResponseUrl, shared: boolean) {
    this.#url = url;
    this.shared = shared;
  }

  async progress(body: Body): Promise<boolean> {
    // Two uses stay free: for the answer, and for an error or for taking the progress away.
    if (this.#url.left <= RESPONSE_URL_USES - PROGRESS_USES) return false;
    await this.whisper(body);
    this.#pending = true;
    return this.#url.left > RESPONSE_URL_USES - PROGRESS_USES;
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
    return new CommandSurface(this.#url, this.shared);
  }

  inPlace(): boolean {
    return true;
  }

  async clear(): Promise<void> {
    if (!this.#pending) return;
    this.#pending = false;
    // What stays says itself until when it holds.
    await this.#url.post({ delete_original: true }).catch(() => undefined);
  }
}
