import { randomInt } from "node:crypto";

/** Crockford's base 32 (https://www.crockford.com/base32.html): no letter looks like another one or like a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const CODE_LENGTH = 8;

/** A new code for a job: unguessable, and easy to say and to type. */
export function randomCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** A code as somebody typed it: letters in any case, O for 0, I and L for 1, dashes anywhere. */
export function normalizeCode(typed: string): string {
  return typed.trim().toLowerCase().replaceAll("-", "").replaceAll("o", "0").replaceAll(/[il]/gu, "1");
}
