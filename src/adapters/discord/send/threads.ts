import { RESTJSONErrorCodes, Routes } from "discord-api-types/v10";
import { DiscordAPIError, type REST } from "discord.js";
import { LRUCache } from "lru-cache";

import type { Delivery } from "../../../alerts/sender.ts";
import type { Log } from "../../../log.ts";
import { errorForLog, hasErrorCode } from "../transport/rest.ts";
import type { LimitedRequest } from "./rate-limiter.ts";
import { isTokenRefused } from "./send-error.ts";

/** https://docs.discord.com/developers/resources/channel#start-thread-from-message. */
const THREAD_NAME_LENGTH = 100;
/** Minutes of silence after which Discord archives a thread; the next message reopens it. */
const ARCHIVE_MINUTES = 1440;

/** Threads below messages: a thread has the id of the message it starts from. */
export class Threads {
  readonly #rest: REST;
  readonly #log: Log;
  readonly #started = new LRUCache<string, true>({ maxSize: 10_000, sizeCalculation: () => 1 });

  constructor(rest: REST, log: Log) {
    this.#rest = rest;
    this.#log = log;
  }

  /**
   * The channel of a delivery: the thread of its parent message, created if missing; the parent channel where no thread
   * is possible (direct messages, no permission, a deleted message).
   */
  async channelFor(
    delivery: Delivery,
    parent: string,
    title: string,
    request: LimitedRequest,
    signal: AbortSignal,
  ): Promise<string> {
    const { threadOf } = delivery;
    if (threadOf === undefined || threadOf.channel !== parent) return parent;
    if (this.#started.has(threadOf.message)) return threadOf.message;
    try {
      const name = Array.from(title === "" ? "Updates" : title)
        .slice(0, THREAD_NAME_LENGTH / 2)
        .join("");
      const body = { name, auto_archive_duration: ARCHIVE_MINUTES };
      await request(() => this.#rest.post(Routes.threads(parent, threadOf.message), { body, signal }));
    } catch (error) {
      if (!(error instanceof DiscordAPIError) || isTokenRefused(error)) throw error;
      if (!hasErrorCode(error, RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage)) {
        this.#log.warn({ ...errorForLog(error), platform: "discord", channel: parent }, "thread not created");
        return parent;
      }
    }
    this.#started.set(threadOf.message, true);
    return threadOf.message;
  }
}
