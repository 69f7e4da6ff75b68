import type { Sender } from "../alerts/sender.ts";
import type { Bot } from "../bot/bot.ts";
import type { Visibility } from "../bot/invocation.ts";
import type { Invalidates } from "../reply/document.ts";
import type { Ask, Reply } from "../reply/reply.ts";
import type { Webhook } from "./webhook.ts";

/** An adapter's health: `down` heals by itself, `failed` needs a person (a bad token). */
export interface AdapterHealth {
  readonly state: "up" | "starting" | "down" | "failed";
  /** One clause for people, without secrets. */
  readonly why?: string;
}

export interface Adapter {
  readonly platform: string;
  readonly health: AdapterHealth;
  /** Where its platform posts requests; left out, nowhere. */
  readonly webhooks?: readonly Webhook[];
  /** Resolves once it runs or retries in the background; rejects only for configuration errors. */
  start(bot: Bot): Promise<void>;
  /** Resolves within 5 s, even if the platform does not answer. */
  stop(): Promise<void>;
}

/** A platform that can also post alerts. */
export type SendingAdapter = Adapter & Sender;

/** Who sees an answer in a channel, according to the bot; a platform may decide otherwise. */
export interface AnswerAudience {
  readonly visibility: Visibility;
  /** Whether this is the command's default, not set by the question or by an announced change. */
  readonly isDefault: boolean;
  /** The question, for Refresh; left out where it must not be asked again. */
  readonly ask?: Ask;
  /** It is the asker's own business: no button shares it. */
  readonly personal?: true;
}

/** What a button or choice of a preview does on the console: its command, or the whole message and back, or one of its pages. */
export type PreviewPress =
  | {
      readonly invocation: Ask;
      readonly effect: "replace" | "reply";
      readonly confirm?: string;
      readonly invalidates?: Invalidates;
      readonly form?: true;
    }
  | { readonly fold: true; readonly page?: number };

/** Previews a reply on the console as a platform will show it: the payload of its renderer. */
export interface Preview {
  readonly platform: string;
  /** The platform's name, for people. */
  readonly name: string;
  /** The folder of the page.js and page.css that draw it in a browser (web/public/preview/preview.js); left out, nothing does. */
  readonly page?: URL;
  /**
   * Renders an answer for this audience, or an alert posted to a channel; beside the message `presses`, the PreviewPress
   * by what its button carries, `whole`, the message after Details, and `pages`, its further pages. Pure and total; JSON.
   */
  render(reply: Reply, as: AnswerAudience | "alert"): unknown;
}

/** Stores payloads that do not fit into a button; implemented by the store. */
export interface Payloads {
  /** Stores a JSON value for `ttlMillis`; returns a short key (at most 22 characters). */
  put(value: unknown, ttlMillis: number): Promise<string>;
  /** Undefined when unknown or expired. */
  get(key: string): Promise<unknown>;
}
