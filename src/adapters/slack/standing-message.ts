import { once, patiently, type Calling, type Talk } from "./after-limit.ts";
import type { Body } from "./compose.ts";
import { codeOf } from "./slack-fault.ts";
import { messageOf } from "./surface.ts";

/** Where a message belongs, as Slack's calls name it. */
export interface MessagePlace {
  readonly channel: string;
  readonly thread_ts?: string;
}

/** One message of the app's own, which is posted when there is something to show and changed while it stands. */
export class StandingMessage {
  readonly #talk: Talk;
  readonly #place: (call: Calling) => Promise<MessagePlace>;
  #standing: { readonly channel: string; readonly ts: string } | undefined;

  /** `place` is asked for each time that it is posted anew; what it asks of Slack goes through the call it is given. */
  constructor(talk: Talk, place: (call: Calling) => Promise<MessagePlace>) {
    this.#talk = talk;
    this.#place = place;
  }

  show(body: Body): Promise<void> {
    return this.#show(body, patiently(this.#talk));
  }

  /** The same for what is of no use later: Slack's limit is not waited for. */
  progress(body: Body): Promise<void> {
    return this.#show(body, once);
  }

  /** Takes it away; never rejects. */
  async clear(): Promise<void> {
    const standing = this.#standing;
    this.#standing = undefined;
    if (standing === undefined) return;
    // What stays says itself until when it holds.
    await patiently(this.#talk)(() => this.#talk.web.chat.delete(standing)).catch(() => undefined);
  }

  async #show(body: Body, call: Calling): Promise<void> {
    const message = messageOf(body);
    const { web } = this.#talk;
    const standing = this.#standing;
    if (standing !== undefined) {
      try {
        await call(() => web.chat.update({ ...standing, ...message }));
        return;
      } catch (error) {
        // Somebody took it away.
        if (codeOf(error) !== "message_not_found") throw error;
        this.#standing = undefined;
      }
    }
    const place = await this.#place(call);
    const { ts } = await call(() => web.chat.postMessage({ ...place, ...message }));
    if (ts !== undefined) this.#standing = { channel: place.channel, ts };
  }
}
