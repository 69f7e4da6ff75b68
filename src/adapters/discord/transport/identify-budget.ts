import { setTimeout as sleep } from "node:timers/promises";

import { type IIdentifyThrottler, SimpleIdentifyThrottler } from "@discordjs/ws";
import type { APIGatewaySessionStartLimit } from "discord-api-types/v10";

/**
 * Discord allows so many sessions to be begun in 24 h, 1000 at least, and takes the token away from whoever begins more
 * (https://docs.discord.com/developers/events/gateway#session-start-limit-object): a 32nd of them an hour leaves a quarter.
 */
const IDENTIFIES_PER_DAY = 1000;
const HOURLY_DIVISOR = 32;
const HOUR_MILLIS = 3_600_000;

export interface BudgetClock {
  /** Milliseconds that only grow. */
  now(): number;
  sleep(millis: number, signal: AbortSignal): Promise<unknown>;
}

const REAL_CLOCK: BudgetClock = {
  now: () => performance.now(),
  sleep: (millis, signal) => sleep(millis, undefined, { signal, ref: false }),
};

/** Spaces out the sessions that a process begins, over all its connections: a gateway that flaps costs none of them. */
export class IdentifyBudget {
  readonly #clock: BudgetClock;
  readonly #begun: number[] = [];
  #perHour = Math.floor(IDENTIFIES_PER_DAY / HOURLY_DIVISOR);

  constructor(clock: BudgetClock = REAL_CLOCK) {
    this.#clock = clock;
  }

  /** Resolves when another session may be begun. */
  async take(signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = this.#clock.now();
      while ((this.#begun[0] ?? now) <= now - HOUR_MILLIS) this.#begun.shift();
      const [oldest] = this.#begun;
      if (oldest === undefined || this.#begun.length < this.#perHour) break;
      await this.#clock.sleep(oldest + HOUR_MILLIS - now, signal);
    }
    this.#begun.push(this.#clock.now());
  }

  /** For one connection: Discord's own pace of beginnings, within this budget. */
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
