// Posts and edits alerts through the Web API; implements the sender that the alerts' dispatcher calls.
// Next: channel-queue.ts (order and pace within a channel), files.ts (uploads), send-error.ts (what a failed call means
// for its delivery).
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";

import {
  type Delivery,
  type Edit,
  type Receipt,
  type Sender,
  SendError,
  type SharedToken,
  throwUnlessAlive,
} from "../../../alerts/sender.ts";
import { inTime, type Milliseconds } from "../../../units/time.ts";
import type { Reply } from "../../../reply/reply.ts";
import type { PressStorage } from "../../chat/press.ts";
import { RefusedToken } from "../../chat/refused-token.ts";
import {
  compose,
  type ComposedMessage,
  composePlain,
  messageArguments,
  type MessageBody,
  USER_ID,
  withLine,
  withMention,
} from "../render/compose.ts";
import { describeError, errorCodeOf, retryAfterMillis } from "../transport/api-error.ts";
import { type CallPolicy, openDirectChannel } from "../transport/web-api.ts";
import { ChannelQueue } from "./channel-queue.ts";
import { type FileUploadDependencies, threadFiles } from "./files.ts";
import { isNotInChannel, isDeleted, isThreadClosed, toSendError } from "./send-error.ts";
import type { SlackTiming } from "../context.ts";

/** The metadata event that carries a delivery's id and subject with its message: https://docs.slack.dev/messaging/message-metadata. */
const DELIVERY_EVENT = "bellwether_delivery";
/** Longer waits fail the attempt, and the dispatcher retries. */
const LONGEST_RATE_LIMIT_WAIT_MILLIS = 5000;
const MAX_CACHED = 10_000;
/** Of one metadata value: Slack refuses a message whose metadata is too large. */
const METADATA_LENGTH = 255;

export interface SlackSenderDependencies
  extends PressStorage, Omit<FileUploadDependencies, "web">, Pick<SlackTiming, "editMillis" | "channelMillis"> {
  /** The root command, with its slash. */
  readonly command: string;
  /** Unix milliseconds. */
  readonly now?: (() => Milliseconds) | undefined;
  /** Called with a channel that the bot is not in. */
  readonly onNotInChannel?: ((channel: string) => void) | undefined;
  readonly token: SharedToken;
  /** The entries of each of its caches. */
  readonly cached?: number | undefined;
}

/** Calls to Slack from a channel's queue: they wait for rate limits and end with the signal. */
interface QueuedCalls {
  /** For calls that post nothing. */
  readonly ask: CallPolicy;
  readonly post: CallPolicy;
}

interface Posted {
  readonly channel: string;
  readonly message: string;
  readonly thread: string | undefined;
}

/** What a queued edit shows; a newer one of the same message replaces it. */
interface EditContent {
  readonly reply: Reply;
  readonly edit: Edit;
}

/**
 * Posts alerts, through the Web API alone: no socket is needed. Messages of one channel are sent in order, urgent ones
 * ahead of the others, about one a second; channels do not block each other. The caller disposes of the reply's files.
 */
export class SlackSender implements Sender {
  readonly platform = "slack";
  readonly #web: WebClient;
  readonly #dependencies: SlackSenderDependencies;
  readonly #queue = new ChannelQueue();
  readonly #directChannels: LRUCache<string, string>;
  readonly #editedAt: LRUCache<string, number>;
  readonly #files: ReturnType<typeof threadFiles>;
  readonly #edits = new Map<string, EditContent & { readonly done: Promise<void> }>();
  readonly #refusal = new RefusedToken();

  constructor(web: WebClient, dependencies: SlackSenderDependencies) {
    this.#web = web;
    this.#dependencies = dependencies;
    // Without `max`, which would reserve the room for all of them.
    const bound = { maxSize: dependencies.cached ?? MAX_CACHED, sizeCalculation: () => 1 };
    this.#directChannels = new LRUCache(bound);
    this.#editedAt = new LRUCache(bound);
    this.#files = threadFiles({ ...dependencies, web }, bound);
  }

  async send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    const { channel } = delivery.destination;
    let composing: Promise<ComposedMessage> | undefined;
    const ready = () => (composing ??= this.#compose(reply, delivery.plain));
    const work = async (calls: QueuedCalls): Promise<Posted> => {
      const { body } = await ready();
      return this.#post(delivery, withMention(body, delivery.mention), calls, signal);
    };
    const posted = await this.#inOrder(channel, signal, work, { ready, urgent: delivery.urgent === true });
    const receipt = { platform: this.platform, channel: posted.channel, message: posted.message };
    const onPosted = (): void => delivery.onPosted?.(receipt);
    await this.#addFiles(await ready(), posted, signal, onPosted);
    await this.#files.addPicture(delivery.picture, posted, onPosted);
    return receipt;
  }

  async link({ channel, message }: Receipt, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { permalink } = await orAborted(this.#web.chat.getPermalink({ channel, message_ts: message }), signal);
      return permalink;
    } catch {
      return undefined;
    }
  }

  /** Queued edits of one message are merged: only the last one is sent, and all resolve with it. */
  async update(receipt: Receipt, reply: Reply, signal: AbortSignal, edit: Edit = {}): Promise<void> {
    const { channel, message } = receipt;
    const key = `${channel} ${message}`;
    const waiting = this.#edits.get(key);
    if (waiting !== undefined) return Object.assign(waiting, { reply, edit }).done;
    const content: EditContent = { reply, edit };
    const queued = Object.assign(content, { done: this.#edit(key, receipt, content, signal) });
    this.#edits.set(key, queued);
    try {
      await queued.done;
    } finally {
      if (this.#edits.get(key) === queued) this.#edits.delete(key);
    }
  }

  async #edit(key: string, { channel, message }: Receipt, content: EditContent, signal: AbortSignal): Promise<void> {
    await this.#pauseBetweenEdits(key, signal);
    const composed = await this.#inOrder(channel, signal, async (calls) => {
      // From here on a newer edit is queued separately.
      this.#edits.delete(key);
      const shown = await this.#compose(content.reply, content.edit.plain);
      const edit = { channel, ts: message, ...messageArguments(shown.body) };
      await calls.post(() => this.#web.chat.update(edit)).catch(throwAsDeleted);
      this.#editedAt.set(key, performance.now());
      return shown;
    });
    const { threadOf, onPosted, picture } = content.edit;
    const posted = { channel, message, thread: threadUnder(threadOf, channel) };
    await this.#addFiles(composed, posted, signal, onPosted);
    await this.#files.addPicture(picture, posted, onPosted);
  }

  async #compose(reply: Reply, plain: true | undefined): Promise<ComposedMessage> {
    const { command } = this.#dependencies;
    return plain === true
      ? { body: composePlain(reply, command), files: [] }
      : compose(reply, { command }, this.#dependencies);
  }

  /** Other messages of the channel go on meanwhile. */
  async #pauseBetweenEdits(key: string, signal: AbortSignal): Promise<void> {
    const { editMillis, sleep } = this.#dependencies;
    const wait = (this.#editedAt.get(key) ?? Number.NEGATIVE_INFINITY) + editMillis - performance.now();
    if (wait <= 0) return;
    try {
      await sleep(wait, signal);
    } catch (error) {
      throw toSendError(error, false);
    }
  }

  /** Posts a message; into the channel where its thread takes none. */
  async #post(delivery: Delivery, body: MessageBody, { ask, post }: QueuedCalls, signal: AbortSignal): Promise<Posted> {
    const { destination, threadOf, id } = delivery;
    // Slack may have refused the metadata: a plain message carries the id alone.
    const about = delivery.plain === true ? {} : metadataOf(delivery.about);
    const metadata = { event_type: DELIVERY_EVENT, event_payload: { ...about, delivery: id } };
    const attempt = async (inThread: boolean): Promise<Posted> => {
      const channel = await this.#channelOf(destination.channel, ask);
      // Threads have one level: an answer to a message inside one belongs in the same.
      const thread = inThread ? (destination.thread ?? threadUnder(threadOf, channel)) : undefined;
      const place = { channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
      const message = { ...place, ...messageArguments(body), metadata };
      const identified = { ...message, client_msg_id: clientMessageId(delivery) };
      const posted = await post(async () => {
        const answer = await this.#web.chat.postMessage(identified);
        // The attempt has ended: its caller has taken the outcome for unknown.
        if (signal.aborted && answer.ts !== undefined) {
          delivery.onLateReceipt?.({ platform: this.platform, channel: answer.channel ?? channel, message: answer.ts });
        }
        return answer;
      }).catch((error: unknown) => {
        // Slack knows of a repeat and finds no first one: it is posted without that id.
        if (errorCodeOf(error)?.startsWith("duplicate_") !== true) throw error;
        return post(() => this.#web.chat.postMessage(message));
      });
      if (posted.ts === undefined) throw new SendError("maybe-sent", "Slack gave no receipt");
      return { channel: posted.channel ?? channel, message: posted.ts, thread };
    };
    try {
      return await attempt(true);
    } catch (error) {
      if (threadOf !== undefined && destination.thread === undefined && isDeleted(error)) throwAsDeleted(error);
      if (isThreadClosed(error) && (destination.thread ?? threadOf) !== undefined) return attempt(false);
      // A cached conversation may have been closed: it is opened anew, once.
      if (
        errorCodeOf(error) === "channel_not_found" &&
        this.#directChannels.delete(userIdIn(destination.channel) ?? "")
      )
        return attempt(true);
      throw error;
    }
  }

  async #inOrder<T>(
    channel: string,
    signal: AbortSignal,
    work: (calls: QueuedCalls) => Promise<T>,
    options: { readonly ready?: () => Promise<unknown>; readonly urgent?: boolean } = {},
  ): Promise<T> {
    let posting = false;
    const call = async <R>(once: () => Promise<R>, posts: boolean): Promise<R> => {
      for (;;) {
        signal.throwIfAborted();
        this.#refusal.throwWhileRefused();
        if (posts) throwUnlessAlive(this.#dependencies.token);
        posting = posts;
        // Slack counts requests, however long it takes to answer them.
        if (posts) this.#queue.hold(channel, this.#dependencies.channelMillis);
        try {
          return await orAborted(once(), signal);
        } catch (error) {
          const wait = retryAfterMillis(error);
          if (wait === undefined) throw error;
          this.#queue.hold(channel, wait);
          if (wait > LONGEST_RATE_LIMIT_WAIT_MILLIS) throw error;
          posting = false;
          await sleep(wait, undefined, { signal });
          // The dispatcher tries again; urgent messages go first.
          if (options.urgent !== true && this.#queue.hasUrgent(channel)) throw error;
        }
      }
    };
    try {
      const calls: QueuedCalls = { ask: (once) => call(once, false), post: (once) => call(once, true) };
      return await this.#queue.run(channel, signal, () => work(calls), options);
    } catch (error) {
      if (isNotInChannel(errorCodeOf(error))) this.#dependencies.onNotInChannel?.(channel);
      throw this.#refusal.note(toSendError(error, posting, this.#dependencies.botName()));
    }
  }

  async checkToken(signal: AbortSignal): Promise<void> {
    try {
      await orAborted(this.#web.auth.test(), signal);
      this.#refusal.accept();
    } catch (error) {
      throw this.#refusal.note(toSendError(error, true));
    }
  }

  async #channelOf(channel: string, ask: CallPolicy): Promise<string> {
    const userId = userIdIn(channel);
    if (userId === undefined) return channel;
    const known = this.#directChannels.get(userId);
    if (known !== undefined) return known;
    const opened = await ask(() => openDirectChannel(this.#web, userId));
    this.#directChannels.set(userId, opened);
    return opened;
  }

  /** Files follow in the message's thread, and so does a line about each that Slack refuses. No other message waits for it. */
  async #addFiles(
    { files }: ComposedMessage,
    { channel, message, thread = message }: Posted,
    signal: AbortSignal,
    onPosted: (() => void) | undefined,
  ): Promise<void> {
    const key = `${channel} ${message}`;
    const missing = this.#files.missing(key, files);
    if (missing.length === 0) return;
    onPosted?.();
    const failed = await this.#files.send(key, { channel, thread }, missing, signal);
    if (failed.length === 0) return;
    const body = withLine({ text: "Some files could not be sent", blocks: [] }, failed.join("\n"));
    const note = { channel, thread_ts: thread, ...messageArguments(body) };
    try {
      await this.#inOrder(channel, signal, ({ post }) => post(() => this.#web.chat.postMessage(note)));
    } catch (error) {
      this.#dependencies.log.warn({ platform: "slack", why: describeError(error) }, "alert files not sent");
    }
  }
}

/**
 * A UUID (version 8, RFC 9562) that is the same for all attempts of a delivery, as long as none tells more than the one
 * before: that its alert got worse, or is over. Slack documents errors about client_msg_id and no promise: nothing relies
 * on it.
 */
function clientMessageId({ id, about }: Delivery): string {
  const hex = createHash("sha256").update(`${id} ${about?.severity} ${about?.state}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** Of a call that names a message: where it says "deleted", that is the message, and the channel is there. */
function throwAsDeleted(error: unknown): never {
  throw isDeleted(error) ? new SendError("deleted", describeError(error), { cause: error }) : error;
}

function userIdIn(channel: string): string | undefined {
  return USER_ID.exec(channel)?.[1];
}

function metadataOf(about: Delivery["about"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(about ?? {}).map(([name, value]) => [name, value.slice(0, METADATA_LENGTH).toWellFormed()]),
  );
}

/** The thread below a message of this channel. */
function threadUnder(parent: Receipt | undefined, channel: string): string | undefined {
  return parent?.platform === "slack" && parent.channel === channel ? parent.message : undefined;
}

/** Rejects when the signal aborts; the call itself goes on, and its result is unknown. */
function orAborted<R>(call: Promise<R>, signal: AbortSignal): Promise<R> {
  return inTime(call, { signal }, () => {
    throw signal.reason instanceof Error ? signal.reason : new Error("aborted");
  });
}
