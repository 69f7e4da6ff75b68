import { z } from "zod";

import type { Ask } from "../../reply/reply.ts";
import { CUSTOM_ID_LENGTH } from "./limits.ts";

/** What a button does. It outlives the process: all of it stands in the button, or in the store under a key that does. */
export type Press =
  | {
      readonly kind: "ask";
      readonly ask: Ask;
      readonly effect: "replace" | "reply";
      /** The user who asked for the message; nobody for what was sent unasked. */
      readonly asker?: string | undefined;
      /** The question to put first. */
      readonly confirm?: string | undefined;
    }
  | { readonly kind: "ids"; readonly ids: readonly { readonly name: string; readonly value: string }[] }
  | { readonly kind: "share" };

/** What a custom_id says: the press itself, or where it is kept. */
export type DecodedPress = Press | { readonly kind: "kept"; readonly key: string };

/** Changes when the meaning of what is stored changes; older buttons then answer "run it again". */
const SCHEMA_VERSION = "1";

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
    confirm: z.string().optional(),
  }),
  z.object({ kind: z.literal("ids"), ids: z.array(z.object({ name: z.string(), value: z.string() })) }),
  z.object({ kind: z.literal("share") }),
]);
const PressPayloadSchema = z.object({ v: z.literal(SCHEMA_VERSION), press: PressSchema });

/**
 * The press as a custom_id, or undefined when it does not fit. `index` is the button's place in its message,
 * since two buttons of one message must not share an id.
 */
export function encodePress(press: Press, index: number): string | undefined {
  const content = (() => {
    switch (press.kind) {
      case "ask": {
        const { command, options } = press.ask;
        return JSON.stringify([
          press.effect === "replace" ? 1 : 0,
          press.asker ?? 0,
          command,
          Object.keys(options).length === 0 ? 0 : options,
          ...(press.confirm === undefined ? [] : [press.confirm]),
        ]).slice(1, -1);
      }
      case "ids":
        return JSON.stringify(press.ids.map(({ name, value }) => [name, value])).slice(1, -1);
      case "share":
        return "";
    }
  })();
  const customId = `${SCHEMA_VERSION}${KIND_LETTERS[press.kind]}${index}:${content}`;
  // JSON holds lone surrogates as escapes, so what fits here also survives the way through Discord.
  return customId.length <= CUSTOM_ID_LENGTH ? customId : undefined;
}

/** The custom_id of a press that is kept in the store. */
export function storedPressId(key: string, index: number): string {
  return `${SCHEMA_VERSION}k${index}:${key}`;
}

/** Undefined for what another version, or nobody, has made. */
export function decodePress(customId: string): DecodedPress | undefined {
  const match = /^(\w)([aisk])\d+:(.*)$/su.exec(customId);
  if (match === null || match[1] !== SCHEMA_VERSION) return undefined;
  const content = match[3] ?? "";
  if (match[2] === "k") return { kind: "kept", key: content };
  if (match[2] === "s") return { kind: "share" };
  const values = parseJson(`[${content}]`);
  if (match[2] === "i") {
    const ids = z.array(z.tuple([z.string(), z.string()])).safeParse(values);
    return ids.success ? { kind: "ids", ids: ids.data.map(([name, value]) => ({ name, value })) } : undefined;
  }
  if (!Array.isArray(values)) return undefined;
  const [replace, asker, command, options, confirm] = values as unknown[];
  const parsed = PressSchema.safeParse({
    kind: "ask",
    ask: { command, options: options === 0 ? {} : options },
    effect: replace === 1 ? "replace" : "reply",
    ...(asker === 0 ? {} : { asker }),
    ...(confirm === undefined ? {} : { confirm }),
  });
  return parsed.success ? parsed.data : undefined;
}

/** What goes into the store for a press, and back. */
export function pressPayload(press: Press): unknown {
  return { v: SCHEMA_VERSION, press };
}
export function parsePressPayload(kept: unknown): Press | undefined {
  const parsed = PressPayloadSchema.safeParse(kept);
  return parsed.success ? parsed.data.press : undefined;
}

const KIND_LETTERS: Record<Press["kind"], string> = { ask: "a", ids: "i", share: "s" };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
