import type { Visibility } from "../../bot/invocation.ts";
import { once, patiently, type Calling, type Talk } from "./after-limit.ts";
import type { Body } from "./compose.ts";
import { directMessage } from "./direct-message.ts";
import { StandingMessage, type MessagePlace } from "./standing-message.ts";
import type { Surface } from "./surface.ts";

interface MentionPlace {
  readonly channel: string;
  readonly thread?: string | undefined;
  readonly user: string;
}

/** Answers a mention, in the thread where it was made. */
export class MentionSurface implements Surface {
  readonly replaces = false;
  readonly shared = true;
  readonly pace = "steady";
  readonly expires = false;
  readonly direct = false;
  readonly #talk: Talk;
  readonly #place: MessagePlace;
  readonly #user: string;
  /** What stands there for all to see. */
  readonly #shown: StandingMessage;
  readonly #note: StandingMessage;
  #told = false;

  constructor(talk: Talk, { channel, thread, user }: MentionPlace) {
    const place = { channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
    this.#talk = talk;
    this.#user = user;
    this.#place = place;
    this.#shown = new StandingMessage(talk, () => Promise.resolve(place));
    this.#note = directMessage(talk, user);
  }

  /**
   * For all to see: one message, which the answer takes the place of. What one person alone sees cannot be changed
   * there: after a first word it is told in direct messages.
   */
  async progress(body: Body, audience: Visibility): Promise<boolean> {
    if (audience === "channel") await this.#shown.progress(body);
    else if (this.#told) await this.#note.progress(body);
    else await this.#whisper(body, once);
    this.#told = true;
    return true;
  }

  say(body: Body, audience: Visibility): Promise<void> {
    return audience === "caller" ? this.whisper(body) : this.#shown.show(body);
  }

  async whisper(body: Body): Promise<void> {
    await this.#whisper(body, patiently(this.#talk));
    // What all saw of an answer that then became one person's.
    await this.#shown.clear();
  }

  beside(): Surface {
    return this;
  }

  inPlace(audience: Visibility): boolean {
    return audience === "channel";
  }

  clear(): Promise<void> {
    return this.#note.clear();
  }

  async #whisper(body: Body, call: Calling): Promise<void> {
    const message = { ...this.#place, user: this.#user, text: body.text, blocks: [...body.blocks] };
    await call(() => this.#talk.web.chat.postEphemeral(message));
  }
}
