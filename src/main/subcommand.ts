/** A subcommand of main.ts: resolves with the exit code. What it throws is told to the person by main.ts. */
export type Subcommand = (args: readonly string[]) => Promise<number>;
