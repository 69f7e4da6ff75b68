import type { Talk } from "./after-limit.ts";
import type { Body } from "./compose.ts";
import { directMessage } from "./direct-message.ts";
import type { StandingMessage } from "./standing-message.ts";
import type { Surface } from "./surface.ts";

/** Answers in the app's direct messages: where nothing else can, and for what comes late. */
export class DirectSurface implements Surface {
  readonly replaces = false;
  readonly shared = false;
  readonly pace = "steady";
  readonly expires = false;
  readonly direct = true;
  readonly #talk: Talk;
  readonly #user: string;
  readonly #message: StandingMessage;

  constructor(talk: Talk, user: string) {
    this.#talk = talk;
    this.#user = user;
    this.#message = directMessage(talk, user);
  }

  async progress(body: Body): Promise<boolean> {
    await this.#message.progress(body);
    return true;
  }

  say(body: Body): Promise<void> {
    return this.#message.show(body);
  }

  whisper(body: Body): Promise<void> {
    return this.#message.show(body);
  }

  beside(): Surface {
    return new DirectSurface(this.#talk, this.#user);
  }

  inPlace(): boolean {
    return true;
  }

  clear(): Promise<void> {
    return Promise.resolve();
  }
}
