import { readFileSync } from "node:fs";

/** The version of Bellwether that runs, as its package.json says. */
export function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return String((JSON.parse(readFileSync(file, "utf8")) as { version: unknown }).version);
}
