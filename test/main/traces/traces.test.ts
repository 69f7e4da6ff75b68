import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { z } from "zod";

import { judgeTrace } from "../../../src/main/traces/judge.ts";
import { readTrace, writeTrace } from "../../../src/main/traces/lines.ts";
import { type LookLine, TraceLine } from "../../../src/main/traces/traces.ts";
import { LINES, scratch } from "./half-hour.ts";

const LOOKS = LINES.filter((line): line is LookLine => "look" in line);

test("a name and its address are hidden within the texts of failures", async () => {
  const { Anonymous } = await import("../../../src/main/traces/anonymous.ts");
  const hidden = new Anonymous();
  hidden.add(["node.example:3008", "other.example", "n.other.example:443"]);
  const look = { look: "markets", at: "1", run: "r", dueMillis: 1, every: 1 } as const;
  const said = (failure: string) => (hidden.line({ ...look, failure }) as LookLine).failure;
  expect(said("node.example:3008 and NODE.example: no answer from 10.0.0.7:3008.")).toBe(
    "node-1 and a node: no answer from an address.",
  );
  expect(said("other.example, n.other.example:443 of another.example, https://x.example/a?b")).toBe(
    "node-2, node-3 of another.example, an address",
  );
});

test("every line that is written fits the schema beside docs/traces.md", () => {
  const schema = JSON.parse(
    readFileSync(new URL("../../../docs/trace.schema.json", import.meta.url), "utf8"),
  ) as object;
  expect(schema).toEqual(
    JSON.parse(JSON.stringify({ title: "A line of a Bellwether trace", ...z.toJSONSchema(TraceLine) })),
  );
  const fits = new Ajv2020({ strict: false }).compile(schema);
  expect(LINES.filter((line) => !fits(line))).toEqual([]);
  const parts = ["trace", "settings", "look", "truth"];
  expect(parts.filter((part) => !LINES.some((line) => part in line))).toEqual([]);
  expect(fits({ ...LOOKS[0], at: 17 })).toBe(false);
});

const [header, settings] = LINES;
const broken = (change: object): unknown[] => [header, settings, { ...LOOKS[0], ...change }];

test.each<[what: string, lines: readonly unknown[], refusal: RegExp]>([
  ["another version", [{ ...header, trace: 2 }], /^Line 1 does not fit: trace\.trace/u],
  ["no first line", [settings], /^Line 1 does not fit: the first line/u],
  ["two first lines", [header, header], /^Line 2 does not fit: the first line/u],
  ["a number of 64 bits that is none", broken({ at: 1_717_416_000_000_000_000 }), /^Line 3 does not fit: look\.at/u],
  ["an unknown member", broken({ more: 1 }), /^Line 3 does not fit: look: .*more/u],
  ["a round without nodes", broken({ seen: { order: [] } }), /^Line 3 does not fit: .*no round/u],
  ["settings after looks", [header, settings, LOOKS[0], settings], /^Line 4 does not fit: settings comes after look/u],
  ["looks without settings", [header, LOOKS[0]], /^Line 2 does not fit: /u],
  ["a fact without a kind", [header, settings, { truth: "fact", from: "1", to: "2" }], /^Line 3 .* needs a kind/u],
  ["no object", [header, settings, 7], /^Line 3 does not fit: it is none of/u],
])("%s is refused with the number of its line", async (_, lines, refusal) => {
  const file = path.join(await scratch(), "a.trace.gz");
  writeFileSync(file, gzipSync(lines.map((line) => JSON.stringify(line)).join("\n")));
  await expect(judgeTrace(readTrace(file), { name: "a" })).rejects.toThrow(refusal);
});

test("what is no trace, or a part of one, or too long, is refused in a sentence", async () => {
  const at = await scratch();
  const file = path.join(at, "whole.trace.gz");
  await writeTrace(file, LINES);
  const bytes = readFileSync(file);
  const judged = async (
    name: string,
    content: Buffer | string,
    bounds?: { readonly line: number; readonly all: number },
  ) => {
    const other = path.join(at, name);
    writeFileSync(other, content);
    return judgeTrace(readTrace(other, bounds), { name });
  };
  await expect(judged("cut", bytes.subarray(0, bytes.length - 40))).rejects.toThrow(/cannot be read after line \d+/u);
  await expect(judged("plain", "{}")).rejects.toThrow(/cannot be read \(Z_DATA_ERROR\)/u);
  await expect(judged("nothing", gzipSync(""))).rejects.toThrow("nothing has no first line.");
  await expect(judged("text", gzipSync("{\n"))).rejects.toThrow("Line 1 does not fit: it is no JSON.");
  await expect(judged("bytes", gzipSync(Buffer.from([34, 255, 34])))).rejects.toThrow(
    "Line 1 does not fit: it is no UTF-8.",
  );
  await expect(judged("long", bytes, { line: 300, all: 1e9 })).rejects.toThrow(
    /^Line 2 does not fit: it is longer than 300/u,
  );
  const packed = (...lines: readonly object[]) => gzipSync(lines.map((line) => JSON.stringify(line)).join("\n"));
  const [header = {}, settings = {}] = LINES;
  await expect(judged("backwards", packed({ ...header, to: "0" }, settings))).rejects.toThrow(
    "Line 1 does not fit: trace.from is not before trace.to.",
  );
  const poll = { settings: { version: "1", nodes: ["a"], config: { poll: { time: "soon" } } } };
  await expect(judged("settings", packed(header, { ...settings, ...poll }))).rejects.toThrow(
    "Line 2 does not fit: settings.config.poll.time is no number.",
  );
  await expect(judged("escape", packed({ ...header, "\u001B[31m": 1 }))).rejects.toThrow(/^\P{Cc}+$/u);
  await expect(judged("large", bytes, { line: 1e6, all: 50_000 })).rejects.toThrow(/the trace is longer than/u);
  await expect(judgeTrace(readTrace(path.join(at, "missing")), { name: "missing" })).rejects.toThrow("(ENOENT)");
});

test("a file that cannot be finished leaves nothing behind", async () => {
  const at = await scratch();
  function* failing(): Generator<TraceLine> {
    yield* LINES.slice(0, 50);
    throw new Error("the store is gone");
  }
  await expect(writeTrace(path.join(at, "a.trace.gz"), failing())).rejects.toThrow("the store is gone");
  expect(readdirSync(at)).toEqual([]);
});
