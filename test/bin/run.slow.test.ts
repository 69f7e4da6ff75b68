import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { scratchDatabase } from "../support/scratch-database.ts";

const ROOT = path.join(import.meta.dirname, "../..");

const SCRIPT = `
import { openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
let refused;
while (refused === undefined) try { openSync("/dev/null"); } catch (thrown) { refused = thrown.code; }
await sleep(2500);
console.log(refused, "and alive");
`;

it.skipIf(process.platform === "win32")("a script of npm goes on where it may open no more files", async () => {
  const scratch = await scratchDatabase();
  const script = path.join(scratch.folder, "script.mjs");
  writeFileSync(script, SCRIPT);
  const { stdout } = await promisify(execFile)(
    "sh",
    ["-c", 'ulimit -n 64; "$0" bin/run.mjs "$1"; exit $?', process.execPath, script],
    { cwd: ROOT, env: { ...process.env, npm_lifecycle_event: "start" } },
  );
  expect(stdout).toBe("EMFILE and alive\n");
  await scratch.remove();
});
