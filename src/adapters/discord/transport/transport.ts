// The transport to Discord. This module keeps the gateway session, on which interactions and messages arrive; read next endpoint.ts
// (interactions over HTTP instead), rest.ts (the REST client and its errors), upload.ts (files).

import { setTimeout as sleep } from "node:timers/promises";

import { CloseCodes, WebSocketManager, WebSocketShardEvents, WebSocketShardStatus } from "@discordjs/ws";
import {
  type APIInteraction,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayMessageCreateDispatchData,
} from "discord-api-types/v10";
import type { REST } from "discord.js";

import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { AdapterHealth } from "../../adapter.ts";
import type { Legacy } from "../../chat/chat.ts";
import { Backoff, jittered } from "../../chat/supervision.ts";
import type { DiscordTiming } from "../context.ts";
import { IdentifyBudget } from "./identify-budget.ts";
import { INTENTS, Sessions } from "./sessions.ts";
import { isTokenRefused, TOKEN_REFUSED } from "./rest.ts";

export interface GatewayOptions {
  readonly rest: REST;
  readonly token: string;
  readonly log: Log;
  /** `replayed`: it comes with a resumed session, so that an earlier connection may have met it. */
  onInteraction(interaction: APIInteraction, replayed: boolean): void;
  /** Called for each message of a server or of direct messages; `bot` is the id that mentions of the bot name. */
  onMessage(message: GatewayMessageCreateDispatchData, bot: string, replayed: boolean): void;
  /** Called whenever a session is ready, or Discord accepts the token, with the id of the application. */
  onReady(applicationId: string): void;
  readonly legacy: Legacy;
  readonly timing: DiscordTiming;
}

const DESTROY_TIMEOUT_MILLIS = 2000;
/** After this long, a session counts as stable. */
const STABLE_SESSION_MILLIS = 30_000;
/** Added before each further try to reconnect. */
const RECONNECT_STEP_MILLIS = 500;

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
    const sessions = new Sessions(this.#options.legacy);
    const shards = new Map<number, Shard>();
    let over = false;
    let wasUp = false;
    let downSince = performance.now();
    const shardOf = (id: number): Shard => {
      const shard = shards.get(id) ?? { ...UNREADY };
      shards.set(id, shard);
      return shard;
    };
    const manager = new WebSocketManager({
      token,
      intents: INTENTS,
      rest,
      // discord.js calls this before each connection, twice a second while Discord is gone: so the tries are spaced out
      // here, and a manager that is over makes no more of them.
      retrieveSessionInfo: async (id) => {
        const { closed, failures } = shardOf(id);
        if (closed && failures > 1)
          await sleep(Math.min(failures, 30) * RECONNECT_STEP_MILLIS, undefined, { ref: false });
        if (over) await new Promise(() => {});
        return sessions.of(id, async () => (await manager.fetchGatewayInformation()).url);
      },
      buildIdentifyThrottler: async (asking) => {
        const { session_start_limit: limit } = await asking.fetchGatewayInformation();
        return this.#budget.throttler(limit, await asking.getShardCount());
      },
      updateSessionInfo: (id, info) => sessions.update(id, info),
    });
    const destroy = async (): Promise<void> => {
      try {
        // Sessions that got stuck, or that Discord refuses, end here.
        await manager.destroy({ reason: "over", code: signal.aborted ? CloseCodes.Resuming : CloseCodes.Normal });
      } catch (error) {
        log.debug({ platform: "discord", why: messageOf(error) }, "gateway close failed");
      }
    };
    const statuses = async (): Promise<WebSocketShardStatus[]> => [...(await manager.fetchStatus()).values()];
    const up = (id: number, event: "gateway ready" | "gateway session resumed"): void => {
      if (over) return void destroy();
      wasUp = true;
      shardOf(id).upSince = performance.now();
      const wanted = manager.options.shardCount ?? 1;
      const ready = [...shards.values()].filter(isUp).length;
      downSince = ready < wanted ? performance.now() : Number.POSITIVE_INFINITY;
      const why = `${ready} of ${wanted} connections to the gateway are ready`;
      this.#become(ready < wanted ? { state: "starting", why } : { state: "up" });
      log.info({ platform: "discord", shard: id }, event);
      this.#options.onReady(sessions.self.application);
    };
    manager.on(WebSocketShardEvents.Hello, ({ shardId }) => {
      Object.assign(shardOf(shardId), { closed: false, replaying: true });
      if (over) void destroy();
    });
    manager.on(WebSocketShardEvents.Ready, ({ data, shardId }) => {
      sessions.self = { bot: data.user.id, application: data.application.id };
      up(shardId, "gateway ready");
      void sessions.keep();
    });
    manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => up(shardId, "gateway session resumed"));
    manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => {
      if (over) return;
      const shard = shardOf(shardId);
      downSince = Math.min(downSince, performance.now());
      shard.closed = true;
      // A short session does not count as a success.
      shard.failures = performance.now() - shard.upSince > STABLE_SESSION_MILLIS ? 1 : shard.failures + 1;
      shard.upSince = Number.POSITIVE_INFINITY;
      const { failures } = shard;
      const why = FATAL_CLOSES.get(code);
      log[failures > 1 ? "debug" : "warn"]({ platform: "discord", shard: shardId, code, failures }, "gateway closed");
      if (why === undefined) this.#become({ state: "down", why: `the gateway closed (${code})` });
      // A new connection asks Discord again for the number of shards.
      else end({ why: `${why} (${code})`, fatal: !(why === SHARD_COUNT_REFUSED && wasUp) });
    });
    manager.on(WebSocketShardEvents.Error, ({ error }) => {
      log.warn({ platform: "discord", why: messageOf(error) }, "gateway error");
    });
    manager.on(WebSocketShardEvents.Dispatch, ({ data, shardId }) => {
      if (over) return;
      const shard = shardOf(shardId);
      const { t: type } = data;
      // discord.js tells that a session is resumed before what came before that.
      if (type === GatewayDispatchEvents.Ready || type === GatewayDispatchEvents.Resumed) shard.replaying = false;
      try {
        const { replaying } = shard;
        if (type === GatewayDispatchEvents.InteractionCreate) this.#options.onInteraction(data.d, replaying);
        else if (type === GatewayDispatchEvents.MessageCreate)
          this.#options.onMessage(data.d, sessions.self.bot, replaying);
      } catch (error) {
        // A throw in here would end the process, and an event that lacks a part is no reason for that.
        log.warn({ platform: "discord", why: messageOf(error) }, "gateway error");
      }
    });
    const watch = (): void => {
      if (performance.now() - downSince > stuckMillis) end({ why: "no gateway session for too long", fatal: false });
    };
    const watchdog = setInterval(watch, Math.max(10, stuckMillis / 4));
    const keeping = setInterval(() => void sessions.keep(), timing.keepMillis);
    for (const timer of [watchdog, keeping]) timer.unref();
    const stopped = (): void => end({ why: "stopped", fatal: false });
    signal.addEventListener("abort", stopped, { once: true });
    manager.connect().catch(async (error: unknown) => {
      if (isTokenRefused(error)) return end({ why: TOKEN_REFUSED, fatal: true });
      // discord.js retries the connection of a shard that exists.
      if ((await statuses()).length === 0) end({ why: `no gateway: ${messageOf(error)}`, fatal: false });
    });
    const outcome = await ended;
    over = true;
    for (const timer of [watchdog, keeping]) clearInterval(timer);
    signal.removeEventListener("abort", stopped);
    const kept = sessions.end(signal.aborted);
    // A socket that is still opening must keep its error handler: it is closed at its Hello.
    if (!(await statuses()).includes(WebSocketShardStatus.Connecting)) {
      await Promise.race([destroy(), sleep(DESTROY_TIMEOUT_MILLIS, undefined, { ref: false })]);
    }
    await kept;
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

/** A connection among those that share the servers; each has a session of its own. */
interface Shard {
  /** By the monotonic clock; infinite while it is not ready. */
  upSince: Milliseconds;
  /** Between a close and the next hello. */
  closed: boolean;
  /** Between a hello and the first event that is no repeat. */
  replaying: boolean;
  failures: number;
}

const UNREADY: Shard = { upSince: Number.POSITIVE_INFINITY, closed: false, replaying: false, failures: 0 };

const isUp = ({ upSince }: Shard): boolean => upSince !== Number.POSITIVE_INFINITY;
