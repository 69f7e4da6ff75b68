/** Endings that change the form of a word and not its meaning. */
const ENDINGS = ["ations", "ation", "est", "ions", "ion", "ings", "ing", "ies", "ied", "es", "ed", "s", "e", "y"];

/** What all forms of a word have in common: `verif` of `verified`, `silenc` of `silencing`, `stop` of `stopped`. */
export function stem(word: string): string {
  const ending = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length >= 3);
  const rest = ending === undefined ? word : word.slice(0, -ending.length);
  // Not of `fill`, which is no `file`.
  return rest.length > 3 && /(?:([bdgmnprt])\1|\p{L}{4}ll)$/u.test(rest) ? rest.slice(0, -1) : rest;
}
