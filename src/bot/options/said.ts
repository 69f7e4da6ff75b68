import type { Said } from "./options.ts";

/** `a couple of hours` */
const MAX_WORDS = 4;

const TIME_FOLLOWS = /^(?:in|of|for|since|from|until|last)$/u;

/** The longest run of words that has a meaning, the first of equals; with `behind`, only behind such a word. */
export function saidRun(words: readonly string[], fits: (typed: string) => boolean, behind?: RegExp): Said | undefined {
  for (let count = MAX_WORDS; count > 0; count -= 1) {
    for (let at = 0; at + count <= words.length; at += 1) {
      const run = words.slice(at, at + count);
      const value = run.join(" ");
      const lead = words[at - 1];
      // Only behind such a word a month or a year: `may i`.
      const isOther =
        /^(?:may|\d+)$/u.test(value) && !(/^(?:may|20\d\d)$/u.test(value) && TIME_FOLLOWS.test(lead ?? ""));
      if (isOther || !fits(value)) continue;
      if (behind === undefined) return { value, words: run };
      if (lead !== undefined && behind.test(lead)) return { value, words: [lead, ...run] };
    }
  }
  return undefined;
}

/** Whether two sayings share words, and neither has only a part of those of the other. */
export function cross(a: readonly string[], b: readonly string[]): boolean {
  const shared = a.filter((word) => b.includes(word)).length;
  return shared > 0 && shared < a.length === b.some((word) => !a.includes(word));
}

/** The words without one occurrence of each of these. */
export function without(words: readonly string[], taken: readonly string[]): readonly string[] {
  return taken.reduce<readonly string[]>((rest, word) => {
    const at = rest.indexOf(word);
    return at === -1 ? rest : rest.toSpliced(at, 1);
  }, words);
}
