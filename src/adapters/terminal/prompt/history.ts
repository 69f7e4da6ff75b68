import { appendFile, chmod, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";

import { makeFolder } from "../../../make-folder.ts";

/** The number of lines kept. */
const MAX_LINES = 1000;
/** Readable by the owner alone. */
const OWNER_ONLY = 0o600;

/** The lines typed at earlier prompts, kept in a file that only its owner can read. */
export interface History {
  /** The newest first, as readline wants them. */
  readonly lines: readonly string[];
  /** Resolves with the error if the line could not be stored; never rejects. */
  add(line: string): Promise<unknown>;
}

/** Reads the history; a file that is missing or cannot be read is an empty one. */
export async function openHistory(file: string | undefined): Promise<History> {
  if (file === undefined) return { lines: [], add: async () => undefined };
  const kept = await readLines(file);
  const newest = kept.slice(-MAX_LINES);
  // Prompts only append, so that concurrent ones lose nothing; the file is truncated here.
  if (kept.length > 2 * MAX_LINES) await truncateHistory(file, newest);
  return {
    lines: newest.toReversed(),
    add: async (line) => {
      try {
        makeFolder(path.dirname(file));
        await appendFile(file, `${line}\n`, { mode: OWNER_ONLY });
        await chmod(file, OWNER_ONLY);
        return undefined;
      } catch (thrown) {
        return thrown;
      }
    },
  };
}

async function readLines(file: string): Promise<string[]> {
  try {
    return (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  } catch {
    return [];
  }
}

async function truncateHistory(file: string, lines: readonly string[]): Promise<void> {
  const partial = `${file}.${process.pid}.part`;
  try {
    await writeFile(partial, `${lines.join("\n")}\n`, { mode: OWNER_ONLY });
    await rename(partial, file);
  } catch {
    // A long history is harmless; it is truncated the next time.
  }
}
