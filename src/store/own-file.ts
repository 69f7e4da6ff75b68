import { closeSync, openSync } from "node:fs";

/**
 * Makes an empty file that is this user's alone, where there is none; what SQLite puts beside it takes its mode.
 * One that exists is not even opened: closing it again would drop every lock that this process holds on it
 * (https://www.sqlite.org/howtocorrupt.html, "POSIX advisory locks canceled").
 */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
  }
}
