import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { isInside } from "../lint/places.ts";
import { doors, globals, ground, packages, rooms, timeless } from "../lint/rooms.ts";
import { PLATFORMS } from "./support/platforms.ts";

const root = path.join(import.meta.dirname, "..");

/** File, a line in it, what the linter says of it. */
const REFUSED: [file: string, code: string, message: string][] = [
  ["src/main/x.ts", `import "undici";`, "main must not import the package undici"],
  ["src/main/y.ts", `import "node:sqlite";`, "main must not import the package node:sqlite"],
  [
    "src/main/z.ts",
    `import "../../test/support/talk.ts";`,
    "main must not import test/support/talk.ts, which lies in no",
  ],
  ["src/adapters/x.ts", `import type { Kysely } from "kysely";`, "adapters/* must not import the package kysely"],
  ["src/adapters/y.ts", `import "./slack/render.ts";`, "adapters/* must not import adapters/slack"],
  ["src/adapters/teams/x.ts", `import "undici";`, "src/adapters/teams/x.ts lies in no room"],
  ["src/adapters/teams/deep/y.ts", `import "kysely";`, "src/adapters/teams/deep/y.ts lies in no room"],
  ["src/telemetry/x.ts", `export const x = 1;`, "src/telemetry/x.ts lies in no room"],
  ["src/telemetry.ts", `export const x = 1;`, "src/telemetry.ts lies in no room"],
  ["src/apis/x.mjs", `export const x = 1;`, "src/apis/x.mjs lies in no room"],
  ["src/bot/a.ts", `import { App } from "@slack/bolt";`, "bot must not import the package @slack/bolt"],
  ["src/bot/b.ts", `export const x = () => import("../../commands/index.ts");`, "bot must not import commands"],
  ["src/bot/c.ts", `import { type Payloads } from "../store/store.ts";`, `bot may import store only by "import type"`],
  ["src/bot/d.ts", `export const x = await fetch("http://localhost");`, "bot must not use fetch"],
  ["src/bot/e.ts", `export const x = process.env["HOME"];`, "process.env"],
  ["src/adapters/web/x.ts", `import "../discord/render.ts";`, "adapters/web must not import adapters/discord"],
  ["src/adapters/web/y.ts", `import "../../../commands/help.ts";`, "adapters/web must not import commands"],
  ["src/adapters/web/z.ts", `import "../../../commands";`, "adapters/web must not import commands"],
  [
    "src/adapters/slack/x.ts",
    `import type {} from "discord.js";`,
    "adapters/slack must not import the package discord.js",
  ],
  ["src/adapters/slack/y.ts", `import "@slack/web-api-again";`, "must not import the package @slack/web-api-again"],
  ["src/adapters/discord/x.ts", `export type X = import("../slack/a.ts").A;`, "must not import adapters/slack"],
  ["src/adapters/web/public/x.js", `/** @import { X } from "../../../bot/x.ts" */`, "must not import bot"],
  ["src/adapters/web/public/y.js", `import "../../../reply/csv.ts";`, `may import reply only by "import type"`],
  ["src/adapters/web/public/z.js", `import "hono";`, "adapters/web/public must not import the package hono"],
  ["src/api/a.ts", `import { start } from "../main/start.ts";`, "api must not import main"],
  ["src/api/b.ts", `export * from "undici";`, "api must not import the package undici"],
  [
    "src/api/c.ts",
    "export const x = (y: string) => import(`../${y}`);",
    "api must not import src/, which lies in no room",
  ],
  ["src/api/d.ts", "export const x = (y: string) => import(y);", "api must name what it loads in a string"],
  [
    "src/api/e.ts",
    `export const x = process.getBuiltinModule("node:http2");`,
    "api must not import the package node:http2",
  ],
  [
    "src/alerts/a.ts",
    `import { DatabaseSync } from "node:sqlite";`,
    "alerts/* must not import the package node:sqlite",
  ],
  ["src/alerts/b.ts", `import { x } from "../store/x.ts";`, `alerts/* may import store only by "import type"`],
  ["src/alerts/c.ts", `export type { Bot } from "../bot/bot.ts";`, "alerts/* must not import bot"],
  [
    "src/alerts/judge/d.ts",
    `import "node:child_process";`,
    "alerts/judge must not import the package node:child_process",
  ],
  [
    "src/alerts/route/deeper/e.ts",
    `export { x } from "../../../watchers/x.ts";`,
    "alerts/route must not import watchers",
  ],
  ["src/alerts/deep/deeper/e.ts", `export const x = 1;`, "src/alerts/deep/deeper/e.ts lies in no room"],
  ["src/store/x.ts", `export const x = require("undici");`, "store must not import the package undici"],
  ["src/units/x.ts", `import type { Log } from "../log.ts";`, "units must not import log"],
  ["src/log/x.ts", `import "../config.ts";`, "log must not import config"],
  ["src/store/y.ts", `import x = require("hono");`, "store must not import the package hono"],
  ["commands/x.ts", `import "../src/store/store.ts";`, "commands must not import store"],
  ["commands/y.ts", `import "../bench/run.ts";`, "commands must not import bench/run.ts, which lies in no room"],
  ["commands/deep/z.ts", `import "#anything";`, "commands must not import the package #anything"],
  ["src/bot/f.ts", `export const x = await globalThis.fetch("http://localhost");`, "bot must not use globalThis"],
  ["src/bot/g.ts", `const { env } = process;\nexport const x = env;`, "process.env"],
  ["src/adapters/z.mjs", `export const x = fetch("http://localhost");`, "adapters/* must not use fetch"],
  ["src/adapters/terminal/x.ts", `console.error("lost");`, "Unexpected console statement"],
  ["src/adapters/web/public/w.js", `import "node:path";`, "adapters/web/public must not import the package node:path"],
  ["src/export/x.ts", `new Worker(new URL("../store/x.ts", import.meta.url));`, "export may import store only by"],
  ["lib/x.ts", `export const x = 1;`, "lib/x.ts lies in no room"],
  ["server.mjs", `export const x = 1;`, "server.mjs lies in no room"],
  ["src/bot/vitest.config.ts", `import "undici";`, "bot must not import the package undici"],
  ["src/main/a.ts", `export const load = createRequire("/");`, `Call the result of createRequire "require"`],
  // By another way than a door
  ["commands/a.ts", `import { readMarket } from "../src/api/client/single-market.ts";`, "is no door of src/api/client"],
  ["commands/b.ts", `import type { Row } from "../src/answers/pages/walk.ts";`, "is no door of src/answers/pages"],
  [
    "commands/c.ts",
    `import { deadLetter } from "../src/alerts/deliver/outbox/record.ts";`,
    "commands must not import alerts/deliver",
  ],
  ["commands/d.ts", `import "../src/alerts/engine/engine.ts";`, "commands must not import alerts/engine"],
  ["commands/e.ts", `import "../src/alerts/service/service.ts";`, `may import alerts/service only by "import type"`],
  ["commands/f.ts", `import "../src/alerts/words/digest.ts";`, "digest.ts is no door of src/alerts/words"],
  ["src/main/b.ts", `import "../alerts/deliver/outbox/claim.ts";`, "claim.ts is no door of src/alerts/deliver:"],
  ["src/main/c.ts", `export const x = () => import("../alerts/engine/upkeep.ts");`, "is no door of src/alerts/engine"],
  ["src/main/d.ts", `export { x } from "../adapters/slack/respond/x.ts";`, "is no door of src/adapters/slack:"],
  ["src/main/doctor/x.ts", `import "../holder/wire.ts";`, "src/main/holder/wire.ts is no door of src/main/holder"],
  ["src/alerts/deliver/dispatch/x.ts", `import "../outbox/chunk.ts";`, "is no door of src/alerts/deliver/outbox"],
  ["src/alerts/engine/x.ts", `export type X = import("../deliver/outbox/chunk.ts").X;`, "is no door of src/alerts"],
  ["src/adapters/discord/render/x.ts", `import "../respond/press.ts";`, "is no door of src/adapters/discord/respond"],
  ["src/adapters/discord/render/y.ts", `import "../../../alerts/engine/engine.ts";`, "must not import alerts/engine"],
  ["src/adapters/slack/w.ts", `import "../../alerts/judge/judge.ts";`, "must not import alerts/judge"],
  ["src/adapters/web/public/v.js", `import "./reply/markup.js";`, "is no door of src/adapters/web/public/reply"],
  ["src/store/deep/a.ts", `import "../newer/deeper/newer.ts";`, "deeper/newer.ts is no door of src/store/newer"],
  // Between rooms of alerts
  ["src/alerts/judge/a.ts", `import type { X } from "../route/route.ts";`, "alerts/judge must not import alerts/route"],
  ["src/alerts/route/a.ts", `import type { X } from "../message/message.ts";`, "must not import alerts/message"],
  ["src/alerts/message/a.ts", `import type { X } from "../words/words.ts";`, "must not import alerts/words"],
  ["src/alerts/words/a.ts", `import type { X } from "../deliver/deliver.ts";`, "must not import alerts/deliver"],
  ["src/alerts/deliver/a.ts", `import type { X } from "../engine/engine.ts";`, "must not import alerts/engine"],
  ["src/alerts/engine/a.ts", `import type { X } from "../service/service.ts";`, "must not import alerts/service"],
  // In a circle
  ["src/store/file/p.ts", `import "../sqlite/sqlite.ts";`, "circle: src/store/sqlite imports src/store/file imports"],
  [
    "src/store/sqlite/sqlite.ts",
    `export { x } from "../file/file.ts";`,
    "circle: src/store/file imports src/store/sqlite",
  ],
  ["src/export/pack/pack.ts", `export const x = () => import("../verify/verify.ts");`, "circle: src/export/verify"],
  ["src/export/verify/verify.ts", `import { type X, x } from "../jobs/jobs.ts";`, "circle: src/export/jobs"],
  ["src/export/jobs/jobs.ts", `import * as x from "../pack/pack.ts";`, "circle: src/export/pack"],
  // By a name that hides it
  ["src/bot/h.ts", `const p = process;\nexport const x = p.env;`, 'Write "process."'],
  ["src/bot/i.ts", `export const x = { ...process };`, 'Write "process."'],
  ["src/bot/j.ts", `export const x = (read: (from: object) => void) => read(process);`, 'Write "process."'],
  ["src/bot/k.ts", `const { argv, ...rest } = process;\nexport const x = [argv, rest];`, 'Write "process."'],
  ["src/bot/l.ts", `export const x = (name: "env") => process[name];`, 'Write "process."'],
  ["src/bot/m.ts", `import process from "node:process";\nexport const x = process;`, "the package node:process"],
  ["src/store/z.ts", `export const x = (process as unknown as { e: string }).e;`, 'Write "process."'],
  // Too much in one function
  [
    "src/bot/n.ts",
    `export function x(a: number): void {\n${"  void a;\n".repeat(120)}}`,
    "The function `x` has too many lines (122)",
  ],
  [
    "src/bot/o.ts",
    `export const x = (a: number): number => ${[...Array(20).keys()].map((at) => `a > ${at} ? ${at} : `).join("")}a;`,
    "has a complexity of 21",
  ],
  // A clock, or chance
  ["src/alerts/judge/p.ts", `export const x = Date.now();`, "alerts must not use Date.now"],
  ["src/alerts/judge/rules/q.ts", `export const x = new Date();`, "alerts must not use Date:"],
  ["src/alerts/route/r.ts", `export const x = Date();`, "alerts must not use Date:"],
  ["src/alerts/engine/s.ts", `const { now } = Date;\nexport const x = now();`, "alerts must not use Date:"],
  ["src/alerts/deliver/outbox/t.ts", `export const x = performance.now();`, "alerts must not use performance.now"],
  ["src/alerts/words/u.ts", `export const x = Math.random();`, "alerts must not use Math.random"],
  ["src/alerts/v.ts", `export const x = Date["now"];`, "alerts must not use Date.now"],
  ["src/alerts/w.ts", `export const x = process.hrtime.bigint();`, "alerts must not use process.hrtime"],
  ["src/api/verdict/x.ts", `const { random } = Math;\nexport const x = random();`, "api/verdict must not use Math:"],
  ["src/api/verdict/y.ts", `export const x = (read = Date.now) => read();`, "api/verdict must not use Date.now"],
  ["src/watchers/sources/x.ts", `export const x = [0].map(Math.random);`, "watchers must not use Math.random"],
  [
    "src/watchers/y.ts",
    `import { systemClock } from "../api/clock.ts";\nexport const x = systemClock;`,
    "watchers must not use systemClock",
  ],
  ["src/watchers/x.ts", `export const x = performance.timeOrigin;`, "watchers must not use performance.timeOrigin"],
];

const ALLOWED: [file: string, code: string][] = [
  ["src/main.ts", `import "./adapters/slack/index.ts";\nimport "../commands/index.ts";\nimport "./store/x.ts";`],
  ["src/adapters/slack/z.ts", `import "@slack/web-api";\nimport "../unsent.ts";\nimport "../../bot/x.ts";`],
  ["src/adapters/web/public/a.js", `/** @import { X } from "../../../reply/x.ts" */\nimport "./b.js";`],
  ["src/alerts/z.ts", `import type { A } from "../store/x.ts";\nimport "../reply/x.ts";\nexport type B = A;`],
  ["src/store/deep/z.ts", `import "kysely/migration";\nimport "node:sqlite";\nimport "../../units/x.ts";`],
  ["commands/z.ts", `import "../src/answers/deep/deep.ts";\nimport "node:util";\nimport "./y.ts";`],
  ["test/x.ts", `import "undici";\nimport "../src/main/x.ts";`],
  ["src/alerts/engine/z.ts", `import "../deliver/outbox/outbox.ts";\nimport "../deliver/dispatch/dispatch.ts";`],
  ["src/export/normalise/z.ts", `import type { X } from "../pack/pack.ts";\nexport type Y = X;`],
  ["src/api/verdict/z.ts", `export const x = (at: number): Date => new Date(Math.max(at, Date.UTC(2026, 0)));`],
  ["src/bot/z.ts", `export const x = (process: string) => [process, typeof process];\nexport const y = process.pid;`],
];

function oxlint(folder: string, ...options: string[]): Promise<string> {
  const args = [path.join(root, "node_modules/oxlint/bin/oxlint"), ...options];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_error, stdout) => resolve(stdout));
  });
}

/** What the linter says of a tree in which only the planted files stand: file → its messages. */
async function lint(folder: string): Promise<Map<string, string>> {
  for (const name of ["lint", "oxlint.config.ts", "tsconfig.json", "package.json"]) {
    await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction");
  for (const [file, code] of [...REFUSED, ...ALLOWED]) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), `${code}\n`);
  }
  const output = await oxlint(folder, "--type-aware", "--format", "json");
  const { diagnostics, number_of_files: files } = JSON.parse(output) as {
    diagnostics: { filename: string; code?: string; message: string; help?: string }[];
    number_of_files: number;
  };
  expect(files).toBeGreaterThan(REFUSED.length + ALLOWED.length);
  const said = new Map<string, string>();
  for (const { filename, code, message, help } of diagnostics) {
    said.set(filename, `${said.get(filename) ?? ""}${code ?? ""} ${message} ${help ?? ""}\n`);
  }
  return said;
}

describe("the linter", () => {
  let folder: string;
  let said: Map<string, string>;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "bellwether-arrows-")));
    said = await lint(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each(REFUSED)("refuses in %s: %s", (file, _code, message) => {
    expect(said.get(file)).toContain(message);
  });

  test.each(ALLOWED)("allows what stands in %s", (file) => {
    expect(said.get(file) ?? "").not.toContain("architecture(");
  });
});

describe("the tree", () => {
  const files = globSync("{src,commands}/**", { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  const modules = files.filter((file) => /\.[cm]?[jt]sx?$/u.test(file));
  const folders = files.filter((folder) => modules.some((file) => file.startsWith(`${folder}/`)));
  /** What is a list of like things may be long, and has no module that stands for the others. */
  const isList = (folder: string): boolean => /^commands$|\/migrations$/u.test(folder);
  const within = (folder: string): string[] => modules.filter((file) => path.posix.dirname(file) === folder);
  const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");

  test("is read by the linter whole, also what is minified or looks ignored", async () => {
    const read = new Set((await oxlint(root, "--debug", "files")).replaceAll("\\", "/").split(/\r?\n/u));
    expect(modules.filter((file) => !read.has(file))).toEqual([]);
  });

  test("has every place that the tables name", () => {
    const entries = [rooms, packages, globals].flatMap((table) =>
      Object.values(table).flatMap((text) => text.split(" ")),
    );
    const places = [
      ...Object.keys(rooms),
      ...Object.keys(doors),
      ...timeless,
      ...ground.split(" "),
      ...entries.map((entry) => entry.replace("(types)", "")),
    ];
    const unknown = places.filter((place) => !modules.some((file) => isInside(file, place)));
    expect(new Set(unknown)).toEqual(new Set(["", "everything", "everywhere", "ground"]));
  });

  test("imports each door that the table lists from outside of its sub-room", () => {
    const needed = new Map(Object.keys(doors).map((subRoom) => [subRoom, new Set<string>()]));
    for (const file of modules) {
      for (const [, to = ""] of textOf(file).matchAll(/["'](\.{1,2}\/[^"'\n]+)\.[jt]s["']/gu)) {
        const target = path.posix.join(path.posix.dirname(file), to);
        for (const [subRoom, used] of needed) {
          const folder = `src/${subRoom}/`;
          if (target.startsWith(folder) && !file.startsWith(folder)) used.add(target.slice(folder.length));
        }
      }
    }
    const isNeeded = (used: ReadonlySet<string>, door: string): boolean =>
      [...used].some((one) => one === door || (door.endsWith("/*") && one.startsWith(door.slice(0, -1))));
    const needless = [...needed].flatMap(([subRoom, used]) =>
      (doors[subRoom] ?? "").split(" ").flatMap((door) => (isNeeded(used, door) ? [] : [`${subRoom}: ${door}`])),
    );
    expect(needless).toEqual([]);
  });

  test("has no circle in its table of arrows, by value or by type", () => {
    const arrows = new Map(
      Object.entries(rooms).map(([room, row]) => {
        const names = row
          .split(" ")
          .flatMap((word) => (word === "ground" ? ground.split(" ") : word.replace("(types)", "")));
        return [room, new Set(names.filter((name) => name !== room && rooms[name] !== undefined))] as const;
      }),
    );
    // What nothing imports that is left takes part in no circle.
    for (let isSmaller = true; isSmaller;) {
      const imported = new Set([...arrows.values()].flatMap((names) => [...names]));
      const free = [...arrows.keys()].filter((room) => !imported.has(room));
      for (const room of free) arrows.delete(room);
      isSmaller = free.length > 0;
    }
    expect([...arrows.keys()]).toEqual([]);
  });

  test("is drawn in ARCHITECTURE.md as the linter knows it", () => {
    const rows = readTable("| floor | room | what it holds | may import |");
    const drawn = rows.flatMap(([, names = "", , arrows = ""]) =>
      spans(names).map((room) => [room, new Set(arrows === " everything " ? ["everything"] : spans(arrows))] as const),
    );
    const floor1 = rows.flatMap(([floor, names = ""]) => (floor === " 1 " ? spans(names) : []));
    const known = Object.entries(rooms).map(([room, text]) => {
      const words = text.split(" ").filter((word) => word !== "" && (word !== "ground" || floor1.includes(room)));
      return [room, new Set(words)] as const;
    });
    expect(new Map(drawn)).toEqual(new Map(known));
    expect(new Set(floor1)).toEqual(new Set(["config", "config/settings", ...ground.split(" ")]));
  });

  test("switches rules off in oxlint.config.ts, but for one", () => {
    const comments = modules.flatMap((file) => textOf(file).match(/.*(?:ox|es)lint-disable.*/gu) ?? []);
    expect(comments).toEqual(["// oxlint-disable unicorn/require-post-message-target-origin"]);
    expect(globSync("{src,commands}/**/{.oxlintrc,oxlint.config}*", { cwd: root })).toEqual([]);
  });

  test("calls no chat platform by its name outside of its folder and the list", () => {
    const chats = PLATFORMS.chats.map(({ id }) => id).join("|");
    const operators = ["terminal", PLATFORMS.console.platform, PLATFORMS.console.channel];
    const chat = new RegExp(`\\b(?:${chats})`, "iu");
    const operator = new RegExp(`"(?:${operators.join("|")})"`, "iu");
    const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/u.test(line);
    const own = new RegExp(`^src/(?:adapters/(?:${chats})/|main/platforms/list\\.ts$)`, "u");
    const isOperators = (file: string): boolean => /^src\/(?:adapters|config|main)\//u.test(file);
    const calls = (file: string, line: string): boolean =>
      (!own.test(file) && chat.test(line)) || (!isOperators(file) && file !== "src/config.ts" && operator.test(line));
    const calling = modules.flatMap((file) =>
      textOf(file)
        .split("\n")
        .filter((line) => !isComment(line) && calls(file, line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(calling).toEqual([]);
  });

  test("has no crowded folder and no long module", () => {
    const entries = (folder: string): number => files.filter((file) => path.posix.dirname(file) === folder).length;
    expect(folders.filter((folder) => folder !== "commands" && entries(folder) > 20)).toEqual([]);
    expect(modules.filter((file) => textOf(file).trimEnd().split("\n").length > 350)).toEqual([]);
  });

  test("has an entrance to every folder inside a room that says what it is for", () => {
    // A browser enters the page by its index.html.
    const isExempt = (folder: string): boolean => isList(folder) || folder === "src/adapters/web/public";
    const inner = folders.filter((folder) => !isExempt(folder) && /^commands\/|^src\/.+\//u.test(folder));
    const isEntrance = (file: string): boolean =>
      ["index", path.basename(path.dirname(file))].includes(path.parse(file).name) && textOf(file).startsWith("// ");
    const ofModules = inner.filter((folder) => within(folder).length > 0);
    expect(ofModules.filter((folder) => !within(folder).some(isEntrance))).toEqual([]);
  });
});

/** The files that the alert about a network that stands still meets, under `src/`. */
const WAY = [
  "watchers/schedule.ts",
  "watchers/sources/{sources,sources-state,sources-readings}.ts",
  "alerts/{dependencies,destination,sender}.ts",
  "alerts/judge/judge.ts",
  "alerts/judge/kinds/{reading,kind}.ts",
  "alerts/judge/rules/{rules,episode,state-cache,state-machine}.ts",
  "alerts/route/{subscription-index,route,suspension}.ts",
  "alerts/message/delivery-subject.ts",
  "alerts/engine/{process-observation,plan-open,plan-episode,plan-delivery,reminders}.ts",
  "alerts/deliver/outbox/{outbox,batch,chunk,stored-messages,join,queries,claim,group,record,alert-log}.ts",
  "alerts/deliver/dispatch/{dispatch,ask-token,claim-due,concurrency-limit,attempt,record-result}.ts",
  "alerts/words/{words,describe-condition,condition-words,phrases,subscription-words}.ts",
  "adapters/chat/{bounds,press,refused-token}.ts",
  "adapters/discord/send/{send,body,rate-limiter}.ts",
  "adapters/discord/render/{compose,embed,blocks,markdown,buttons,press,files}.ts",
  "adapters/discord/transport/upload.ts",
];

describe("the way of an alert from an observation to Discord", () => {
  const way = WAY.flatMap((pattern) => {
    const [, before = "", names = "", after = ""] = /^(.*)\{(.*)\}(.*)$/u.exec(pattern) ?? [];
    return names === "" ? [pattern] : names.split(",").map((name) => before + name + after);
  });

  test("has at most 60 files, each once", () => {
    expect(new Set(way).size).toBe(way.length);
    expect(way.length).toBeLessThanOrEqual(60);
  });

  test("is connected: imports lead from its first file to each other one, along or against the arrow", () => {
    const importsOf = (file: string): string[] =>
      [...readFileSync(path.join(root, "src", file), "utf8").matchAll(/ from "(\.[^"]+)"/gu)].map(([, to = ""]) =>
        path.posix.join(path.posix.dirname(file), to),
      );
    const edges = way.flatMap((file) => importsOf(file).flatMap((to) => [[file, to] as const, [to, file] as const]));
    const reached = new Set(way.slice(0, 1));
    for (const file of reached) {
      for (const [from, to] of edges) if (from === file && way.includes(to)) reached.add(to);
    }
    expect(way.filter((file) => !reached.has(file))).toEqual([]);
  });

  test("names every file of these rooms in which the alert runs code", async () => {
    const ran = (await filesOn("alert")).map((file) => file.replace(/^src\//u, ""));
    const ofRooms = ran.filter((file) => /^(?:watchers|alerts|adapters)\//u.test(file));
    expect(ofRooms.length).toBeGreaterThan(40);
    expect(ofRooms.filter((file) => !way.includes(file))).toEqual([]);
  }, 30_000);
});

describe("each way meets fewer files than at commit 7732d403, by the same count", () => {
  test.each([
    ["alert", 107],
    ["discord", 83],
    ["terminal", 68],
  ])(
    "%s: fewer than %i",
    async (name, before) => {
      const ran = await filesOn(name);
      expect(ran.length).toBeGreaterThan(40);
      expect(ran.length).toBeLessThan(before);
    },
    30_000,
  );
});

/** The files in which code runs on a way, by `test/support/way.ts`. */
async function filesOn(way: string): Promise<string[]> {
  const script = path.join(root, "test/support/way.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(root, "bin/run.mjs"), script, way]);
  return JSON.parse(stdout) as string[];
}

function readArchitecture(): string {
  return readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8");
}

/** The rows of a table in ARCHITECTURE.md as their cells. */
function readTable(title: string): string[][] {
  const [, after = ""] = readArchitecture().split(`${title}\n`);
  const rows = after.split("\n").slice(1);
  return rows
    .slice(
      0,
      rows.findIndex((row) => !row.startsWith("|")),
    )
    .map((row) => row.split("|").slice(1, -1));
}

/** `` `api`, `store` (types) `` as `api` and `store(types)`. */
const spans = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`( \(types\))?/gu)].map(([, name, types]) => (types ? `${name}(types)` : `${name}`));
