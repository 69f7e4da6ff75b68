import { z } from "zod";

import type { Ask } from "../../reply/reply.ts";
import { BUTTON_VALUE_LENGTH } from "./limits.ts";

/** What a button does. It outlives the process: all of it stands in the button's value, or in the store under a key that does. */
export type Press =
  | {
      readonly kind: "ask";
      readonly ask: Ask;
      readonly effect: "replace" | "reply";
      /** The user who asked for the message; nobody for what was sent unasked. */
      readonly asker?: string | undefined;
      /** What stands there is no answer yet: its files, if any, were not sent. */
      readonly fresh?: true | undefined;
    }
  /** Asks again and posts the answer for all to see. */
  | { readonly kind: "share"; readonly ask: Ask; readonly asker?: string | undefined }
  /** Asks again and sends what did not fit as files to whoever presses. */
  | { readonly kind: "files"; readonly ask: Ask }
  /** Opens the form of a command, with what is known already filled in. */
  | { readonly kind: "form"; readonly ask: Ask };

/** What a value says: the press itself, or where it is kept. */
export type DecodedPress = Press | { readonly kind: "kept"; readonly key: string };

/** Longer values are kept in the store, since they count towards the length of the whole message. */
const INLINE_PRESS_LENGTH = Math.min(600, BUTTON_VALUE_LENGTH);

const AskSchema = z.object({
  command: z.string(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
const PressSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ask"),
    ask: AskSchema,
    effect: z.enum(["replace", "reply"]),
    asker: z.string().optional(),
    fresh: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal("share"), ask: AskSchema, asker: z.string().optional() }),
  z.object({ kind: z.enum(["files", "form"]), ask: AskSchema }),
]);
/** `v` changes when the meaning of what is stored changes; older buttons then answer "run it again". */
const VersionedPressSchema = z.union([
  z.object({ v: z.literal(1), press: PressSchema }),
  z.object({ v: z.literal(1), key: z.string() }),
]);

/** The press as a button's value, or undefined when it must be kept in the store. */
export function encodePress(press: Press): string | undefined {
  const value = JSON.stringify(pressPayload(press));
  return value.length <= INLINE_PRESS_LENGTH ? value : undefined;
}

/** The value of a button whose press is kept under a key of at most 22 characters. */
export function storedPressValue(key: string): string {
  return JSON.stringify({ v: 1, key });
}

/** The longest of those. */
export const STORED_PRESS_VALUE_LENGTH = storedPressValue("k".repeat(22)).length;

/** What goes into the store for a press. */
export function pressPayload(press: Press): unknown {
  return { v: 1, press };
}

/** Undefined for what another version, or nobody, has made. */
export function decodePress(value: unknown): DecodedPress | undefined {
  const parsed = VersionedPressSchema.safeParse(typeof value === "string" ? parseJson(value) : value);
  if (!parsed.success) return undefined;
  return "key" in parsed.data ? { kind: "kept", key: parsed.data.key } : parsed.data.press;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
