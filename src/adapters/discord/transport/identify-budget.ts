import { setTimeout as sleep } from "node:timers/promises";

import { type IIdentifyThrottler, SimpleIdentifyThrottler } from "@discordjs/ws";
import type { APIGatewaySessionStartLimit } from "discord-api-types/v10";

import type { Milliseconds } from "../../../units/time.ts";

/**
 * Discord allows at least 1000 session starts in 24 h, and revokes the token of a bot that makes more
 * (https://docs.discord.com/developers/events/gateway#session-start-limit-object): a 32nd of them an hour leaves a quarter.
 */
const IDENTIFIES_PER_DAY = 1000;
const HOURLY_DIVISOR = 32;
const HOUR_MILLIS = 3_600_000;

/**
 * Limits the session starts of a process, over all its connections, so that a flapping gateway cannot use them up: at
 * first each shard has one, and then all of them together so many an hour.
 */
export class IdentifyBudget {
  #perHour = Math.floor(IDENTIFIES_PER_DAY / HOURLY_DIVISOR);
  #most = Number.POSITIVE_INFINITY;
  #left = Number.POSITIVE_INFINITY;
  /** When so many were left, by the monotonic clock. */
  #at: Milliseconds = 0;

  /** Takes the start of a session at this moment: 0, or the wait where none is left. */
  take(now: Milliseconds): Milliseconds {
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / HOUR_MILLIS) * this.#perHour);
    this.#at = now;
    if (this.#left < 1) return Math.ceil(((1 - this.#left) / this.#perHour) * HOUR_MILLIS);
    this.#left -= 1;
    return 0;
  }

  /** The throttler of one connection: Discord's own concurrency limit, within this budget. */
  throttler(limit: APIGatewaySessionStartLimit, shards: number): IIdentifyThrottler {
    this.#perHour = Math.max(1, Math.floor(limit.total / HOURLY_DIVISOR));
    this.#most = shards + this.#perHour;
    const pace = new SimpleIdentifyThrottler(limit.max_concurrency);
    return {
      waitForIdentify: async (shardId, signal) => {
        await pace.waitForIdentify(shardId, signal);
        for (let wait = this.take(performance.now()); wait > 0; wait = this.take(performance.now())) {
          await sleep(wait, undefined, { signal, ref: false });
        }
      },
    };
  }
}
