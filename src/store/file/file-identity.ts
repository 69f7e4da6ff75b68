import { statSync } from "node:fs";

/** A database file that is no longer under its name. SQLite goes on with the file that it opened, which ends with it. */
export type FileLoss = "deleted" | "replaced";

/** Tells a file from any other that bears its name; undefined where there is none. Throws what the file system throws. */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** What became of a file since its identity was taken; undefined where nothing did, or where nobody can tell. */
export function lossOf(file: string, identity: string | undefined): FileLoss | undefined {
  if (identity === undefined) return undefined;
  const now = identityOf(file);
  if (now === undefined) return "deleted";
  return now === identity ? undefined : "replaced";
}
