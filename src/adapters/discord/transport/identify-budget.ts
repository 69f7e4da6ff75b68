import { setTimeout as sleep } from "node:timers/promises";

import { type IIdentifyThrottler, SimpleIdentifyThrottler } from "@discordjs/ws";
import type { APIGatewaySessionStartLimit } from "discord-api-types/v10";

/**
 * Discord allows at least 1000 session starts in 24 h, and revokes the token of a bot that makes more
 * (https://docs.discord.com/developers/events/gateway#session-start-limit-object): a 32nd of them an hour leaves a quarter.
 */
const IDENTIFIES_PER_DAY = 1000;
const HOURLY_DIVISOR = 32;
const HOUR_MILLIS = 3_600_000;

export interface BudgetClock {
  /** Monotonic milliseconds. */
  now(): number;
  sleep(millis: number, signal: AbortSignal): Promise<unknown>;
}

const REAL_CLOCK: BudgetClock = {
  now: () => performance.now(),
  sleep: (millis, signal) => sleep(millis, undefined, { signal, ref: false }),
};

/** Limits the session starts of a process, over all its connections, so that a flapping gateway cannot use them up. */
export class IdentifyBudget {
  readonly #clock: BudgetClock;
  readonly #starts: number[] = [];
  #perHour = Math.floor(IDENTIFIES_PER_DAY / HOURLY_DIVISOR);

  constructor(clock: BudgetClock = REAL_CLOCK) {
    this.#clock = clock;
  }

  /** Resolves when another session may start. */
  async take(signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = this.#clock.now();
      while ((this.#starts[0] ?? now) <= now - HOUR_MILLIS) this.#starts.shift();
      const [oldest] = this.#starts;
      if (oldest === undefined || this.#starts.length < this.#perHour) break;
      await this.#clock.sleep(oldest + HOUR_MILLIS - now, signal);
    }
    this.#starts.push(this.#clock.now());
  }

  /** The throttler of one connection: Discord's own concurrency limit, within this budget. */
  throttler(limit: APIGatewaySessionStartLimit): IIdentifyThrottler {
    this.#perHour = Math.max(1, Math.floor(limit.total / HOURLY_DIVISOR));
    const pace = new SimpleIdentifyThrottler(limit.max_concurrency);
    return {
      waitForIdentify: async (shardId, signal) => {
        await pace.waitForIdentify(shardId, signal);
        await this.take(signal);
      },
    };
  }
}
