import type { Said } from "./options.ts";

/** `a couple of hours` */
const MAX_WORDS = 4;

/** The longest run of words that has a meaning, the first of equals; with `behind`, only behind such a word. */
export function saidRun(words: readonly string[], fits: (typed: string) => boolean, behind?: RegExp): Said | undefined {
  for (let count = MAX_WORDS; count > 0; count -= 1) {
    for (let at = 0; at + count <= words.length; at += 1) {
      const run = words.slice(at, at + count);
      const value = run.join(" ");
      if (/^\d+$/u.test(value) || !fits(value)) continue;
      const lead = words[at - 1];
      if (behind === undefined) return { value, words: run };
      if (lead !== undefined && behind.test(lead)) return { value, words: [lead, ...run] };
    }
  }
  return undefined;
}
