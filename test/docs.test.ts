import { existsSync, globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { avoidedWords, linesWith } from "./support/glossary.ts";
import { commands } from "../commands/index.ts";
import { DEFAULT_ALERTS_CONFIG, parseAlertsConfig } from "../src/alerts/alerts-config.ts";
import { ALERT_KINDS, KIND_GROUP_NAMES, KIND_GROUPS, KINDS, sortKinds } from "../src/alerts/judge/kinds/kinds.ts";
import { createLog } from "../src/log.ts";
import { TABLES } from "../src/store/schema.ts";
import { parseConfig } from "./support/platforms.ts";

const root = path.join(import.meta.dirname, "..");
const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { scripts: object };

/** A page of the documentation. */
function page(name: string): Promise<string> {
  return readFile(path.join(root, name), "utf8");
}

/** The rows of all tables of a page whose first column has this title, as the code spans in their cells. */
function table(text: string, title: string): string[][][] {
  const lines = text.split("\n");
  const rows: string[][][] = [];
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith(`| ${title} |`)) continue;
    for (const row of lines.slice(index + 2)) {
      if (!row.startsWith("|")) break;
      const cells = row.split(/(?<!\\)\|/u).slice(1, -1);
      rows.push(cells.map((cell) => [...cell.matchAll(/`([^`]+)`/gu)].map(([, code]) => code ?? "")));
    }
  }
  return rows;
}

describe("the README", async () => {
  const readme = await page("README.md");

  test("has at most 150 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });

  test("lists every script", () => {
    const written = table(readme, "script").map(([name]) => name?.[0]?.replace(/^npm (run )?/u, ""));
    // npm runs what comes before and after an installation by itself.
    const typed = Object.keys(manifest.scripts).filter((name) => !/^(?:pre|post)install$/u.test(name));
    expect(new Set(written)).toEqual(new Set(typed));
  });

  test("begins with what it is, the two commands and one picture", () => {
    const screen = readme.split("\n").slice(0, 12).join("\n");
    expect(screen).toContain("docs/console.png");
    expect(screen).toContain("npm ci && npm start");
    expect(screen).toContain("npm ci && npm test");
  });
});

describe("docs/commands.md", () => {
  test("lists every command with its options, in the order of help", async () => {
    const written = table(await page("docs/commands.md"), "command").map(([name, options]) => [
      name?.join(" "),
      options,
    ]);
    expect(written).toEqual(commands.map((command) => [command.name, Object.keys(command.options)]));
  });
});

describe("docs/glossary.md", () => {
  const avoided = avoidedWords();

  test("names other words for nearly each", () => {
    expect(avoided.length).toBeGreaterThan(25);
    expect(avoided.filter((words) => words.length === 0).length).toBeLessThan(5);
  });

  // Their answers, and all alerts, are read in test/gallery.
  test("is kept to by what commands ask for", () => {
    const asked = commands.flatMap(({ summary, options }) => [
      summary,
      ...Object.values(options).map(({ description }) => description),
    ]);
    expect(linesWith(avoided.flat(), asked)).toEqual([]);
  });
});

describe("docs/alerts.md", async () => {
  const alerts = await page("docs/alerts.md");

  test("lists every kind, in order, and every group", () => {
    expect(table(alerts, "kind").map(([kind]) => kind?.[0])).toEqual(ALERT_KINDS);
    expect(table(alerts, "group").map(([group]) => group?.[0])).toEqual(KIND_GROUP_NAMES);
  });

  test.each(ALERT_KINDS)("says how severe %s gets", (kind) => {
    const [row = ""] = alerts.split("\n").filter((line) => line.startsWith(`| \`${kind}\` |`));
    expect(row.split("|")[3]).toContain(KINDS[kind].worst);
  });

  test.each(ALERT_KINDS)("says what to do about %s, where there is anything to do", (kind) => {
    const [row = ""] = alerts.split("\n").filter((line) => line.startsWith(`| \`${kind}\` |`));
    expect(row.split("|").at(-2)?.trim()).toBe(KINDS[kind].remedy ?? "–");
  });

  test.each(["ops", "network", "nodes", "checkpoints", "markets"] as const)("lists the kinds of %s", (group) => {
    const [, written = []] = table(alerts, "group").find(([name]) => name?.[0] === group) ?? [];
    const kinds = written.flatMap((word) => ALERT_KINDS.filter((kind) => kind.startsWith(word.replace("…", ""))));
    expect(sortKinds(kinds)).toEqual(KIND_GROUPS[group]);
  });

  test("lists every key of ALERTS_CONFIG with its default", () => {
    const written: Record<string, Record<string, unknown>> = {};
    const keys = table(alerts, "setting").map(([names, , , , defaults]) => {
      const [group = "", name = ""] = names?.[0]?.split(".") ?? [];
      written[group] = { ...written[group], [name]: JSON.parse(defaults?.[0] ?? "null") };
      return `${group}.${name}`;
    });
    // Empty by default, and described below the table.
    const { kinds: _kinds, ...settings } = DEFAULT_ALERTS_CONFIG;
    const known = Object.entries(settings).flatMap(([group, of]) => Object.keys(of).map((name) => `${group}.${name}`));
    expect(keys).toEqual(known);
    expect(parseAlertsConfig(JSON.stringify(written))).toEqual(DEFAULT_ALERTS_CONFIG);
  });
});

describe("docs/nouns.md", async () => {
  const text = await page("docs/nouns.md");

  test("lists at most 60 nouns, each once", () => {
    const nouns = [...text.matchAll(/^\| (?!noun)([a-z][^|]*) \|/gmu)].map(([, noun]) => noun);
    expect(nouns.length).toBeLessThanOrEqual(60);
    expect(new Set(nouns).size).toBe(nouns.length);
  });

  test("names every table of alerts", () => {
    const tables = Object.keys(TABLES).filter((name) => name.startsWith("alert_") && name !== "alert_counters");
    expect([...text.matchAll(/`(alert_\w+)`/gu)].map(([, name = ""]) => name).toSorted()).toEqual(tables.toSorted());
  });
});

describe("ARCHITECTURE.md", () => {
  const count = (words: string): number => words.split(/\s+/u).filter((word) => word !== "").length;

  test("is read in ten minutes: 110 lines, 2,200 words, 30 of them in a sentence at most", async () => {
    const text = await page("ARCHITECTURE.md");
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(110);
    expect(count(text)).toBeLessThanOrEqual(2200);
    const prose = withoutFences(text).replaceAll(/^\|.*\|$/gmu, "");
    const sentences = prose.split("\n").flatMap((line) => line.split(/(?<=[.:;!?]\**)\s/u));
    expect(sentences.filter((sentence) => count(sentence) > 30)).toEqual([]);
  });

  test.each(["ARCHITECTURE.md", "docs/recipes.md"])(
    "and its recipes: every file that %s names exists",
    async (name) => {
      const text = withoutFences(await page(name));
      const named = [...text.matchAll(/`([\w./-]+\.(?:ts|js|css|md|json|snap))`/gu)].map(([, file = ""]) => file);
      // A bare name is a file in the folder that the sentence has named before.
      const all = globSync("{src,commands,test,bench,docs,lint,bin}/**", { cwd: root }).map((file) => `/${file}`);
      const known = (file: string): boolean =>
        existsSync(path.join(root, file)) || all.some((each) => each.endsWith(`/${file}`));
      expect(named.length).toBeGreaterThan(20);
      expect(named.filter((file) => !known(file))).toEqual([]);
    },
  );
});

describe("links", () => {
  const pages = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "SECURITY.md",
    ...globSync("docs/**/*.md", { cwd: root }),
  ];

  test.each(pages)("of %s lead to files and headings that there are", async (name) => {
    const broken: string[] = [];
    for (const [, target = ""] of withoutCode(await page(name)).matchAll(/\]\(([^)\s]+)\)/gu)) {
      if (/^[a-z]+:/u.test(target)) continue;
      const [file = "", heading] = target.split("#");
      const linked = file === "" ? name : path.join(path.dirname(name), file);
      const found = existsSync(path.join(root, linked));
      if (!found || (heading !== undefined && !anchors(await page(linked)).has(heading))) broken.push(target);
    }
    expect(broken).toEqual([]);
  });

  test("knows how headings are named", () => {
    expect(anchors("# A\n## ALERTS_CONFIG\n```\n# no heading\n```\n### Who, `and` what?\n# A")).toEqual(
      new Set(["a", "alerts_config", "who-and-what", "a-1"]),
    );
  });
});

function withoutFences(text: string): string {
  return text.replaceAll(/^(```+).*\n(?:.*\n)*?\1$/gmu, "");
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]*`(?!\])/gu, "");
}

/** The names by which GitHub lets links lead to the headings of a page. */
function anchors(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, title = ""] of withoutFences(text).matchAll(/^#{1,6} +(.+)$/gmu)) {
    const name = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/gu, "-");
    let unique = name;
    for (let count = 1; names.has(unique); count += 1) unique = `${name}-${count}`;
    names.add(unique);
  }
  return names;
}

/** The events that a call may write, of which the code behind its opening bracket is given. */
function eventsOf(call: string): string[] {
  let depth = 1;
  let last = 0;
  for (let at = 0; at < call.length; at += 1) {
    if ("({[".includes(call[at]!)) depth += 1;
    else if (")}]".includes(call[at]!)) depth -= 1;
    else if (call[at] === "," && depth === 1 && /^\s*[^\s)]/u.test(call.slice(at + 1, at + 40))) last = at + 1;
    if (depth === 0) return [...call.slice(last, at).matchAll(/"([^"]+)"/gu)].flatMap(([, event = ""]) => event);
  }
  return [];
}

describe("docs/logs.md", () => {
  test("explains every event that is written, once, and no other", async () => {
    const logs = await page("docs/logs.md");
    const explained = [
      ...logs.matchAll(/^\| `([^`]+)` \| (?:(?:debug|info|warn|error|fatal)(?:, )?)+ \| \S.* \|$/gmu),
    ].flatMap(([, event = ""]) => event);
    const files = globSync(["src/**/*.ts", "commands/*.ts"], { cwd: root });
    const code = (await Promise.all(files.map((file) => readFile(path.join(root, file), "utf8")))).join("\n");
    // The last words of each call; a few are handed on by a variable first.
    const written = code
      .split(/\blog\??\.(?:debug|info|warn|error|fatal)\(/gu)
      .slice(1)
      .map(eventsOf);
    expect(explained.length).toBeGreaterThan(100);
    expect(new Set(explained).size).toBe(explained.length);
    expect(new Set(written.flat()).difference(new Set(explained))).toEqual(new Set());
    expect(written.filter((events) => events.length === 0).length).toBeLessThan(5);
    expect(explained.filter((event) => !code.includes(`"${event}"`))).toEqual([]);
  });

  test("no secret stands in a line, whatever is written of the configuration or of a failed request", () => {
    const config = parseConfig({
      MAINNET_URLS: "https://name:hunter2@node.example.org",
      MAINNET_CORE_URL: "https://name:hunter2@core.example.org",
      DISCORD_TOKEN: "hunter2",
      SLACK_BOT_TOKEN: "xoxb-hunter2",
      SLACK_APP_TOKEN: "xapp-hunter2",
      SLACK_SIGNING_SECRET: "hunter2",
      WEB_TOKEN: "hunter2-hunter2-hunter2",
      DEADMAN_URL: "https://hc-ping.com/hunter2",
    });
    const err = Object.assign(new Error("Unknown interaction"), { url: "https://discord.com/webhooks/1/hunter2" });
    let lines = "";
    const log = createLog("info", { write: (line) => (lines += line) });
    log.info({ config, ...config, headers: { Authorization: "Bearer hunter2" }, err }, "stopping");
    expect(lines).toContain("Unknown interaction");
    expect(lines).not.toContain("hunter2");
  });
});
