// How a press is packed into the custom_id of a button or select.
import { z } from "zod";

import { parseJson } from "../../chat/parse-json.ts";
import { parsePressPayload, type Press, type StoredPress } from "../../chat/press.ts";
import { CUSTOM_ID_LENGTH } from "../limits.ts";

/** An effect as the number in a custom_id. */
const EFFECTS = ["reply", "replace", "confirmed"] as const;

/** Raised when the meaning of a custom_id changes; older buttons then answer "run it again". */
const VERSION = "1";

/**
 * Encodes a press as a custom_id; undefined when it must be stored. `index` is the place of the button or select in its
 * message, since two of one message must not share an id.
 */
export function encodePress(press: Press, index: number): string | undefined {
  const content = contentOf(press);
  if (content === undefined) return undefined;
  // JSON escapes lone surrogates, so the content survives the round trip.
  const letter = press.kind === "ids" ? "i" : press.kind === "form" ? "f" : "a";
  const customId = `${VERSION}${letter}${index}:${JSON.stringify(content).slice(1, -1)}`;
  return customId.length <= CUSTOM_ID_LENGTH ? customId : undefined;
}

function contentOf(press: Press): readonly unknown[] | undefined {
  if (press.kind === "ids") return press.ids.map(({ name, value }) => [name, value]);
  if (press.kind === "form" && press.before === undefined && press.above === undefined) {
    const how = [EFFECTS.indexOf(press.effect ?? "reply"), press.ask.command, press.ask.options];
    const { hints = {} } = press;
    const more = [Number(press.invalidates === true), hints];
    return press.invalidates === true || Object.keys(hints).length > 0 ? [...how, ...more] : how;
  }
  if (press.kind !== "ask" || press.above !== undefined) return undefined;
  const { ask, asker = 0, effect, confirm, invalidates } = press;
  const options = Object.keys(ask.options).length === 0 ? 0 : ask.options;
  const shown = typeof invalidates === "object" ? [invalidates.command, invalidates.options] : Number(invalidates);
  const more = invalidates === undefined ? (confirm === undefined ? [] : [confirm]) : [confirm ?? 0, shown];
  return [EFFECTS.indexOf(effect), asker, ask.command, options, ...more];
}

const LETTERS = { whole: "d", folded: "l" } as const;

/** The custom_id of a stored press; a page of details by its place behind the key. */
export function storedPressId({ key, show }: Pick<StoredPress, "key" | "show">, index: number): string {
  if (typeof show === "number") return `${VERSION}p${index}:${show}:${key}`;
  return `${VERSION}${show === undefined ? "k" : LETTERS[show]}${index}:${key}`;
}

/** Decodes a custom_id; undefined for one of another version, or one that the bot did not make. */
export function decodePress(customId: string): Press | StoredPress | undefined {
  const [, version, letter, content = ""] = /^(\w)([afiskdlp])\d+:(.*)$/su.exec(customId) ?? [];
  if (version !== VERSION) return undefined;
  const isInside = /[afi]/u.test(letter ?? "");
  const values = isInside ? parseJson(`[${content}]`) : undefined;
  if (values === undefined) {
    // `s` was Share until November 2026.
    if (content === "" || isInside) return undefined;
    const [, page, paged] = (letter === "p" && /^(\d{1,2}):(.+)$/su.exec(content)) || [];
    if (letter === "p") return paged === undefined ? undefined : { kind: "stored", key: paged, show: Number(page) };
    return { kind: "stored", key: content, show: letter === "d" ? "whole" : letter === "l" ? "folded" : undefined };
  }
  if (letter === "i") {
    const ids = z.array(z.tuple([z.string(), z.string()])).safeParse(values);
    return ids.success ? { kind: "ids", ids: ids.data.map(([name, value]) => ({ name, value })) } : undefined;
  }
  const press = letter === "f" ? formFrom(values as unknown[]) : askFrom(values as unknown[]);
  return parsePressPayload({ v: VERSION, press });
}

function formFrom([effect, command, options, invalidates, hints]: readonly unknown[]): unknown {
  const asked = { command, options };
  const outdates = { ...(invalidates === 1 ? { invalidates: true } : {}), ...(hints === undefined ? {} : { hints }) };
  return { kind: "form", ask: asked, effect: typeof effect === "number" ? EFFECTS[effect] : undefined, ...outdates };
}

function askFrom([effect, asker, command, options, confirm = 0, shown]: readonly unknown[]): unknown {
  const invalidates = Array.isArray(shown) ? { command: shown[0] as unknown, options: shown[1] as unknown } : true;
  return {
    kind: "ask",
    ask: { command, options: options === 0 ? {} : options },
    effect: typeof effect === "number" ? EFFECTS[effect] : undefined,
    ...(asker === 0 ? {} : { asker }),
    ...(confirm === 0 ? {} : { confirm }),
    ...(shown === undefined ? {} : { invalidates }),
  };
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
