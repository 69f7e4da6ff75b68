// Sends alerts to Discord over REST. Read next: rate-limiter.ts (the global limit and waits), body.ts (bodies), send-error.ts (what a failed
// request means for the delivery).
import {
  type APIAttachment,
  type APIDMChannel,
  type APIMessage,
  RESTJSONErrorCodes,
  Routes,
} from "discord-api-types/v10";
import { DiscordAPIError, type REST } from "discord.js";
import { LRUCache } from "lru-cache";

import {
  type AddPicture,
  type Delivery,
  type Edit,
  type Receipt,
  type Sender,
  SendError,
  OWN_TOKEN,
  type SharedToken,
  throwUnlessAlive,
} from "../../../alerts/sender.ts";
import { messageOf } from "../../../errors.ts";
import { aboveFold } from "../../../reply/fold.ts";
import { type MessageFile, messageFile, type Reply } from "../../../reply/reply.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import type { CommandMentions } from "../command-mentions.ts";
import type { PressStorage } from "../../chat/press.ts";
import { NONCE_LENGTH, NONCE_LIFETIME_MILLIS } from "../limits.ts";
import { type ComposedMessage, composeNotifying, composePlain } from "../render/compose.ts";
import { flatText } from "../render/markdown.ts";
import { errorForLog, hasErrorCode, isTokenRefused } from "../transport/rest.ts";
import { attachmentsOf, uploadOf } from "../transport/upload.ts";
import { RefusedToken } from "../../chat/refused-token.ts";
import { type LimitedRequest, limitedRequests, RateLimiter, type Turn } from "./rate-limiter.ts";
import { bodyFor, type EditedMessage, keeping, nameOfPicture, withImage, wordsOf } from "./body.ts";
import { toSendError } from "./send-error.ts";

/** Discord's error codes for a thread that takes no messages any more. */
const THREAD_CLOSED_CODES = [
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.ThreadLocked,
] as const;

/** Deliveries that may wait for the rate limit: enough to use it up, too few to wait for longer than a second or two. */
const MAX_WAITING = 64;

/** https://docs.discord.com/developers/resources/channel#start-thread-from-message. */
const THREAD_NAME_LENGTH = 100;
/** Begins the name of a thread whose alert is over. */
const OVER_MARK = "✅ ";
/** Minutes of silence after which Discord archives a thread; the next message reopens it. */
const ARCHIVE_MINUTES = 1440;

/** Precedes a user's id where a destination is a direct message. */
const USER_PREFIX = "user:";

/** A message whose own archives are deleted once it is disposed of. */
type Composed = ComposedMessage & AsyncDisposable;

export interface SenderDependencies extends PressStorage {
  /** A client of its own for files: the library makes the requests of a channel one after the other. */
  readonly uploads?: REST;
  /** Left out: commands are named as they are typed. */
  readonly mentions?: CommandMentions;
  readonly token?: SharedToken;
}

/**
 * Posts alerts over REST alone, without a gateway. Messages of one channel are sent in order, urgent ones ahead of the
 * others; channels do not block each other. The caller disposes of the reply's files.
 */
export class DiscordSender implements Sender {
  readonly platform = "discord";
  readonly dropsRepeatsForMillis = NONCE_LIFETIME_MILLIS;
  readonly #rest: REST;
  readonly #dependencies: SenderDependencies;
  readonly #token: SharedToken;
  readonly #limiter: RateLimiter;
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #refusal = new RefusedToken();
  // Without `max`, which would reserve the room for all of them.
  readonly #directChannels = new LRUCache<string, string>({ maxSize: 10_000, sizeCalculation: () => 1 });
  /** The servers of channels; `@me` of direct messages. */
  readonly #guilds = new LRUCache<string, string>({ maxSize: 10_000, sizeCalculation: () => 1 });
  readonly #startedThreads = new LRUCache<string, true>({ maxSize: 10_000, sizeCalculation: () => 1 });

  constructor(rest: REST, dependencies: SenderDependencies, limiter?: RateLimiter) {
    this.#rest = rest;
    this.#token = dependencies.token ?? OWN_TOKEN;
    this.#limiter = limiter ?? new RateLimiter(undefined, () => this.#token.live);
    this.#dependencies = dependencies;
  }

  capacity(): number {
    return MAX_WAITING - this.#limiter.waiting;
  }

  async send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    const { destination, urgent = false } = delivery;
    await using made = new AsyncDisposableStack();
    const work = async (request: LimitedRequest): Promise<{ receipt: Receipt; message: Composed }> => {
      if (delivery.id.length > NONCE_LENGTH)
        throw new SendError("unsendable", `a delivery id above ${NONCE_LENGTH} characters`);
      const parent = destination.thread ?? (await this.#channelOf(destination.channel, request));
      const title = oneLine(delivery.threadName ?? flatText(reply.title));
      const channel = await this.#threadOf(delivery, parent, title, request);
      const isDirect = destination.channel.startsWith(USER_PREFIX);
      const message = made.use(await this.#compose(reply, isDirect, delivery.plain, signal));
      const body = { ...bodyFor(wordsOf(message), delivery), nonce: delivery.id, enforce_nonce: true };
      const post = async (where: string) => {
        const route = Routes.channelMessages(where);
        const posted = (await request(() => this.#rest.post(route, { body, signal }))) as APIMessage;
        return { receipt: { platform: this.platform, channel: where, message: posted.id }, message };
      };
      try {
        return await post(channel);
      } catch (error) {
        if (channel !== parent && hasErrorCode(error, ...THREAD_CLOSED_CODES)) return post(parent);
        const isDeleted = hasErrorCode(error, RESTJSONErrorCodes.UnknownChannel);
        // An alert whose thread was chosen by its subscription is told all the same.
        if (destination.thread === channel && isDeleted) return post(destination.channel);
        if (channel === parent) throw error;
        return throwAsDeleted(error);
      }
    };
    const turn = urgent ? "urgent" : "usual";
    const { receipt, message } = await this.#inOrder(destination.thread ?? destination.channel, signal, work, turn);
    const onPosted = (): void => delivery.onPosted?.(receipt);
    const shown = await this.#addFiles(receipt, message, signal, onPosted);
    await this.#addPicture(receipt, message, shown?.attachments ?? [], delivery.picture, onPosted);
    return receipt;
  }

  async link({ channel, message }: Receipt, signal: AbortSignal): Promise<string | undefined> {
    try {
      const known = this.#guilds.get(channel);
      const { guild_id: guild = known } =
        known === undefined
          ? ((await this.#rest.get(Routes.channel(channel), { signal })) as { guild_id?: string })
          : {};
      const server = guild ?? "@me";
      this.#guilds.set(channel, server);
      return `https://discord.com/channels/${server}/${channel}/${message}`;
    } catch {
      return undefined;
    }
  }

  async update(receipt: Receipt, reply: Reply, signal: AbortSignal, edit: Edit = {}): Promise<void> {
    await using made = new AsyncDisposableStack();
    const { message, shown } = await this.#inOrder(receipt.channel, signal, async (request) => {
      const isDirect = this.#directChannels.values().some((channel) => channel === receipt.channel);
      const composed = made.use(await this.#compose(reply, isDirect, edit.plain, signal));
      const kept = edit.plain === true ? composed : { ...composed, body: keeping(composed.body, edit.pictured) };
      const body = wordsOf(kept);
      const edited = await request(() => this.#rest.patch(routeOf(receipt), { body, signal })).catch(throwAsDeleted);
      if (edit.over === true) await this.#markThread(edited as APIMessage, request);
      return { message: kept, shown: edited as APIMessage };
    });
    const after = await this.#addFiles(receipt, message, signal, edit.onPosted);
    await this.#addPicture(receipt, message, (after ?? shown).attachments, edit.picture, edit.onPosted);
  }

  /** Adds the files to a message whose words stand there, in place of those that it has. No other message waits for it. */
  async #addFiles(
    receipt: Receipt,
    { body, files }: EditedMessage,
    signal: AbortSignal,
    onPosted: (() => void) | undefined,
  ): Promise<APIMessage | undefined> {
    if (files.length === 0) return undefined;
    onPosted?.();
    const { allowed_mentions, attachments, embeds } = body;
    return this.#upload(receipt, { allowed_mentions, attachments, embeds }, files, signal);
  }

  async #upload(
    receipt: Receipt,
    body: object,
    files: readonly MessageFile[],
    signal: AbortSignal,
    turn?: Turn,
  ): Promise<APIMessage> {
    const { uploads = this.#rest } = this.#dependencies;
    const work = async (request: LimitedRequest): Promise<unknown> => {
      const upload = uploadOf(body, files, signal);
      return request(() => uploads.patch(routeOf(receipt), upload)).catch(throwAsDeleted);
    };
    return (await this.#inOrder(`${receipt.channel} ${receipt.message}`, signal, work, turn)) as APIMessage;
  }

  /**
   * Adds the picture of an alert as the image of its embed, beside the files that are there: those that an edit with files
   * does not name go (https://github.com/discord/discord-api-docs/issues/5170).
   */
  async #addPicture(
    receipt: Receipt,
    { body }: EditedMessage,
    there: readonly Pick<APIAttachment, "id">[],
    picture: AddPicture | undefined,
    onPosted: (() => void) | undefined,
  ): Promise<void> {
    if (picture === undefined) return;
    onPosted?.();
    await picture(async (drawn, signal) => {
      const file = messageFile(drawn.name, drawn);
      const attachments = [...there.map(({ id }) => ({ id })), ...attachmentsOf([file])];
      const { allowed_mentions } = body;
      const edit = { allowed_mentions, attachments, embeds: withImage(body.embeds, file.name) };
      const shown = await this.#upload(receipt, edit, [file], signal, "last");
      return nameOfPicture(shown, file.name);
    });
  }

  /** Renames the thread that the bot began at a message, once: two changes in ten minutes are all that Discord allows. */
  async #markThread({ author, thread }: APIMessage, request: LimitedRequest): Promise<void> {
    if (thread === undefined || !("owner_id" in thread) || thread.name === null) return;
    if (thread.owner_id !== author.id || thread.name.startsWith(OVER_MARK)) return;
    const body = { name: `${OVER_MARK}${thread.name}`.slice(0, THREAD_NAME_LENGTH).toWellFormed() };
    try {
      await request((signal) => this.#rest.patch(Routes.channel(thread.id), { body, signal }));
    } catch (error) {
      if (isTokenRefused(error)) throw error;
      this.#dependencies.log.warn(
        { ...errorForLog(error), platform: "discord", channel: thread.id },
        "thread not renamed",
      );
    }
  }

  async #compose(reply: Reply, isDirect: boolean, plain: true | undefined, signal: AbortSignal) {
    if (plain === true) return composePlain(reply);
    // The alert's own Details shows the part below the fold.
    const { mentions, ...others } = this.#dependencies;
    return composeNotifying(aboveFold(reply), {}, { ...others, mention: mentions?.inAlert(isDirect), signal });
  }

  /** Runs the work of one channel in order; urgent work has an order of its own, and waits for no other work. */
  async #inOrder<T>(
    channel: string,
    signal: AbortSignal,
    work: (request: LimitedRequest) => Promise<T>,
    turn: Turn = "usual",
  ): Promise<T> {
    const urgent = turn === "urgent";
    const urgentOrder = `${channel} urgent`;
    const isOvertaken = (): boolean => !urgent && this.#tails.has(urgentOrder);
    const requests = limitedRequests(this.#limiter, { signal, turn, isOvertaken });
    const order = urgent ? urgentOrder : channel;
    const before = this.#tails.get(order) ?? Promise.resolve();
    const run = before.then(async () => {
      try {
        signal.throwIfAborted();
        this.#refusal.throwWhileRefused();
        return await work((call) =>
          requests.run(() => {
            this.#refusal.throwWhileRefused();
            throwUnlessAlive(this.#token);
            return call(signal);
          }),
        );
      } catch (error) {
        throw this.#refusal.note(toSendError(error, requests.maybeSent()));
      }
    });
    const tail = run.catch(() => undefined);
    this.#tails.set(order, tail);
    void tail.then(() => this.#tails.get(order) === tail && this.#tails.delete(order));
    return run;
  }

  /** Whether Discord refused the token at the last request. */
  get isTokenRefused(): boolean {
    return this.#refusal.isRefused;
  }

  /** Not rate-limited: waiting messages may depend on this very answer. */
  async checkToken(signal: AbortSignal): Promise<void> {
    try {
      await this.#rest.get(Routes.user(), { signal });
      this.#refusal.accept();
    } catch (error) {
      throw this.#refusal.note(toSendError(error, true));
    }
  }

  async #channelOf(channel: string, request: LimitedRequest): Promise<string> {
    if (!channel.startsWith(USER_PREFIX)) return channel;
    const userId = channel.slice(USER_PREFIX.length);
    const known = this.#directChannels.get(userId);
    if (known !== undefined) return known;
    const body = { recipient_id: userId };
    const opened = await request((signal) => this.#rest.post(Routes.userChannels(), { body, signal }));
    const { id } = opened as APIDMChannel;
    this.#directChannels.set(userId, id);
    return id;
  }

  /**
   * The channel of a delivery: the thread of its parent message, created if missing, which has the id of that message;
   * the parent channel where no thread is possible (direct messages, no permission).
   */
  async #threadOf({ threadOf }: Delivery, parent: string, title: string, request: LimitedRequest): Promise<string> {
    if (threadOf === undefined || threadOf.channel !== parent) return parent;
    if (this.#startedThreads.has(threadOf.message)) return threadOf.message;
    try {
      const name = Array.from(title === "" ? "Updates" : title)
        .slice(0, THREAD_NAME_LENGTH / 2)
        .join("");
      const body = { name, auto_archive_duration: ARCHIVE_MINUTES };
      await request((signal) => this.#rest.post(Routes.threads(parent, threadOf.message), { body, signal }));
    } catch (error) {
      if (!(error instanceof DiscordAPIError) || isTokenRefused(error)) throw error;
      if (hasErrorCode(error, RESTJSONErrorCodes.UnknownMessage)) throwAsDeleted(error);
      if (!hasErrorCode(error, RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage)) {
        this.#dependencies.log.warn(
          { ...errorForLog(error), platform: "discord", channel: parent },
          "thread not created",
        );
        return parent;
      }
    }
    this.#startedThreads.set(threadOf.message, true);
    return threadOf.message;
  }
}

/**
 * Of a request to edit a message, or about a thread: it is the message or the thread that Discord does not know. The next
 * post shows whether the channel is there.
 */
function throwAsDeleted(error: unknown): never {
  const isDeleted = hasErrorCode(error, RESTJSONErrorCodes.UnknownMessage, RESTJSONErrorCodes.UnknownChannel);
  throw isDeleted ? new SendError("deleted", `Discord: ${messageOf(error)}`, { cause: error }) : error;
}

function routeOf({ channel, message }: Receipt): `/${string}` {
  return Routes.channelMessage(channel, message);
}
