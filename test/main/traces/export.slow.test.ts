import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

import { expect, test } from "vitest";

import { replay } from "../../../src/main/cli/replay.ts";
import { trace } from "../../../src/main/cli/trace.ts";
import type { LookLine, TraceLine } from "../../../src/main/traces/traces.ts";
import { LINES, watched } from "./half-hour.ts";

const LOOKS = LINES.filter((line): line is LookLine => "look" in line);

const linesIn = (file: string): TraceLine[] =>
  gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TraceLine);

test("an exported trace is judged as the store is, and overwrites nothing", async () => {
  const { at, said, range } = await watched();
  const file = path.join(at, "new", "day.trace.gz");
  await replay(range);
  const replayed = said.splice(0);
  expect(replayed.filter((line) => / (?:fired|resolved) /u.test(line)).length).toBeGreaterThan(3);
  await trace(["export", ...range, file]);
  expect(said.splice(0)[0]).toContain(`${LOOKS.length} looks at mainnet`);
  await trace(["judge", file]);
  expect(said.slice(0, -1)).toEqual(replayed.slice(0, -1));
  const whole = linesIn(file).flatMap((line) => ("look" in line ? [line] : []));
  expect(whole.map((look, index) => ({ ...look, trueAt: LOOKS[index]?.trueAt }))).toEqual(LOOKS);
  await expect(trace(["export", ...range, file])).rejects.toThrow("exists already");
  expect(readdirSync(path.dirname(file))).toEqual(["day.trace.gz"]);
});

test("an anonymous trace names no node, and is judged alike", async () => {
  const { at, said, range } = await watched();
  const file = path.join(at, "day.trace.gz");
  await trace(["export", ...range, "--anonymous", file]);
  const text = gunzipSync(readFileSync(file)).toString();
  expect(text.includes(":3008")).toBe(false);
  expect(text.includes('"node-2":{"reachable":false,"why":"refused')).toBe(true);
  said.length = 0;
  await trace(["judge", file]);
  const anonymous = said.splice(0);
  await replay(range);
  expect(anonymous.slice(0, -1)).toEqual(said.slice(0, -1).map((line) => line.replace(/(node-\d):3008/u, "$1")));
});
