/** Mutants that no test can tell from the code: `file: before → after`, and why. */
export const EQUIVALENT: Readonly<Record<string, string>> = {};
