import { randomBytes } from "node:crypto";

import { cutShort } from "../../bot/nearest.ts";
import { type Choice, MAX_CHOICE_LENGTH } from "../../bot/options/options.ts";
import { plainText } from "../../reply/plain-text.ts";
import { capitalised } from "../../reply/enum-words.ts";
import type { Text } from "../../reply/text.ts";

/** Letters and digits that cannot be confused; no vowels, so that no words arise. */
const ALPHABET = "23456789bcdfghjkmnpqrstvwxz";
const ID_LENGTH = 5;
/** A shorter prefix matches nothing. */
const MIN_PREFIX_LENGTH = 2;

/** A short id to type, such as `7k2mq`, that none of these has. */
export function createShortId(taken: readonly { readonly id: string }[]): string {
  const had = new Set(taken.map(({ id }) => id));
  for (;;) {
    const id = Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length] ?? "2").join("");
    if (!had.has(id)) return id;
  }
}

/** The entry with that id, else those that begin with it and satisfy `mayBegin`. */
export function findByShortId<T extends { readonly id: string }>(
  all: readonly T[],
  typed: string,
  mayBegin: (one: T) => boolean = () => true,
): readonly T[] {
  const wanted = typed.trim().toLowerCase();
  const exact = all.filter(({ id }) => id.toLowerCase() === wanted);
  if (exact.length > 0 || wanted.length < MIN_PREFIX_LENGTH) return exact;
  return all.filter((one) => one.id.toLowerCase().startsWith(wanted) && mayBegin(one));
}

/** Completion of a short id: by its prefix, by words of its description, or by the keys of its kinds. */
export function shortIdChoices(
  all: readonly { readonly id: string; readonly words: Text; readonly kinds: readonly string[] }[],
  typed: string,
): readonly Choice[] {
  const low = typed.trim().toLowerCase();
  const named = all.map((one) => ({ ...one, name: capitalised(plainText(one.words)) }));
  const counts = Map.groupBy(named, ({ name }) => name);
  return named
    .map(({ id, name, kinds }) => ({
      kinds,
      // Ids tell apart only what has one name.
      label: cutShort(counts.get(name)?.length === 1 ? name : `${id}: ${name}`, MAX_CHOICE_LENGTH),
      value: id,
    }))
    .filter(
      ({ kinds, label, value }) => value.startsWith(low) || `${label} ${kinds.join()}`.toLowerCase().includes(low),
    )
    .map(({ label, value }) => ({ label, value }));
}
