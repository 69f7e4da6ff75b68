import { globSync } from "node:fs";
import path from "node:path";

import { configureGlobal } from "fast-check";
import { describe } from "vitest";

import { ROOM } from "./room.ts";

const test = path.join(import.meta.dirname, "..");

// A counterexample is enough; looking for the smallest one takes seconds.
configureGlobal({ endOnFailure: true });

const files = ROOM.tests.flatMap((glob) => globSync(`${glob}.test.ts`, { cwd: test }).toSorted());
// Each in a suite, so that its hooks are its own.
describe.each(files.filter((file) => !file.endsWith(".slow.test.ts")))("%s", async (file) => {
  await import(path.join(test, file));
});
