// The transport to Discord. This module keeps the gateway session, on which interactions and messages arrive; read next endpoint.ts
// (interactions over HTTP instead), rest.ts (the REST client and its errors), upload.ts (files).

import { setTimeout as sleep } from "node:timers/promises";

import {
  type IIdentifyThrottler,
  type SessionInfo,
  SimpleIdentifyThrottler,
  WebSocketManager,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from "@discordjs/ws";
import {
  type APIGatewaySessionStartLimit,
  type APIInteraction,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type GatewayMessageCreateDispatchData,
} from "discord-api-types/v10";
import type { REST } from "discord.js";

import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { AdapterHealth } from "../../adapter.ts";
import { Backoff, jittered } from "../../chat/supervision.ts";
import type { DiscordTiming } from "../context.ts";
import { isTokenRefused, TOKEN_REFUSED } from "./rest.ts";

export interface GatewayOptions {
  readonly rest: REST;
  readonly token: string;
  readonly log: Log;
  onInteraction(interaction: APIInteraction): void;
  /** Called for each message of a server or of direct messages; `bot` is the id that mentions of the bot name. */
  onMessage(message: GatewayMessageCreateDispatchData, bot: string): void;
  /** Called at each Ready event, or each time that Discord accepts the token, with the id of the application. */
  onReady(applicationId: string): void;
  readonly timing: DiscordTiming;
}

/**
 * None of them is privileged. Without Message Content, only direct messages and messages that mention the bot have
 * their content: https://docs.discord.com/developers/events/gateway#message-content-intent.
 */
const INTENTS = (GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages) as GatewayIntentBits;

const DESTROY_TIMEOUT_MILLIS = 2000;
/** After this long, a session counts as stable. */
const STABLE_SESSION_MILLIS = 30_000;
/** Added before each further try to reconnect. */
const RECONNECT_STEP_MILLIS = 500;

/**
 * Discord allows at least 1000 session starts in 24 h, and revokes the token of a bot that makes more
 * (https://docs.discord.com/developers/events/gateway#session-start-limit-object): a 32nd of them an hour leaves a quarter.
 */
const IDENTIFIES_PER_DAY = 1000;
const HOURLY_DIVISOR = 32;
const HOUR_MILLIS = 3_600_000;

/**
 * Keeps a gateway session. discord.js resumes and reconnects; this class reports the health, and a further attempt makes
 * a new connection where discord.js gives up. No method rejects.
 */
export class GatewayConnection {
  readonly #options: GatewayOptions;
  readonly #backoff: Backoff;
  readonly #budget = new IdentifyBudget();
  health: AdapterHealth = { state: "starting" };

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.timing.backoffMillis);
  }

  /** Keeps one connection up to its end; resolves with the pause before the next one, or with undefined once stopped. */
  async attempt(signal: AbortSignal): Promise<Milliseconds | undefined> {
    const { fatal, wasUp, why } = await this.#session(signal);
    if (signal.aborted) return undefined;
    const { log, timing } = this.#options;
    const wait = wasUp ? this.#backoff.reset() : this.#backoff.next();
    const pause = fatal ? timing.failedMillis : jittered(wait);
    this.#become({ state: fatal ? "failed" : "down", why });
    log[fatal ? "error" : "warn"]({ platform: "discord", why, againInMillis: pause }, "gateway reconnecting");
    return pause;
  }

  /** One connection, from its first call to its end. */
  async #session(signal: AbortSignal): Promise<{ why: string; fatal: boolean; wasUp: boolean }> {
    const { rest, token, log, timing } = this.#options;
    const { stuckMillis } = timing;
    const { promise: ended, resolve: end } = Promise.withResolvers<{ why: string; fatal: boolean }>();
    const sessions = new Map<number, SessionInfo>();
    let over = false;
    let bot = "";
    /** Between a close and the next hello. */
    let closed = false;
    let failures = 0;
    let wasUp = false;
    let upSince = Number.POSITIVE_INFINITY;
    let downSince = performance.now();
    const manager = new WebSocketManager({
      token,
      intents: INTENTS,
      rest,
      // discord.js calls this before each connection, twice a second while Discord is gone: so the tries are spaced out
      // here, and a manager that is over makes no more of them.
      retrieveSessionInfo: async (shard) => {
        if (closed && failures > 1)
          await sleep(Math.min(failures, 30) * RECONNECT_STEP_MILLIS, undefined, { ref: false });
        if (over) await new Promise(() => {});
        return sessions.get(shard) ?? null;
      },
      buildIdentifyThrottler: async (asking) =>
        this.#budget.throttler((await asking.fetchGatewayInformation()).session_start_limit),
      updateSessionInfo: (shard, info) => void (info === null ? sessions.delete(shard) : sessions.set(shard, info)),
    });
    const destroy = async (): Promise<void> => {
      try {
        await manager.destroy({ reason: "over" });
      } catch (error) {
        log.debug({ platform: "discord", why: messageOf(error) }, "gateway close failed");
      }
    };
    const statuses = async (): Promise<WebSocketShardStatus[]> => [...(await manager.fetchStatus()).values()];
    const up = (event: "gateway ready" | "gateway session resumed"): void => {
      if (over) return void destroy();
      wasUp = true;
      upSince = performance.now();
      downSince = Number.POSITIVE_INFINITY;
      this.#become({ state: "up" });
      log.info({ platform: "discord" }, event);
    };
    manager.on(WebSocketShardEvents.Hello, () => {
      closed = false;
      if (over) void destroy();
    });
    manager.on(WebSocketShardEvents.Ready, ({ data }) => {
      up("gateway ready");
      bot = data.user.id;
      if (!over) this.#options.onReady(data.application.id);
    });
    manager.on(WebSocketShardEvents.Resumed, () => up("gateway session resumed"));
    manager.on(WebSocketShardEvents.Closed, ({ code }) => {
      if (over) return;
      downSince = Math.min(downSince, performance.now());
      closed = true;
      // A short session does not count as a success.
      failures = performance.now() - upSince > STABLE_SESSION_MILLIS ? 1 : failures + 1;
      upSince = Number.POSITIVE_INFINITY;
      const why = FATAL_CLOSES.get(code);
      log[failures > 1 ? "debug" : "warn"]({ platform: "discord", code, failures }, "gateway closed");
      if (why === undefined) this.#become({ state: "down", why: `the gateway closed (${code})` });
      // A new connection asks Discord again for the number of shards.
      else end({ why: `${why} (${code})`, fatal: !(why === SHARD_COUNT_REFUSED && wasUp) });
    });
    manager.on(WebSocketShardEvents.Error, ({ error }) => {
      log.warn({ platform: "discord", why: messageOf(error) }, "gateway error");
    });
    manager.on(WebSocketShardEvents.Dispatch, ({ data }) => {
      if (over) return;
      try {
        if (data.t === GatewayDispatchEvents.InteractionCreate) this.#options.onInteraction(data.d);
        else if (data.t === GatewayDispatchEvents.MessageCreate) this.#options.onMessage(data.d, bot);
      } catch (error) {
        // A throw in here would end the process, and an event that lacks a part is no reason for that.
        log.warn({ platform: "discord", why: messageOf(error) }, "gateway error");
      }
    });
    const watch = (): void => {
      if (performance.now() - downSince > stuckMillis) end({ why: "no gateway session for too long", fatal: false });
    };
    const watchdog = setInterval(watch, Math.max(10, stuckMillis / 4));
    watchdog.unref();
    const stopped = (): void => end({ why: "stopped", fatal: false });
    signal.addEventListener("abort", stopped, { once: true });
    manager.connect().catch(async (error: unknown) => {
      if (isTokenRefused(error)) return end({ why: TOKEN_REFUSED, fatal: true });
      // discord.js retries the connection of a shard that exists.
      if ((await statuses()).length === 0) end({ why: `no gateway: ${messageOf(error)}`, fatal: false });
    });
    const outcome = await ended;
    over = true;
    clearInterval(watchdog);
    signal.removeEventListener("abort", stopped);
    // A socket that is still opening must keep its error handler: it is closed at its Hello.
    if (!(await statuses()).includes(WebSocketShardStatus.Connecting)) {
      await Promise.race([destroy(), sleep(DESTROY_TIMEOUT_MILLIS, undefined, { ref: false })]);
    }
    return { ...outcome, wasUp };
  }

  #become(health: AdapterHealth): void {
    // A failure stays reported until a session is up again, whatever closes meanwhile.
    if (this.health.state === "failed" && health.state === "down") return;
    this.health = health;
  }
}

const SHARD_COUNT_REFUSED =
  "Discord refuses this number of gateway connections: it is asked again in a while how many it wants";
const INTENTS_REFUSED =
  "Discord refuses the gateway intents for messages, which no application has to be allowed: update Bellwether";
/**
 * The close codes that forbid to reconnect, in words for the operator; after all others discord.js reconnects:
 * https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes.
 */
const FATAL_CLOSES = new Map<number, string>([
  [GatewayCloseCodes.AuthenticationFailed, TOKEN_REFUSED],
  [GatewayCloseCodes.InvalidShard, SHARD_COUNT_REFUSED],
  [GatewayCloseCodes.ShardingRequired, SHARD_COUNT_REFUSED],
  [GatewayCloseCodes.InvalidAPIVersion, "Discord no longer speaks this version of its gateway: update Bellwether"],
  [GatewayCloseCodes.InvalidIntents, INTENTS_REFUSED],
  [GatewayCloseCodes.DisallowedIntents, INTENTS_REFUSED],
]);

/** Limits the session starts of a process, over all its connections, so that a flapping gateway cannot use them up. */
export class IdentifyBudget {
  /** By the monotonic clock. */
  readonly #starts: Milliseconds[] = [];
  #perHour = Math.floor(IDENTIFIES_PER_DAY / HOURLY_DIVISOR);

  /** Takes the start of a session at this moment: 0, or the wait where none is left. */
  take(now: Milliseconds): Milliseconds {
    while ((this.#starts[0] ?? now) <= now - HOUR_MILLIS) this.#starts.shift();
    const [oldest] = this.#starts;
    if (oldest !== undefined && this.#starts.length >= this.#perHour) return oldest + HOUR_MILLIS - now;
    this.#starts.push(now);
    return 0;
  }

  /** The throttler of one connection: Discord's own concurrency limit, within this budget. */
  throttler(limit: APIGatewaySessionStartLimit): IIdentifyThrottler {
    this.#perHour = Math.max(1, Math.floor(limit.total / HOURLY_DIVISOR));
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
