import { messageArguments, type MessageBody } from "../render/compose.ts";
import { errorCodeOf } from "../transport/api-error.ts";
import {
  type CallPolicy,
  openDirectChannel,
  retryRateLimited,
  type WebApiAccess,
  withoutRetry,
} from "../transport/web-api.ts";

/** Where a message goes, as arguments of Slack's calls. */
interface MessageDestination {
  readonly channel: string;
  readonly thread_ts?: string;
}

/**
 * A message of the app's own: posted with its first content, edited afterwards. `destination` is called for each new
 * post, with the policy for its calls to Slack.
 */
export function editableMessage(api: WebApiAccess, destination: (call: CallPolicy) => Promise<MessageDestination>) {
  const { web } = api;
  let posted: { readonly channel: string; readonly ts: string } | undefined;

  async function put(body: MessageBody, call: CallPolicy): Promise<void> {
    const message = messageArguments(body);
    const before = posted;
    if (before !== undefined) {
      try {
        await call(() => web.chat.update({ ...before, ...message }));
        return;
      } catch (error) {
        // Somebody deleted it.
        if (errorCodeOf(error) !== "message_not_found") throw error;
        posted = undefined;
      }
    }
    const place = await destination(call);
    const { ts } = await call(() => web.chat.postMessage({ ...place, ...message }));
    if (ts !== undefined) posted = { channel: place.channel, ts };
  }

  return {
    show: (body: MessageBody): Promise<void> => put(body, retryRateLimited(api)),
    /** The same for progress, without waiting for a rate limit. */
    progress: (body: MessageBody): Promise<void> => put(body, withoutRetry),
    /** Deletes it; never rejects. */
    async clear(): Promise<void> {
      const gone = posted;
      posted = undefined;
      if (gone === undefined) return;
      // A progress message that remains states how long it is valid.
      await retryRateLimited(api)(() => web.chat.delete(gone)).catch(() => undefined);
    },
  };
}

/** An editable message in the app's direct messages with a user. */
export function editableDirectMessage(api: WebApiAccess, user: string) {
  return editableMessage(api, async (call) => ({ channel: await call(() => openDirectChannel(api.web, user)) }));
}
