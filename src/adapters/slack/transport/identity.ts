import { setTimeout as sleep } from "node:timers/promises";

import type { WebClient } from "@slack/web-api";

import type { Log } from "../../../log.ts";
import type { AdapterHealth } from "../../adapter.ts";
import { describeError, isTokenRefused } from "./api-error.ts";

export interface IdentityOptions {
  readonly web: WebClient;
  readonly log: Log;
  /** Between two looks while all is well. */
  readonly checkMillis?: number | undefined;
  /** Between two looks while something is not. */
  readonly againMillis?: number | undefined;
}

/** Who the bot is in its workspace, and whether its token still counts: looked at from time to time, never rejecting. */
export class Identity {
  readonly #parts: IdentityOptions;
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #pause = new AbortController();
  /** The bot's user id, which mentions bear; undefined until Slack has said it. */
  userId: string | undefined;
  /** Its workspace; undefined until Slack has said it. */
  teamId: string | undefined;
  /** The bot's name, as people type it behind an @. */
  name = "bellwether";
  health: AdapterHealth = { state: "starting" };

  constructor(parts: IdentityOptions) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop = this.#watch();
  }

  /** Ends the pause before the next look: something has happened to the token. */
  checkNow(): void {
    this.#pause.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #watch(): Promise<void> {
    const { checkMillis = 300_000, againMillis = 15_000 } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#pause = new AbortController();
      await this.#look();
      const millis = this.health.state === "up" ? checkMillis : againMillis;
      const awake = AbortSignal.any([signal, this.#pause.signal]);
      await sleep(millis, undefined, { signal: awake, ref: false }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { web, log } = this.#parts;
    try {
      const { user_id: userId, user, team_id: teamId } = await web.auth.test();
      this.userId = userId;
      this.teamId = teamId;
      this.name = user ?? this.name;
      this.#become({ state: "up" });
    } catch (error) {
      // Without an answer nothing new is known of the token; the sockets tell whether Slack is there.
      if (isTokenRefused(error)) this.#become({ state: "failed", why: "Slack refuses the bot token" });
      log.debug({ platform: "slack", why: describeError(error) }, "no answer about the bot token");
    }
  }

  #become(health: AdapterHealth): void {
    if (health.state === "failed" && this.health.state !== "failed") {
      this.#parts.log.error({ platform: "slack", why: health.why }, "bot token refused");
    }
    this.health = health;
  }
}
