// What a press means on every platform, and how it is stored. A platform packs it into its id or value, within its limits.
import { z } from "zod";

import { type Milliseconds, withTimeout } from "../../units/time.ts";
import type { Log } from "../../log.ts";
import { Ask, type Immutable, Invalidates, ReplyJson } from "../../reply/document.ts";
import { replyFromJson, replyToJson } from "../../reply/json.ts";
import { type Action, keepActions, type Reply } from "../../reply/reply.ts";
import type { Payloads } from "../adapter.ts";

/** How long a button works. */
export const BUTTON_LIFETIME_MILLIS: Milliseconds = 30 * 86_400_000;
/** How long Details, Less and Share work. */
export const KEPT_MILLIS: Milliseconds = 86_400_000;

/** The part of a message's context that is kept with its reply. */
const KeptContext = z.object({
  /** The user who asked; left out for an alert. */
  asker: z.string().optional(),
  /** The command, for Refresh and Send as file; left out where it must not run again. */
  ask: Ask.optional(),
  /** Only the asker sees it, in a place where others could. */
  shareable: z.boolean().optional(),
  /** It replaces a message, with which the files were sent. */
  replaces: z.boolean().optional(),
  /** Set if required values are missing that a form can ask for. */
  form: Ask.optional(),
});
export type KeptContext = Immutable<z.infer<typeof KeptContext>>;

const Kept = ReplyJson.omit({ headline: true });
const Effect = z.enum(["replace", "reply"]);

const HomeList = z.enum(["alerts", "silences", "told", "parties"]);

const Press = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ask"),
    ask: Ask,
    /** `confirmed`: the answer takes the place of the question that it answers. */
    effect: z.enum([...Effect.options, "confirmed"]),
    /** The user who asked for the message; left out for an alert. */
    asker: z.string().optional(),
    invalidates: Invalidates.optional(),
    /** The question to confirm first, where the platform does not ask it. */
    confirm: z.string().optional(),
    /** Of a question: how to reach the message below which it was asked, sealed. */
    above: z.string().optional(),
    /** In the home tab: the channel that it is about. */
    channel: z.string().optional(),
    /** The message is an error, so its files, if any, were not sent. */
    fresh: z.literal(true).optional(),
  }),
  /** One of several commands, by its place. */
  z.object({
    // Discord's buttons wrote `choose` until November 2026; they work for 30 days.
    kind: z.literal(["choice", "choose"]).transform((): "choice" => "choice"),
    asks: z.array(Ask),
    effect: Effect,
    asker: z.string().optional(),
    invalidates: Invalidates.optional(),
  }),
  /** The reply as it was shown, without the bytes of its files, for Details, Less and Share. None of them runs anything. */
  z.object({
    kind: z.literal("share"),
    /** Left out for a reply that is too long to keep. */
    shown: Kept.optional(),
    context: KeptContext.optional(),
    /** Unix milliseconds of the answer. */
    at: z.number().optional(),
    /** Lines in the platform's markup: where its files are, and who shared it on top. */
    notes: z.array(z.string()).optional(),
    above: z.string().optional(),
  }),
  /** Runs the command again and sends the omitted content as files. */
  z.object({ kind: z.literal("files"), ask: Ask }),
  /**
   * The form of a command, with the known values filled in; `before` are the values that the thing had when it opened.
   * `replace`: the answer takes the place of the message with the button; `invalidates`: unless it fails.
   */
  z.object({
    kind: z.literal("form"),
    ask: Ask,
    before: z.record(z.string(), z.string()).optional(),
    effect: Effect.optional(),
    invalidates: Invalidates.optional(),
    above: z.string().optional(),
    hints: z.record(z.string(), z.string()).optional(),
  }),
  /** The ids that an alert shows shortened. */
  z.object({ kind: z.literal("ids"), ids: z.array(z.object({ name: z.string(), value: z.string() })) }),
  /** The form that asks for any command. */
  z.object({ kind: z.literal("question") }),
  /** Shows the home tab: its overview, or a page of a list, counted from 0. */
  z.object({ kind: z.literal("home"), list: HomeList.optional(), page: z.int().min(0) }),
]);
export type Press = Immutable<z.infer<typeof Press>>;
export type HomeList = z.infer<typeof HomeList>;
/** What of the home tab somebody looks at: a page of a list, or the overview. */
export type HomePlace = Omit<Extract<Press, { kind: "home" }>, "kind">;
export type KeptPress = Extract<Press, { kind: "share" }>;

/** How much of a kept reply is shown: what people read first, or all of it; of several pages the first, or one by its place. */
export type Show = "whole" | "folded" | number;

/** A press that the store holds. */
export interface StoredPress {
  readonly kind: "stored";
  readonly key: string;
  /** Of a kept reply; left out for Share. */
  readonly show?: Show | undefined;
  /** The place in a choice. */
  readonly at?: number | undefined;
}

const Payload = z.union([
  z.object({ v: z.literal([1, "1"]), press: Press }).transform(({ press }) => press),
  // How Discord's replies were kept until November 2026.
  z
    .object({ v: z.literal("1"), kept: KeptContext.extend({ reply: Kept, at: z.number() }) })
    .transform(({ kept: { reply: shown, at, ...context } }): KeptPress => ({ kind: "share", shown, at, context })),
]);

/** The stored form of a press. */
export function pressPayload(press: Press): unknown {
  return { v: 1, press };
}

/** The press in a payload; undefined for a payload of another version, or one that the bot did not make. */
export function parsePressPayload(payload: unknown): Press | undefined {
  return Payload.safeParse(payload).data;
}

/** A press as a platform handles it: the command that was chosen, not the choice; a kept reply with the form to show. */
export type ReadPress =
  | Exclude<Press, { kind: "choice" | "share" }>
  | (KeptPress & { readonly key?: string; readonly show?: Show | undefined });

/** A form must open within three seconds. */
const READ_TIMEOUT_MILLIS: Milliseconds = 1000;

/** Reads a stored press; undefined for one that has expired. Rejects where the store does not answer in time. */
export async function readPress(
  payloads: Payloads,
  decoded: Press | StoredPress | undefined,
): Promise<ReadPress | undefined> {
  if (decoded?.kind !== "stored") return decoded?.kind === "choice" ? undefined : decoded;
  const { key, show, at = -1 } = decoded;
  const press = parsePressPayload(await withTimeout(payloads.get(key), READ_TIMEOUT_MILLIS));
  if (press?.kind === "share") return { ...press, key, show };
  if (press?.kind !== "choice") return press;
  const { asks, kind: _, ...rest } = press;
  const ask = asks[at];
  return ask === undefined ? undefined : { ...rest, kind: "ask", ask };
}

/** A longer reply is not kept. */
const MAX_KEPT_LENGTH = 63_000;

/** The press that is surely meant: the only one of an offer, a form before its choices, and the first thing to do about an alert. */
export function mainAction({ actions, asks }: Reply, { asker }: Pick<KeptContext, "asker">): Action | undefined {
  const [first] = actions;
  const isForm = first !== undefined && "form" in first;
  if (asks === true && (actions.length === 1 || isForm)) return first;
  return asker === undefined
    ? actions.find((action) => "invocation" in action && action.invocation.command === "alerts ack")
    : undefined;
}

/** The press of Share and Details, with the reply, unless that is too long. */
export function keptPress(reply: Reply, context: KeptContext, at?: Milliseconds): KeptPress {
  const { headline: _headline, ...shown } = replyToJson(reply);
  const fits = JSON.stringify(shown).length <= MAX_KEPT_LENGTH;
  return { kind: "share", shown: fits ? shown : undefined, context: KeptContext.parse(context), at };
}

/** The reply that was kept. Its files have names and no bytes: they were sent, or are sent when somebody asks for them. */
export function keptReply({ shown }: KeptPress): Reply | undefined {
  if (shown === undefined) return undefined;
  return replyFromJson({ ...shown, headline: "" }, (file) => ({
    ...file,
    open() {
      throw new Error("the bytes of this file are not kept");
    },
    dispose: () => Promise.resolve(),
  }));
}

/** A reply that is shared: all who see it may use its links, and no other button. */
export function forSharing(reply: Reply): Reply {
  return keepActions(reply, (action) => "url" in action);
}

export interface PressStorage {
  readonly payloads: Payloads;
  readonly log: Log;
  /** How long a stored press, and so its button, is valid; a kept reply for a day at most. */
  readonly ttlMillis: Milliseconds;
}

/** Some messages must be sent within 3 s, and a message matters more than its buttons. */
const STORE_TIMEOUT_MILLIS: Milliseconds = 1000;

/** Stores presses by name; gives the key of each. A press that cannot be stored in time is logged and gets no key. */
export async function storePresses(
  platform: string,
  presses: Iterable<readonly [name: string, press: Press]>,
  { payloads, log, ttlMillis }: PressStorage,
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  const store = async ([name, press]: readonly [string, Press]): Promise<void> => {
    const ttl = press.kind === "share" ? Math.min(KEPT_MILLIS, ttlMillis) : ttlMillis;
    try {
      keys.set(name, await withTimeout(payloads.put(pressPayload(press), ttl), STORE_TIMEOUT_MILLIS));
    } catch (error) {
      log.error({ err: error, platform }, "button not stored");
    }
  };
  await Promise.all(Array.from(presses, store));
  return keys;
}

/** Says that buttons are missing, since they could not be stored; empty where none is. */
export function missingButtons(count: number): string {
  return count === 0 ? "" : `Buttons missing here, since what they mean could not be kept: ${count}.`;
}
