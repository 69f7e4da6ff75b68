import type { WebClient } from "@slack/web-api";

import { once, patiently, type Calling, type Talk } from "./after-limit.ts";
import type { Body } from "./compose.ts";
import { codeOf } from "./slack-fault.ts";
import { QUIET } from "./surface.ts";

/** One message in the app's direct messages with somebody, which is changed while it stands. */
export class DirectMessage {
  readonly #talk: Talk;
  readonly #user: string;
  #standing: { readonly channel: string; readonly ts: string } | undefined;

  constructor(talk: Talk, user: string) {
    this.#talk = talk;
    this.#user = user;
  }

  show(body: Body): Promise<void> {
    return this.#show(body, patiently(this.#talk));
  }

  /** The same for what is of no use later: Slack's limit is not waited for. */
  progress(body: Body): Promise<void> {
    return this.#show(body, once);
  }

  async #show(body: Body, call: Calling): Promise<void> {
    const message = { ...QUIET, text: body.text, blocks: [...body.blocks] };
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
    const channel = await call(() => directChannel(web, this.#user));
    const { ts } = await call(() => web.chat.postMessage({ channel, ...message }));
    if (ts !== undefined) this.#standing = { channel, ts };
  }

  /** Takes it away; never rejects. */
  async clear(): Promise<void> {
    const standing = this.#standing;
    this.#standing = undefined;
    if (standing === undefined) return;
    // What stays says itself until when it holds.
    await patiently(this.#talk)(() => this.#talk.web.chat.delete(standing)).catch(() => undefined);
  }
}

/** The channel of the app's direct messages with somebody. */
export async function directChannel(web: WebClient, user: string): Promise<string> {
  const { channel } = await web.conversations.open({ users: user });
  if (channel?.id === undefined) throw new Error("Slack opened no direct messages");
  return channel.id;
}
