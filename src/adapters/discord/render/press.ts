import { z } from "zod";

import { Ask, type Immutable } from "../../../reply/document.ts";
import { parseJson } from "../../parse-json.ts";
import { CUSTOM_ID_LENGTH } from "../limits.ts";

/** An effect as the number in a custom_id; `confirmed` takes the place of the question that it answers. */
const EFFECTS = ["reply", "replace", "confirmed"] as const;

const asked = {
  effect: z.enum(EFFECTS),
  /** The user who asked for the message; left out for an alert. */
  asker: z.string().optional(),
};

/** The action of a button or select, encoded in its custom_id, or stored under a key in it: it outlives the process. */
const Press = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ask"),
    ask: Ask,
    ...asked,
    /** The question to confirm first. */
    confirm: z.string().optional(),
  }),
  /** A select: the value of each of its options is the place of a command here. */
  z.object({ kind: z.literal("choose"), asks: z.array(Ask), ...asked }),
  /** Details and Less: shows the kept reply whole, or folded again. */
  z.object({ kind: z.literal("fold"), whole: z.boolean(), key: z.string() }),
  /** A form: the command that it completes, and what its fields held at first. */
  z.object({ kind: z.literal("form"), ask: Ask, before: z.record(z.string(), z.string()) }),
  /** The ids that an alert shows shortened. */
  z.object({ kind: z.literal("ids"), ids: z.array(z.object({ name: z.string(), value: z.string() })) }),
  /** Posts the kept reply for all. */
  z.object({ kind: z.literal("share"), key: z.string() }),
]);
export type Press = Immutable<z.infer<typeof Press>>;

/** A button that works on the kept reply. */
export type KeptUse = "details" | "less" | "share";

export function keptPress(use: KeptUse, key: string): Press {
  return use === "share" ? { kind: "share", key } : { kind: "fold", whole: use === "details", key };
}

/** A decoded custom_id: the press itself, or the key under which it is stored. */
type DecodedPress = Press | { readonly kind: "stored"; readonly key: string };

/** Raised when the meaning of a stored press changes; older buttons then answer "run it again". */
const SCHEMA_VERSION = "1";

const PressPayloadSchema = z.object({ v: z.literal(SCHEMA_VERSION), press: Press });

/**
 * Encodes a press as a custom_id; undefined when it does not fit. `index` is the place of the button or select in its
 * message, since two of one message must not share an id.
 */
export function encodePress(press: Press, index: number): string | undefined {
  const content = contentOf(press);
  if (content === undefined) return undefined;
  const customId = `${SCHEMA_VERSION}${letterOf(press)}${index}:${content}`;
  // JSON escapes lone surrogates, so the content survives the round trip.
  return customId.length <= CUSTOM_ID_LENGTH ? customId : undefined;
}

function contentOf(press: Press): string | undefined {
  switch (press.kind) {
    case "ask": {
      const { command, options } = press.ask;
      return JSON.stringify([
        EFFECTS.indexOf(press.effect),
        press.asker ?? 0,
        command,
        Object.keys(options).length === 0 ? 0 : options,
        ...(press.confirm === undefined ? [] : [press.confirm]),
      ]).slice(1, -1);
    }
    case "ids":
      return JSON.stringify(press.ids.map(({ name, value }) => [name, value])).slice(1, -1);
    case "choose":
    case "form":
      return undefined;
    case "fold":
    case "share":
      return press.key;
  }
}

function letterOf(press: Press): string {
  return press.kind === "fold"
    ? press.whole
      ? "d"
      : "l"
    : { ask: "a", ids: "i", share: "s", choose: "c", form: "f" }[press.kind];
}

/** The custom_id of a stored press. */
export function storedPressId(key: string, index: number): string {
  return `${SCHEMA_VERSION}k${index}:${key}`;
}

/** Decodes a custom_id; undefined for one of another version or of no version of ours. */
export function decodePress(customId: string): DecodedPress | undefined {
  const match = /^(\w)([aiskdl])\d+:(.*)$/su.exec(customId);
  if (match === null || match[1] !== SCHEMA_VERSION) return undefined;
  const [, , letter, content = ""] = match;
  if (letter === "k") return { kind: "stored", key: content };
  if (letter === "s") return content === "" ? undefined : { kind: "share", key: content };
  if (letter === "d" || letter === "l") return { kind: "fold", whole: letter === "d", key: content };
  const values = parseJson(`[${content}]`);
  if (letter === "i") {
    const ids = z.array(z.tuple([z.string(), z.string()])).safeParse(values);
    return ids.success ? { kind: "ids", ids: ids.data.map(([name, value]) => ({ name, value })) } : undefined;
  }
  if (!Array.isArray(values)) return undefined;
  const [effect, asker, command, options, confirm] = values as unknown[];
  const parsed = Press.safeParse({
    kind: "ask",
    ask: { command, options: options === 0 ? {} : options },
    effect: typeof effect === "number" ? EFFECTS[effect] : undefined,
    ...(asker === 0 ? {} : { asker }),
    ...(confirm === undefined ? {} : { confirm }),
  });
  return parsed.success ? parsed.data : undefined;
}

/** The custom_ids of components, at any depth. */
export function customIdsIn(components: readonly unknown[]): string[] {
  return components.flatMap((component) => {
    const { custom_id: id, components: inner = [], accessory } = component as Pressable;
    return [...(id === undefined ? [] : [id]), ...customIdsIn(accessory === undefined ? inner : [...inner, accessory])];
  });
}

interface Pressable {
  readonly custom_id?: string;
  readonly components?: readonly unknown[];
  readonly accessory?: unknown;
}

/** The stored form of a press. */
export function pressPayload(press: Press): unknown {
  return { v: SCHEMA_VERSION, press };
}

/** The press in a stored payload; undefined for one of another version. */
export function parsePressPayload(payload: unknown): Press | undefined {
  const parsed = PressPayloadSchema.safeParse(payload);
  return parsed.success ? parsed.data.press : undefined;
}
