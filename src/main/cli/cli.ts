// The subcommands of `src/main.ts`: one module each in this folder, besides `../start.ts` and `../doctor/doctor.ts`.
// This module holds their common contract; read `ask.ts` next.

import { readFileSync } from "node:fs";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

import { messageOf, UserError } from "../../errors.ts";

/** Resolves with the exit code; main.ts prints the errors it throws. */
export type Subcommand = (args: readonly string[]) => Promise<number>;

/** Exit codes; `ask` exits with that of the reply's failure. */
export const EXIT_CALLER = 1;
export const EXIT_NETWORK = 2;
export const EXIT_BUG = 3;

/** The arguments of a script. Throws UserError, with its help, for those that it does not take. */
export function scriptArguments<T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  help: string,
  allowPositionals = false,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (thrown) {
    throw new UserError(messageOf(thrown).replace(/\.?$/u, "."), { remedy: help, cause: thrown });
  }
}

/** The running version, from package.json. */
export function packageVersion(): string {
  const file = new URL("../../../package.json", import.meta.url);
  return String((JSON.parse(readFileSync(file, "utf8")) as { version: unknown }).version);
}

/** Resolves once the reader has taken what was printed, or is gone: the end of the process would cut off the rest. */
export async function printed(): Promise<void> {
  process.stdout.on("error", () => undefined);
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
}
