import { mkdirSync, statSync } from "node:fs";
import path from "node:path";

import { codeOf } from "./errors.ts";

/**
 * Makes a folder with its parents; an existing one stays as it is. Throws the file system's error. Node's `mkdir` with
 * `recursive` loops for ever, at full load, where a file system without folders answers ENOENT under a folder that
 * exists, as Linux does in /proc; seen with Node 20.20 and 24.15.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !isThere(at); at = path.dirname(at)) {
    missing.push(at);
    if (path.dirname(at) === at) break;
  }
  const inOrder = missing.length === 0 ? [folder] : missing.toReversed();
  for (const one of inOrder) {
    try {
      mkdirSync(one);
    } catch (thrown) {
      // It was there before, or another process made it meanwhile.
      if (codeOf(thrown) !== "EEXIST" || !statSync(one).isDirectory()) throw thrown;
    }
  }
}

function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return false;
    throw thrown;
  }
}
