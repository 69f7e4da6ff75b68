import type { WebClient } from "@slack/web-api";

import type { MessageBody } from "../render/compose.ts";
import { errorCodeOf } from "../transport/api-error.ts";
import { type CallPolicy, retryingRateLimited, type WebApiAccess, withoutRetry } from "../transport/web-api.ts";
import { messageArguments } from "./request-context.ts";

/** Where a message belongs, as Slack's calls name it. */
export interface MessageDestination {
  readonly channel: string;
  readonly thread_ts?: string;
}

/** One message of the app's own, which is posted when there is something to show and changed while it stands. */
export class EditableMessage {
  readonly #talk: WebApiAccess;
  readonly #place: (call: CallPolicy) => Promise<MessageDestination>;
  #standing: { readonly channel: string; readonly ts: string } | undefined;

  /** `place` is asked for each time that it is posted anew; what it asks of Slack goes through the call it is given. */
  constructor(talk: WebApiAccess, place: (call: CallPolicy) => Promise<MessageDestination>) {
    this.#talk = talk;
    this.#place = place;
  }

  show(body: MessageBody): Promise<void> {
    return this.#show(body, retryingRateLimited(this.#talk));
  }

  /** The same for what is of no use later: Slack's limit is not waited for. */
  progress(body: MessageBody): Promise<void> {
    return this.#show(body, withoutRetry);
  }

  /** Takes it away; never rejects. */
  async clear(): Promise<void> {
    const standing = this.#standing;
    this.#standing = undefined;
    if (standing === undefined) return;
    // What stays says itself until when it holds.
    await retryingRateLimited(this.#talk)(() => this.#talk.web.chat.delete(standing)).catch(() => undefined);
  }

  async #show(body: MessageBody, call: CallPolicy): Promise<void> {
    const message = messageArguments(body);
    const { web } = this.#talk;
    const standing = this.#standing;
    if (standing !== undefined) {
      try {
        await call(() => web.chat.update({ ...standing, ...message }));
        return;
      } catch (error) {
        // Somebody took it away.
        if (errorCodeOf(error) !== "message_not_found") throw error;
        this.#standing = undefined;
      }
    }
    const place = await this.#place(call);
    const { ts } = await call(() => web.chat.postMessage({ ...place, ...message }));
    if (ts !== undefined) this.#standing = { channel: place.channel, ts };
  }
}

/** One message in the app's direct messages with somebody. */
export function editableDirectMessage(talk: WebApiAccess, user: string): EditableMessage {
  return new EditableMessage(talk, async (call) => ({ channel: await call(() => openDirectChannel(talk.web, user)) }));
}

/** The channel of the app's direct messages with somebody. */
export async function openDirectChannel(web: WebClient, user: string): Promise<string> {
  const { channel } = await web.conversations.open({ users: user });
  if (channel?.id === undefined) throw new Error("Slack opened no direct messages");
  return channel.id;
}
