import { z } from "zod";

import { Ask, type Immutable, ReplyJson } from "../../../reply/document.ts";
import { replyFromJson, replyToJson } from "../../../reply/json.ts";
import type { Reply } from "../../../reply/reply.ts";
import { parseJson } from "../../parse-json.ts";
import { BUTTON_VALUE_LENGTH } from "../limits.ts";

// What a button or a choice means: encoded in its value, or stored under a key in the value. It outlives the process.

/** The context of a message, beside its reply. */
const MessageContext = z.object({
  /** Who asked; left out for an alert. */
  asker: z.string().exactOptional(),
  /** The command, for Refresh and Send as file; left out where it must not run again. */
  ask: Ask.exactOptional(),
  /** Only the asker sees it, in a channel where others could. */
  shareable: z.boolean().exactOptional(),
  /** It replaces a message; that one's files, if any, were sent with it. */
  replaces: z.boolean().exactOptional(),
  /** Set if required values are missing that a form can ask for. */
  form: Ask.exactOptional(),
});

const Effect = z.enum(["replace", "reply"]);

/** Earlier versions kept no description of the files. */
const Kept = ReplyJson.omit({ headline: true }).extend({ attachments: ReplyJson.shape.attachments.exactOptional() });

const Press = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ask"),
    ask: Ask,
    effect: Effect,
    /** The user who asked for the message; left out for an alert. */
    asker: z.string().optional(),
    /** In the home tab: the channel that it is about. */
    channel: z.string().exactOptional(),
    /** The message is an error, so its files, if any, were not sent. */
    fresh: z.literal(true).optional(),
  }),
  /** One of several: the value of each option ends with its place. */
  z.object({ kind: z.literal("choice"), asks: z.array(Ask), effect: Effect, asker: z.string().optional() }),
  /**
   * The reply as it was shown, without the bytes of its files. Share posts it; Details and Less show more or less of it
   * in its place. None of them runs anything. A reply too long to keep is left out.
   */
  z.object({
    kind: z.literal("share"),
    shown: Kept.optional(),
    /** How many files it had, in what earlier versions stored. */
    files: z.int().min(0).optional(),
    context: MessageContext.optional(),
    /** Lines of mrkdwn in the message: where its files are, and who shared it on top. */
    notes: z.array(z.string()).optional(),
    above: z.string().optional(),
  }),
  /** Runs the command again and sends the omitted content as files. */
  z.object({ kind: z.literal("files"), ask: Ask }),
  /** Opens the form of a command, with the known values filled in. */
  z.object({ kind: z.literal("form"), ask: Ask }),
  /** Opens the form that asks for any command. */
  z.object({ kind: z.literal("question") }),
  /** Turns to a page of the home tab, counted from 0. */
  z.object({ kind: z.literal("home"), page: z.int().min(0) }),
]);
export type Press = Immutable<z.infer<typeof Press>>;
export type KeptPress = Extract<Press, { kind: "share" }>;

export interface MessageContext extends Immutable<z.infer<typeof MessageContext>> {
  /** The root command, with its slash, before each line to type; left out = the usual one. */
  readonly command?: string;
  /** It is shown in a modal, which takes no table. */
  readonly inView?: boolean;
  /** Shows everything, with a button back to what people read first. */
  readonly whole?: boolean;
}

/** What a press on a kept reply does; Share where it is left out. */
type Show = "whole" | "folded";

/** A press that the store holds. */
interface StoredPress {
  readonly kind: "stored";
  readonly key: string;
  readonly show?: Show;
  /** The place in a choice. */
  readonly at?: number;
}

/** Longer values of buttons are stored, since they count towards the length of the message. */
export const INLINE_PRESS_LENGTH = Math.min(600, BUTTON_VALUE_LENGTH);

/** `v` changes with the meaning of a stored press; older buttons then answer "run it again". */
const VersionedPress = z.union([
  z.object({ v: z.literal(1), press: Press }),
  z.object({ v: z.literal(1), key: z.string(), show: z.enum(["whole", "folded"]).exactOptional() }),
]);
/** An option of a choice: a key, and a place. */
const CHOICE_VALUE = /^([\w-]{1,22}):(\d{1,3})$/u;

/** The press as a value, or undefined when it must go into the store, which keeps a shown reply for a day. */
export function encodePress(press: Press, max = INLINE_PRESS_LENGTH): string | undefined {
  if (press.kind === "share" && press.shown !== undefined) return undefined;
  const value = JSON.stringify(pressPayload(press));
  return value.length <= max ? value : undefined;
}

/** The value of a stored press, whose key has at most 22 characters. */
export function storedPressValue({ key, show, at }: Omit<StoredPress, "kind">): string {
  if (at !== undefined) return `${key}:${at}`;
  return JSON.stringify({ v: 1, key, ...(show === undefined ? {} : { show }) });
}

/** Stands for the key of a press until it is stored; as long as one. */
export function placeholderKey(name: string): string {
  return `-${name}`.padEnd(22, "-");
}

/** The longest value of a stored press. */
export const STORED_PRESS_VALUE_LENGTH = storedPressValue({ key: placeholderKey(""), show: "folded" }).length;

/** The stored form of a press. */
export function pressPayload(press: Press): unknown {
  return { v: 1, press };
}

/** Undefined for a value of another version, or one that the bot did not make. */
export function decodePress(value: unknown): Press | StoredPress | undefined {
  const [, key, at] = (typeof value === "string" && CHOICE_VALUE.exec(value)) || [];
  if (key !== undefined) return { kind: "stored", key, at: Number(at) };
  const parsed = VersionedPress.safeParse(typeof value === "string" ? parseJson(value) : value);
  if (!parsed.success) return undefined;
  if ("press" in parsed.data) return parsed.data.press;
  const { v: _version, ...stored } = parsed.data;
  return { kind: "stored", ...stored };
}

/** A longer reply is not kept; the store's own limit leaves room for the rest of a press. */
const MAX_KEPT_LENGTH = 63_000;

/** A reply as Share and Details keep it; undefined for one that is too long. */
export function keep(reply: Reply): KeptPress["shown"] {
  const { headline: _headline, ...shown } = replyToJson(reply);
  return JSON.stringify(shown).length <= MAX_KEPT_LENGTH ? shown : undefined;
}

/** The reply that was kept. Its files have names and no bytes: they were sent, or are sent when somebody asks for them. */
export function keptReply({ shown, files = 0 }: KeptPress): Reply | undefined {
  if (shown === undefined) return undefined;
  const nameless = { name: "file", mediaType: "", sizeBytes: 0, sha256: "" };
  const attachments = shown.attachments ?? Array.from({ length: files }, () => nameless);
  return replyFromJson({ ...shown, attachments, headline: "" }, (file) => ({
    ...file,
    open() {
      throw new Error("the bytes of this file are not kept");
    },
    dispose: () => Promise.resolve(),
  }));
}
