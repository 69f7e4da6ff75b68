/** What a process ends with; the codes of `ask` are those of the reply's failure. */
export const EXIT_CALLER = 1;
export const EXIT_NETWORK = 2;
export const EXIT_BUG = 3;
