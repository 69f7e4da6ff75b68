import { globSync } from "node:fs";
import path from "node:path";

import { configureGlobal } from "fast-check";
import { describe } from "vitest";

/** The tests of a room that fail first for a fault in it: those of single functions before those of the whole. */
const FOLDERS = ["rules", "routing", "outbox", "engine", "dispatch", "service", "suspension", "."];
const alerts = path.join(import.meta.dirname, "..", "alerts");

// A counterexample is enough; looking for the smallest one takes seconds.
configureGlobal({ endOnFailure: true });

const files = FOLDERS.flatMap((folder) => globSync(`${folder}/*.test.ts`, { cwd: alerts }).toSorted());
// Each in a suite, so that its hooks are its own.
describe.each(files.filter((file) => !file.endsWith(".slow.test.ts")))("%s", async (file) => {
  await import(path.join(alerts, file));
});
