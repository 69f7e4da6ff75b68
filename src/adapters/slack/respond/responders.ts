import type { SlackContext } from "../context.ts";
import { RESPONSE_URL_PROGRESS_USES, RESPONSE_URL_USES } from "../limits.ts";
import { messageArguments, type MessageBody, NO_UNFURL, withSmallPrint } from "../render/compose.ts";
import { errorCodeOf } from "../transport/api-error.ts";
import { ResponseUrl } from "../transport/response-url.ts";
import {
  type CallPolicy,
  openDirectChannel,
  retryRateLimited,
  type WebApiAccess,
  withoutRetry,
} from "../transport/web-api.ts";
import { CONTINUES_IN_DIRECT_MESSAGES } from "./notices.ts";
import type { PlaceOf, Posted } from "./place.ts";
import type { Responder } from "./request-context.ts";

/** Where a message goes, as arguments of Slack's calls. */
interface MessageDestination {
  readonly channel: string;
  readonly thread_ts?: string;
}

/**
 * Answers a slash command: the answer replaces the progress message, where Slack does that; it may post the answer beside
 * it (https://github.com/slackapi/bolt-js/issues/2287). Once the uses for progress are spent, progress
 * continues in direct messages.
 */
export function commandResponder(
  slack: SlackContext,
  options: PlaceOf<"command">,
  url = new ResponseUrl(options.address, slack),
): Responder {
  const { shared, shown = false, user } = options;
  const progressMessage = editableDirectMessage(slack, user, options.direct);
  let ephemeralPosted = shown;
  /** Whether a progress message is shown that no answer has replaced. */
  let pending = shown;
  const sayEphemeral = async (body: MessageBody): Promise<void> => {
    await url.post({ ...body, ...NO_UNFURL, response_type: "ephemeral", replace_original: ephemeralPosted });
    ephemeralPosted = true;
    pending = false;
  };
  return {
    place: () => ({
      kind: "command",
      ...options,
      address: url.address,
      shown: ephemeralPosted,
      direct: progressMessage.posted,
    }),
    shared,
    async showProgress(body) {
      // Two uses are reserved: for the answer, and for an error or for deleting the progress.
      const left = url.left - (RESPONSE_URL_USES - RESPONSE_URL_PROGRESS_USES);
      if (left <= 0) return progressMessage.progress(body);
      await sayEphemeral(left === 1 ? withSmallPrint(body, CONTINUES_IN_DIRECT_MESSAGES) : body);
      pending = true;
    },
    async say(body, audience) {
      if (audience === "caller") return sayEphemeral(body);
      // Progress that remains says nothing untrue; the answer does not wait for it.
      if (ephemeralPosted) await url.post({ delete_original: true }).catch(() => undefined);
      ephemeralPosted = false;
      pending = false;
      await url.post({ ...body, ...NO_UNFURL, response_type: "in_channel", replace_original: false });
    },
    amends: (audience) => audience === "caller",
    sayEphemeral,
    forFollowUp: () => commandResponder(slack, options, url),
    async clearProgress() {
      await progressMessage.clear();
      if (!pending) return;
      pending = false;
      // A progress message that remains states how long it is valid.
      await url.post({ delete_original: true }).catch(() => undefined);
    },
  };
}

/**
 * Answers a mention in the thread where it was made; for all to see, in its own. Slack shows no ephemeral message in a
 * thread that nobody has begun: https://docs.slack.dev/reference/methods/chat.postEphemeral.
 */
export function mentionResponder(api: WebApiAccess, options: PlaceOf<"mention">): Responder {
  const { channel, thread, message: mention = thread, user } = options;
  const inThread = (of: string | undefined) => ({ channel, ...(of === undefined ? {} : { thread_ts: of }) });
  const shown = editableMessage(api, () => Promise.resolve(inThread(thread ?? mention)), options.posted);
  const progressMessage = editableDirectMessage(api, user, options.direct);
  let progressShown = false;
  const postEphemeral = async (body: MessageBody, call: CallPolicy): Promise<void> => {
    const message = { ...inThread(thread), user, text: body.text, blocks: [...body.blocks] };
    await call(() => api.web.chat.postEphemeral(message));
  };
  const sayEphemeral = async (body: MessageBody): Promise<void> => {
    await postEphemeral(body, retryRateLimited(api));
    // Removes the public progress of an answer that turned out ephemeral.
    await shown.clear();
  };
  return {
    place: () => ({ kind: "mention", ...options, posted: shown.posted, direct: progressMessage.posted }),
    shared: true,
    replacesProgress: (audience) => audience === "channel",
    /**
     * Public: one message, which the answer replaces. An ephemeral message cannot be edited: after the first one,
     * progress continues in direct messages.
     */
    async showProgress(body, audience) {
      if (audience === "channel") await shown.progress(body);
      else if (progressShown) await progressMessage.progress(body);
      else await postEphemeral(body, withoutRetry);
      progressShown = true;
    },
    say: (body, audience) => (audience === "caller" ? sayEphemeral(body) : shown.show(body)),
    amends: (audience) => audience === "channel",
    sayEphemeral,
    clearProgress: () => progressMessage.clear(),
  };
}

/** Answers a button: in place of its message, or below it. */
export function buttonResponder(slack: SlackContext, options: PlaceOf<"button">): Responder {
  const { address, direct, replaces = false, shared, thread, user } = options;
  const url = new ResponseUrl(address, slack);
  const progressMessage = editableDirectMessage(slack, user, direct);
  const below = { ...(thread === undefined ? {} : { thread_ts: thread }), replace_original: false };
  let progressShown = false;
  const sayEphemeral = (body: MessageBody): Promise<void> =>
    url.post({ ...body, ...NO_UNFURL, ...below, response_type: "ephemeral" });
  return {
    place: () => ({ kind: "button", ...options, address: url.address, direct: progressMessage.posted }),
    shared,
    replacesMessage: replaces,
    replacesProgress: () => false,
    /**
     * A message below a button's cannot be edited at its response_url: after the first one, progress continues in direct
     * messages. A page is shown until the next one replaces it.
     */
    async showProgress(body) {
      if (progressShown || replaces) await progressMessage.progress(body);
      else await sayEphemeral(body);
      progressShown = true;
    },
    async say(body, audience) {
      if (replaces) await url.post({ ...body, ...NO_UNFURL, replace_original: true });
      else if (audience === "caller") await sayEphemeral(body);
      else await url.post({ ...body, ...NO_UNFURL, ...below, response_type: "in_channel" });
    },
    amends: () => replaces,
    sayEphemeral,
    clearProgress: () => progressMessage.clear(),
  };
}

/** Answers in the app's direct messages: for requests without a channel, and for late answers. */
export function directMessageResponder(api: WebApiAccess, user: string, posted?: Posted): Responder {
  const message = editableDirectMessage(api, user, posted);
  const show = (body: MessageBody): Promise<void> => message.show(body);
  return {
    place: () => ({ kind: "direct", user, posted: message.posted }),
    showProgress: (body) => message.progress(body),
    say: show,
    sayEphemeral: show,
    forFollowUp: () => directMessageResponder(api, user),
  };
}

/**
 * A message of the app's own: posted with its first content, edited afterwards. `destination` is called for each new
 * post, with the policy for its calls to Slack. `already`: it was posted before.
 */
function editableMessage(
  api: WebApiAccess,
  destination: (call: CallPolicy) => Promise<MessageDestination>,
  already?: Posted,
) {
  const { web } = api;
  let posted = already;

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
    /** As it stands now. */
    get posted() {
      return posted;
    },
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
function editableDirectMessage(api: WebApiAccess, user: string, already?: Posted) {
  const destination = async (call: CallPolicy) => ({ channel: await call(() => openDirectChannel(api.web, user)) });
  return editableMessage(api, destination, already);
}
