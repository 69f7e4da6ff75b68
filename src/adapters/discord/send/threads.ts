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
/** Minutes of silence after which a thread is put away; the next message brings it back. */
const ARCHIVE_MINUTES = 1440;

/** Threads below messages: Discord gives them the id of the message that they begin with. */
export class Threads {
  readonly #rest: REST;
  readonly #log: Log;
  readonly #begun = new LRUCache<string, true>({ max: 10_000 });

  constructor(rest: REST, log: Log) {
    this.#rest = rest;
    this.#log = log;
  }

  /**
   * Where a delivery goes: the thread of the message that it names, begun where there is none; the channel itself
   * where no thread can be (direct messages, no permission, the message is gone).
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
    if (this.#begun.has(threadOf.message)) return threadOf.message;
    try {
      const name = Array.from(title === "" ? "Updates" : title)
        .slice(0, THREAD_NAME_LENGTH / 2)
        .join("");
      const body = { name, auto_archive_duration: ARCHIVE_MINUTES };
      await request(() => this.#rest.post(Routes.threads(parent, threadOf.message), { body, signal }));
    } catch (error) {
      if (!(error instanceof DiscordAPIError) || isTokenRefused(error)) throw error;
      if (!hasErrorCode(error, RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage)) {
        this.#log.warn(
          { ...errorForLog(error), platform: "discord", channel: parent },
          "no thread; posted in the channel",
        );
        return parent;
      }
    }
    this.#begun.set(threadOf.message, true);
    return threadOf.message;
  }
}
