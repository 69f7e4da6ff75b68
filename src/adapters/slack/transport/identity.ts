import type { WebClient } from "@slack/web-api";

import type { Log } from "../../../log.ts";
import type { AdapterHealth } from "../../adapter.ts";
import { Supervision } from "../../chat/supervision.ts";
import { describeError, isTokenRefused } from "./api-error.ts";
import type { Installation } from "./installations.ts";
import type { SlackTiming } from "../context.ts";

export interface IdentityOptions {
  readonly web: WebClient;
  readonly log: Log;
  /** The installation, where it is stored; left out, Slack is asked. */
  readonly known?: (Workspace & Pick<Installation, "botUser" | "orgWide">) | undefined;
  readonly timing: Pick<SlackTiming, "checkMillis" | "againMillis">;
}

/** The workspace of a token, or the organisation where the app is installed for the whole of it. */
export type Workspace = Pick<Installation, "id" | "name" | "enterprise">;

/** One token serves one workspace: audiences, managers and saved parties are those of that workspace. */
export const ORG_WIDE = "the app is installed for a whole organisation: install it in one workspace";

/** The bot's user in its workspace, and whether its token is accepted; checked periodically, never rejecting. */
export class Identity {
  readonly #options: IdentityOptions;
  readonly #supervision = new Supervision();
  /** The bot's user id, as it stands in mentions; undefined until Slack has named it. */
  userId: string | undefined;
  /** Its workspace; undefined until Slack has named it. */
  team: Workspace | undefined;
  /** The bot's name, as people type it behind an @. */
  name = "bellwether";
  health: AdapterHealth = { state: "starting" };

  constructor(options: IdentityOptions) {
    this.#options = options;
    const { known } = options;
    this.userId = known?.botUser;
    this.team = known;
  }

  start(): void {
    const { checkMillis, againMillis } = this.#options.timing;
    this.#supervision.start(async () => {
      await this.check();
      return this.health.state === "up" ? checkMillis : againMillis;
    });
  }

  /** Checks the token now, after a sign that it has changed. */
  checkNow(): void {
    this.#supervision.wake();
  }

  stop(): Promise<void> {
    return this.#supervision.stop();
  }

  /** Asks Slack once. Never rejects. */
  async check(): Promise<void> {
    const { web, log, known } = this.#options;
    try {
      const answer = await web.auth.test();
      this.userId = answer.user_id;
      const { team_id: id, team: name, enterprise_id: enterprise } = answer;
      this.team = id === undefined ? undefined : { id, name, enterprise };
      this.name = answer.user ?? this.name;
      const isUnusable = answer.is_enterprise_install === true && known?.orgWide !== true;
      this.#setHealth(isUnusable ? { state: "failed", why: ORG_WIDE } : { state: "up" });
    } catch (error) {
      if (isTokenRefused(error)) this.#setHealth({ state: "failed", why: "Slack refuses the bot token" });
      // Without an answer the token's state is unknown: one that was refused stays so.
      else if (this.health.state !== "failed") this.#setHealth({ state: "down", why: "Slack does not answer" });
      log.debug({ platform: "slack", why: describeError(error) }, "token check unanswered");
    }
  }

  #setHealth(health: AdapterHealth): void {
    if (health.state === "failed" && this.health.state !== "failed") {
      this.#options.log.error({ platform: "slack", why: health.why }, "token refused");
    }
    this.health = health;
  }
}
