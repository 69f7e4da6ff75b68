import type { Sender } from "../alerts/sender.ts";
import type { Bot } from "../bot/bot.ts";
import type { Visibility } from "../bot/invocation.ts";
import type { Reply } from "../reply/reply.ts";

/** An adapter's health: `down` heals by itself, `failed` needs a person (a bad token). */
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

/** Who sees an answer in a channel, as the bot decides it; a platform may decide otherwise. */
export interface AnswerAudience {
  readonly visibility: Visibility;
  /** The command's default: neither the question nor a change that the command makes decides it. */
  readonly isDefault: boolean;
}

/** Shows the console a reply as a platform will: the payload of its renderer. */
export interface Preview {
  readonly platform: "discord" | "slack";
  /** As an answer to such an audience, or as an alert posted to a channel. Pure and total; JSON. */
  render(reply: Reply, as: AnswerAudience | "alert"): unknown;
}

/** Stores the payloads that do not fit into a button: a port of the store. */
export interface Payloads {
  /** Stores a JSON value for so long; returns a short key (at most 22 characters). */
  put(value: unknown, keepMillis: number): Promise<string>;
  /** Undefined when unknown or expired. */
  get(key: string): Promise<unknown>;
}
