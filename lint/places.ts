import path from "node:path";

/** The folder of the repository. */
export const root = path.dirname(import.meta.dirname);

/** Whether a file is inside an entry of the tables: `src/api/http.ts` is in `api` and in `api/http`. */
export function isInside(file: string, place: string): boolean {
  const bare = file.replace(/\.[cm]?[jt]sx?$/u, "");
  const start = place === "commands" ? place : `src/${place}`;
  return start.endsWith("/*") ? path.posix.dirname(bare) === start.slice(0, -2) : `${bare}/`.startsWith(`${start}/`);
}
