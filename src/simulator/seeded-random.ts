import { createHash } from "node:crypto";

/**
 * Deterministic numbers that look random: each is a function of the seed, a tag and the indices given, so that two
 * processes get the same ones in any order of calls. Only exact operations are used: the last
 * digit of Math.sin and the like differs between engines.
 */
export class SeededRandom {
  readonly seed: string;
  readonly #root: number;
  readonly #tags = new Map<string, number>();

  constructor(seed: string) {
    this.seed = seed;
    this.#root = hashText(seed);
  }

  /** A whole number from 0 to 2^32 - 1. */
  bits(tag: string, ...at: number[]): number {
    let hash = this.#root ^ this.#tag(tag);
    for (const index of at) {
      hash = mix(hash ^ (index >>> 0));
      if (index >= 4_294_967_296) hash = mix(hash ^ Math.floor(index / 4_294_967_296));
    }
    return mix(hash) >>> 0;
  }

  /** From 0 up to, not including, 1. */
  unit(tag: string, ...at: number[]): number {
    return this.bits(tag, ...at) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number, tag: string, ...at: number[]): number {
    return low + Math.floor(this.unit(tag, ...at) * (high - low + 1));
  }

  pick<T>(list: readonly T[], tag: string, ...at: number[]): T {
    const chosen = list[this.bits(tag, ...at) % list.length];
    if (chosen === undefined) throw new RangeError("nothing to pick from");
    return chosen;
  }

  /** Lower-case hex of `bytes` bytes, at most 32 per digest and chained beyond. */
  hex(bytes: number, tag: string, ...at: (number | string)[]): string {
    let text = "";
    for (let part = 0; text.length < bytes * 2; part++) {
      text += createHash("sha256")
        .update(`${this.seed}|${tag}|${at.join("|")}|${part}`)
        .digest("hex");
    }
    return text.slice(0, bytes * 2);
  }

  /** A decimal number of exactly `count` digits, the first not zero. */
  digits(count: number, tag: string, ...at: (number | string)[]): string {
    const digits = BigInt(`0x${this.hex(count, tag, ...at)}`).toString();
    const first = digits.at(-count) === "0" ? "7" : (digits.at(-count) ?? "7");
    return first + digits.slice(digits.length - count + 1);
  }

  /** The list in another order, the same for the same indices. */
  shuffled<T>(list: readonly T[], tag: string, ...at: number[]): T[] {
    const keyed = list.map((value, index) => ({ value, key: this.bits(tag, ...at, index) }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ value }) => value);
  }

  #tag(tag: string): number {
    let hash = this.#tags.get(tag);
    if (hash === undefined) {
      hash = hashText(tag);
      this.#tags.set(tag, hash);
    }
    return hash;
  }
}

function hashText(text: string): number {
  let hash = 0x9e3779b9;
  for (let index = 0; index < text.length; index++) hash = mix(hash ^ text.charCodeAt(index));
  return hash;
}

// The finalizer of MurmurHash3, after a step that keeps zero from mapping to zero.
function mix(value: number): number {
  let hash = (value + 0x6d2b79f5) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
