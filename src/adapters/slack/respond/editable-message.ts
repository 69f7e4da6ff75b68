import { messageArguments, type MessageBody } from "../render/compose.ts";
import { errorCodeOf } from "../transport/api-error.ts";
import {
  type CallPolicy,
  openDirectChannel,
  retryingRateLimited,
  type WebApiAccess,
  withoutRetry,
} from "../transport/web-api.ts";

/** Where a message goes, as arguments of Slack's calls. */
export interface MessageDestination {
  readonly channel: string;
  readonly thread_ts?: string;
}

/** A message of the app's own: posted with its first content, edited afterwards. */
export class EditableMessage {
  readonly #api: WebApiAccess;
  readonly #destination: (call: CallPolicy) => Promise<MessageDestination>;
  #posted: { readonly channel: string; readonly ts: string } | undefined;

  /** `destination` is called for each new post, with the policy for its calls to Slack. */
  constructor(api: WebApiAccess, destination: (call: CallPolicy) => Promise<MessageDestination>) {
    this.#api = api;
    this.#destination = destination;
  }

  show(body: MessageBody): Promise<void> {
    return this.#show(body, retryingRateLimited(this.#api));
  }

  /** The same for progress, without waiting for a rate limit. */
  progress(body: MessageBody): Promise<void> {
    return this.#show(body, withoutRetry);
  }

  /** Deletes it; never rejects. */
  async clear(): Promise<void> {
    const posted = this.#posted;
    this.#posted = undefined;
    if (posted === undefined) return;
    // A progress message that remains states how long it is valid.
    await retryingRateLimited(this.#api)(() => this.#api.web.chat.delete(posted)).catch(() => undefined);
  }

  async #show(body: MessageBody, call: CallPolicy): Promise<void> {
    const message = messageArguments(body);
    const { web } = this.#api;
    const posted = this.#posted;
    if (posted !== undefined) {
      try {
        await call(() => web.chat.update({ ...posted, ...message }));
        return;
      } catch (error) {
        // Somebody deleted it.
        if (errorCodeOf(error) !== "message_not_found") throw error;
        this.#posted = undefined;
      }
    }
    const destination = await this.#destination(call);
    const { ts } = await call(() => web.chat.postMessage({ ...destination, ...message }));
    if (ts !== undefined) this.#posted = { channel: destination.channel, ts };
  }
}

/** An editable message in the app's direct messages with a user. */
export function editableDirectMessage(api: WebApiAccess, user: string): EditableMessage {
  return new EditableMessage(api, async (call) => ({ channel: await call(() => openDirectChannel(api.web, user)) }));
}
