import type { Sender } from "../alerts/sender.ts";
import type { Bot } from "../bot/bot.ts";
import type { Visibility } from "../bot/invocation.ts";
import type { Reply } from "../reply/reply.ts";

/** How an adapter fares: `down` heals by itself, `failed` needs a person (a bad token). */
export interface AdapterHealth {
  readonly state: "up" | "starting" | "down" | "failed";
  /** One clause for people, without secrets. */
  readonly why?: string;
}

/** One platform. */
export interface Adapter {
  readonly platform: string;
  readonly health: AdapterHealth;
  /** Resolves once it runs or is being supervised; rejects only for faults in the configuration. */
  start(bot: Bot): Promise<void>;
  /** Bounded: resolves within 5 s whatever the platform does. */
  stop(): Promise<void>;
}

/** A platform on which alerts can be posted. */
export type SendingAdapter = Adapter & Sender;

/** Who sees an answer in a channel, as the bot has it; a platform may have a custom of its own. */
export interface AnswerAudience {
  readonly visibility: Visibility;
  /** Neither the question nor what the command does settles it: it is what the command has by default. */
  readonly isDefault: boolean;
}

/** What the console needs to show a reply as a platform will: the very payload its renderer makes. */
export interface Preview {
  readonly platform: "discord" | "slack";
  /** As an answer to such an audience, or as an alert posted to a channel. Pure and total; JSON. */
  render(reply: Reply, as: AnswerAudience | "alert"): unknown;
}

/** Where an adapter keeps what does not fit into a button; the store's, seen through a narrow door. */
export interface Payloads {
  /** Keeps a JSON value under a short key (at most 22 characters) for so long. */
  put(value: unknown, keepMillis: number): Promise<string>;
  /** Undefined when unknown or expired. */
  get(key: string): Promise<unknown>;
}
