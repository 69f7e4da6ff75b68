import type { SessionInfo } from "@discordjs/ws";
import { GatewayIntentBits } from "discord-api-types/v10";
import { z } from "zod";

import { inTime } from "../../../units/time.ts";
import type { Legacy } from "../../chat/chat.ts";

/**
 * None of them is privileged. Without Message Content, only direct messages and messages that mention the bot have
 * their content: https://docs.discord.com/developers/events/gateway#message-content-intent.
 */
export const INTENTS = (GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages) as GatewayIntentBits;

const LEFT = z.object({
  intents: z.literal(INTENTS),
  bot: z.string(),
  application: z.string(),
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      resumeURL: z.url(),
      sequence: z.number(),
      shardId: z.number(),
      shardCount: z.number(),
    }),
  ),
});

const LEGACY_TIMEOUT_MILLIS = 1000;

/**
 * The sessions of a gateway, and who the bot is, which no resumed session says. They are left to the connection that
 * comes next, which resumes them instead of using up starts of sessions. No method rejects.
 */
export class Sessions {
  readonly #legacy: Legacy;
  readonly #own = new Map<number, SessionInfo>();
  #restored: Promise<void> | undefined;
  #changed = false;
  #over = false;
  self = { bot: "", application: "" };

  constructor(legacy: Legacy) {
    this.#legacy = legacy;
  }

  /** The session of a shard, at first the one that was left; `gateway` resolves with the gateway's address. */
  async of(shard: number, gateway: () => Promise<string>): Promise<SessionInfo | null> {
    await (this.#restored ??= this.#restore(gateway));
    return this.#own.get(shard) ?? null;
  }

  update(shard: number, session: SessionInfo | null): void {
    // At its end discord.js forgets what the next connection resumes.
    if (this.#over) return;
    this.#changed = true;
    if (session === null) this.#own.delete(shard);
    else this.#own.set(shard, session);
  }

  /** Notes them where they have changed. */
  async keep(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    const left: z.infer<typeof LEFT> = { intents: INTENTS, ...this.self, sessions: [...this.#own.values()] };
    this.#changed = await inTime(
      this.#legacy.put(JSON.stringify(left)).then(() => false),
      { millis: LEGACY_TIMEOUT_MILLIS },
      () => true,
    ).catch(() => true);
  }

  /** Notes them for the last time; where they do not last, that there are none. */
  async end(lasting: boolean): Promise<void> {
    this.#over = true;
    if (!lasting) this.#own.clear();
    this.#changed ||= !lasting;
    await this.keep();
  }

  async #restore(gateway: () => Promise<string>): Promise<void> {
    try {
      const [json = "null", url] = await Promise.all([
        inTime(this.#legacy.get(), { millis: LEGACY_TIMEOUT_MILLIS }, () => undefined),
        gateway(),
      ]);
      const { bot, application, sessions } = LEFT.parse(JSON.parse(json));
      this.self = { bot, application };
      for (const one of sessions) {
        // Whoever can write into the database must not learn the token by an address there.
        if (siteOf(one.resumeURL) === siteOf(url)) this.#own.set(one.shardId, one);
      }
    } catch {
      // Nothing was left that serves, so new sessions begin.
    }
  }
}

/** The last two parts of the host: Discord's gateway and the addresses at which sessions are resumed share them. */
function siteOf(url: string): string {
  return new URL(url).hostname.split(".").slice(-2).join(".");
}
