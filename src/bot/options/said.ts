import type { Nanoseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Option, Said } from "./options.ts";
import { parseTimeSpan } from "./time-span.ts";

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

/** The range of the past that a question says, and its end; from a moment on, until now. */
export function saidTimes(words: readonly string[], now: Nanoseconds): { readonly range?: Said; readonly end?: Said } {
  const isTime = (typed: string): boolean => parseTimeSpan(typed, now) !== undefined;
  const since = saidRun(words, isTime, /^since$/u);
  const range = since ?? saidRun(words, isTime, /^from$/u) ?? saidRun(words, isTime);
  const until = saidRun(words, isTime, /^(?:until|till|til|to|through)$/u);
  const end = until ?? (since === undefined ? undefined : { value: "now", words: [] });
  return withoutUndefined({ range, end: range?.value === until?.value ? undefined : end });
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

/** A value in the words of whoever asks, as they wrote them, signs between them too. */
export function asWritten(value: string, option: Option | undefined, written: string): string {
  return option?.kind === "text" && option.asWritten === true ? asTyped(value, written) : value;
}

/** Words of a question as they were written. */
export function asTyped(value: string, written: string): string {
  // A comma before `not` is read as `but`.
  const ends = [...value.replace(/^but (?=not)/u, "").matchAll(/^\S+|\S+$/gu)].map(([word]) => RegExp.escape(word));
  return new RegExp(`(?:${RegExp.escape(value)}|${ends.join(".*")})(?!.*${ends[0]})`, "iu").exec(written)?.[0] ?? value;
}
