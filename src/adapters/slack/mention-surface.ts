import type { Visibility } from "../../bot/invocation.ts";
import { once, patiently, type Calling, type Talk } from "./after-limit.ts";
import type { Body } from "./compose.ts";
import { DirectMessage } from "./direct-message.ts";
import { codeOf } from "./slack-fault.ts";
import { QUIET, type Surface } from "./surface.ts";

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
  readonly #patiently: Calling;
  readonly #place: { readonly channel: string; readonly thread_ts?: string };
  readonly #user: string;
  readonly #note: DirectMessage;
  /** What stands there for all to see. */
  #standing: string | undefined;
  #told = false;

  constructor(talk: Talk, { channel, thread, user }: MentionPlace) {
    this.#talk = talk;
    this.#patiently = patiently(talk);
    this.#user = user;
    this.#note = new DirectMessage(talk, user);
    this.#place = { channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
  }

  /**
   * For all to see: one message, which the answer takes the place of. What one person alone sees cannot be changed
   * there: after a first word it is told in direct messages.
   */
  async progress(body: Body, audience: Visibility): Promise<boolean> {
    if (audience === "channel") await this.#show(body, once);
    else if (this.#told) await this.#note.progress(body);
    else await this.#whisper(body, once);
    this.#told = true;
    return true;
  }

  say(body: Body, audience: Visibility): Promise<void> {
    return audience === "caller" ? this.whisper(body) : this.#show(body, this.#patiently);
  }

  async whisper(body: Body): Promise<void> {
    await this.#whisper(body, this.#patiently);
    await this.#takeAway();
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

  async #show(body: Body, call: Calling): Promise<void> {
    const message = { ...QUIET, text: body.text, blocks: [...body.blocks] };
    const { web } = this.#talk;
    const { channel } = this.#place;
    const ts = this.#standing;
    if (ts !== undefined) {
      try {
        await call(() => web.chat.update({ channel, ts, ...message }));
        return;
      } catch (error) {
        // Somebody took it away.
        if (codeOf(error) !== "message_not_found") throw error;
      }
    }
    const posted = await call(() => web.chat.postMessage({ ...this.#place, ...message }));
    this.#standing = posted.ts;
  }

  async #whisper(body: Body, call: Calling): Promise<void> {
    const message = { ...this.#place, user: this.#user, text: body.text, blocks: [...body.blocks] };
    await call(() => this.#talk.web.chat.postEphemeral(message));
  }

  /** What all saw of an answer that then became one person's. */
  async #takeAway(): Promise<void> {
    const ts = this.#standing;
    this.#standing = undefined;
    if (ts === undefined) return;
    const { channel } = this.#place;
    await this.#patiently(() => this.#talk.web.chat.delete({ channel, ts })).catch(() => undefined);
  }
}
