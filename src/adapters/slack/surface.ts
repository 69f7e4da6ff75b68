import type { WebClient } from "@slack/web-api";

import type { Visibility } from "../../bot/invocation.ts";
import { afterLimit, type Talk } from "./after-limit.ts";
import type { Body } from "./compose.ts";
import { PROGRESS_USES, RESPONSE_URL_USES } from "./limits.ts";
import type { ResponseUrl } from "./response-url.ts";

/** Where one question is answered. */
export interface Surface {
  /** Whether others could see an answer there. */
  readonly shared: boolean;
  /** Whether what is said takes the place of a message that stands there. */
  readonly replaces: boolean;
  /** Shows how far it is; false when nothing more can be shown. Rejects when that fails. */
  progress(body: Body): Promise<boolean>;
  /** Says the answer. Rejects with ResponseUrlGone when it is too late for that. */
  say(body: Body, audience: Visibility): Promise<void>;
  /** Says something to the asker alone, beside what stands there. */
  whisper(body: Body): Promise<void>;
}

/** Nothing said ever unfolds links. */
const QUIET = { unfurl_links: false, unfurl_media: false } as const;

/** Answers a slash command: progress and answer follow each other in one message. */
export class CommandSurface implements Surface {
  readonly replaces = false;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  #standing = false;

  constructor(url: ResponseUrl, shared: boolean) {
    this.#url = url;
    this.shared = shared;
  }

  async progress(body: Body): Promise<boolean> {
    // Two uses stay free: for the answer, and for an error or for taking the progress away.
    if (this.#url.left <= RESPONSE_URL_USES - PROGRESS_USES) return false;
    await this.#url.post({ ...body, ...QUIET, response_type: "ephemeral", replace_original: this.#standing });
    this.#standing = true;
    return this.#url.left > RESPONSE_URL_USES - PROGRESS_USES;
  }

  async say(body: Body, audience: Visibility): Promise<void> {
    if (audience === "caller") return this.whisper(body);
    if (this.#standing) await this.#url.post({ delete_original: true });
    this.#standing = false;
    await this.#url.post({ ...body, ...QUIET, response_type: "in_channel", replace_original: false });
  }

  async whisper(body: Body): Promise<void> {
    await this.#url.post({ ...body, ...QUIET, response_type: "ephemeral", replace_original: this.#standing });
    this.#standing = true;
  }
}

/** Answers a button: in place of its message, or below it. */
export class ButtonSurface implements Surface {
  readonly replaces: boolean;
  readonly shared: boolean;
  readonly #url: ResponseUrl;
  readonly #thread: { readonly thread_ts?: string };

  constructor(url: ResponseUrl, more: { replaces: boolean; shared: boolean; thread?: string | undefined }) {
    this.#url = url;
    this.replaces = more.replaces;
    this.shared = more.shared;
    this.#thread = more.thread === undefined ? {} : { thread_ts: more.thread };
  }

  /** What is posted below a message cannot be changed through the message's address: one word about it is enough. */
  async progress(body: Body): Promise<boolean> {
    if (!this.replaces) await this.whisper(body);
    return false;
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
    await this.#url.post({
      ...body,
      ...QUIET,
      ...this.#thread,
      response_type: "ephemeral",
      replace_original: false,
    });
  }
}

/** Answers a mention, in the thread where it was made. */
export class MentionSurface implements Surface {
  readonly replaces = false;
  readonly shared = true;
  readonly #talk: Talk;
  readonly #place: { readonly channel: string; readonly thread_ts?: string };
  readonly #user: string;

  constructor(talk: Talk, where: { channel: string; thread?: string | undefined; user: string }) {
    this.#talk = talk;
    this.#user = where.user;
    this.#place = { channel: where.channel, ...(where.thread === undefined ? {} : { thread_ts: where.thread }) };
  }

  /** What one person alone sees cannot be changed here: one word about it is enough. */
  async progress(body: Body): Promise<boolean> {
    await this.whisper(body);
    return false;
  }

  async say(body: Body, audience: Visibility): Promise<void> {
    if (audience === "caller") return this.whisper(body);
    const message = { ...this.#place, ...QUIET, text: body.text, blocks: [...body.blocks] };
    await afterLimit(this.#talk.signal, () => this.#talk.web.chat.postMessage(message));
  }

  async whisper(body: Body): Promise<void> {
    const message = { ...this.#place, user: this.#user, text: body.text, blocks: [...body.blocks] };
    await afterLimit(this.#talk.signal, () => this.#talk.web.chat.postEphemeral(message));
  }
}

/** Answers in the app's direct messages: where nothing else can, and for what comes late. */
export class DirectSurface implements Surface {
  readonly replaces = false;
  readonly shared = false;
  readonly #talk: Talk;
  readonly #user: string;
  #standing: { readonly channel: string; readonly ts: string } | undefined;

  constructor(talk: Talk, user: string) {
    this.#talk = talk;
    this.#user = user;
  }

  async progress(body: Body): Promise<boolean> {
    await this.whisper(body);
    return true;
  }

  say(body: Body): Promise<void> {
    return this.whisper(body);
  }

  async whisper(body: Body): Promise<void> {
    const message = { ...QUIET, text: body.text, blocks: [...body.blocks] };
    const { signal, web } = this.#talk;
    const standing = this.#standing;
    if (standing !== undefined) {
      await afterLimit(signal, () => web.chat.update({ ...standing, ...message }));
      return;
    }
    const channel = await afterLimit(signal, () => directChannel(web, this.#user));
    const { ts } = await afterLimit(signal, () => web.chat.postMessage({ channel, ...message }));
    if (ts !== undefined) this.#standing = { channel, ts };
  }
}

/** The channel of the app's direct messages with somebody. */
export async function directChannel(web: WebClient, user: string): Promise<string> {
  const { channel } = await web.conversations.open({ users: user });
  if (channel?.id === undefined) throw new Error("Slack opened no direct messages");
  return channel.id;
}
