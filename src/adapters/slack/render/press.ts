// How a press is packed into the value of a button or an option.
import type { Milliseconds } from "../../../units/time.ts";
import { parseJson } from "../../chat/parse-json.ts";
import {
  type KeptContext,
  parsePressPayload,
  type Press,
  pressPayload,
  type Show,
  type StoredPress,
} from "../../chat/press.ts";
import { z } from "zod";

import { BUTTON_VALUE_LENGTH } from "../limits.ts";

/** The context of a message, beside its reply. */
export interface MessageContext extends KeptContext {
  /** The root command, with its slash, before each line to type; left out = the usual one. */
  readonly command?: string;
  /** It is shown in a modal, which takes no table. */
  readonly inView?: boolean | undefined;
  /** The moment at which it is sent, in Unix milliseconds: its notification counts from there. */
  readonly now?: Milliseconds | undefined;
  /** How much it shows of its reply; left out = what people read first. */
  readonly show?: Show;
}

/** Longer values of buttons are stored, since they count towards the length of the message. */
export const INLINE_PRESS_LENGTH = Math.min(600, BUTTON_VALUE_LENGTH);

const StoredValue = z.object({
  v: z.literal(1),
  key: z.string(),
  show: z.union([z.enum(["whole", "folded"]), z.int().min(0).max(99)]).exactOptional(),
});
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
  return at === undefined ? JSON.stringify({ v: 1, key, show }) : `${key}:${at}`;
}

/** Stands for the key of a press until it is stored; as long as one. */
export function placeholderKey(name: string): string {
  return `-${name}`.padEnd(22, "-");
}

/** The longest value of a stored press. */
export const STORED_PRESS_VALUE_LENGTH = storedPressValue({ key: placeholderKey(""), show: "folded" }).length;

/** Undefined for a value of another version, or one that the bot did not make. */
export function decodePress(value: string | undefined): Press | StoredPress | undefined {
  const [, key, at] = CHOICE_VALUE.exec(value ?? "") ?? [];
  if (key !== undefined) return { kind: "stored", key, at: Number(at) };
  const payload = parseJson(value ?? "");
  const stored = StoredValue.safeParse(payload).data;
  return stored === undefined ? parsePressPayload(payload) : { kind: "stored", key: stored.key, show: stored.show };
}
