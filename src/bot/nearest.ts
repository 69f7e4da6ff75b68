import { distance } from "fastest-levenshtein";

/** The candidate most similar to the typed text, or undefined where none is near enough. Case is ignored. */
export function nearest(typed: string, candidates: Iterable<string>): string | undefined {
  return nearestTwo(typed, candidates)[0];
}

/** The two candidates most similar to the typed text, the nearer one first; fewer where they are not near enough. */
export function nearestTwo(typed: string, candidates: Iterable<string>): readonly string[] {
  const wanted = typed.toLowerCase();
  const allowed = Math.max(1, Math.floor(Math.max(wanted.length, 3) / 3));
  const scored = Array.from(candidates, (candidate) => {
    const known = candidate.toLowerCase();
    // A prefix counts as one edit: people stop typing early as often as they mistype.
    const begins = known !== wanted && known.startsWith(wanted) && wanted.length >= 2;
    return { candidate, score: begins ? 1 : editDistance(wanted, known) };
  });
  const near = scored.filter(({ score }) => score <= allowed).toSorted((a, b) => a.score - b.score);
  return near.slice(0, 2).map(({ candidate }) => candidate);
}

/**
 * The word in which one letter is missing, too many, another one, or swapped with its neighbour. Of short ones, only one
 * that begins alike, and of the shortest none with another letter: `love` is not `live`. Else the only one with those
 * consonants, where no vowel is typed: `sprd`.
 */
export function misspelt(typed: string, words: Iterable<string>): string | undefined {
  const isNear = (word: string): boolean =>
    word.length > 3 &&
    editDistance(typed, word) === 1 &&
    (typed.length > 5 || word[0] === typed[0]) &&
    (typed.length > 4 || word.length > typed.length || isTransposition(typed, word));
  const all = [...words];
  const bare = typed.length > 3 && !/[aeiou]/u.test(typed) ? all.filter((word) => consonantsOf(word) === typed) : [];
  return (
    all.filter(isNear).toSorted((a, b) => b.length - a.length)[0] ?? (new Set(bare).size === 1 ? bare[0] : undefined)
  );
}

function consonantsOf(word: string): string {
  return word.slice(0, 1) + word.slice(1).replaceAll(/[aeiou]/gu, "");
}

/** What to do about a wrong value: those that may be meant are named, and can be chosen; then the words. */
export function didYouMean(typed: string, near: string | readonly string[] | undefined, words = "") {
  const values = typeof near === "string" ? [near] : (near ?? []);
  if (values.length === 0) return { remedy: words };
  return {
    remedy: `Did you mean ${values.join(" or ")}? ${words}`.trim(),
    meanings: { typed, values: values.map((value) => ({ label: value, value })) },
  };
}

/** The edits between two words, or word by word; a transposition of neighbouring letters counts as one. */
function editDistance(typed: string, known: string): number {
  const [some, others] = [typed.split(" "), known.split(" ")];
  if (some.length !== others.length) return distance(typed, known);
  return some.reduce((sum, word, at) => {
    const other = others[at] ?? "";
    return sum + (isTransposition(word, other) ? 1 : distance(word, other));
  }, 0);
}

function isTransposition(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Typed text in quotes, cut for use in a sentence. */
export function quoteTyped(typed: string): string {
  return `“${cutShort(typed.replaceAll(/\s+/gu, " ").trim(), 60)}”`;
}

/** The text, cut to so many code points; an ellipsis shows the cut. */
export function cutShort(words: string, most: number): string {
  const points = Array.from(words);
  return points.length <= most ? words : `${points.slice(0, most - 1).join("")}…`;
}
