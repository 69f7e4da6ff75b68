import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { commands } from "../commands/index.ts";
import { parseConfig } from "../src/config/config.ts";
import { createLog, LOG_EVENTS } from "../src/log.ts";

const root = path.join(import.meta.dirname, "..");
const readme = await readFile(path.join(root, "README.md"), "utf8");
const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { scripts: object };

/** The rows of the table whose first column has this title, as the code spans in their cells. */
function table(title: string): string[][][] {
  const lines = readme.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} |`));
  const rows: string[][][] = [];
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith("|")) break;
    rows.push(
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => [...cell.matchAll(/`([^`]+)`/gu)].map(([, code]) => code ?? "")),
    );
  }
  return rows;
}

describe("the README", () => {
  test("lists every command with its options, in the order of help", () => {
    const written = table("command").map(([name, options]) => [name?.join(" "), options]);
    expect(written).toEqual(commands.map((command) => [command.name, Object.keys(command.options)]));
  });

  test("lists every script", () => {
    const written = table("script").map(([name]) => name?.[0]?.replace(/^npm (run )?/u, ""));
    // npm runs what comes before and after an installation by itself.
    const typed = Object.keys(manifest.scripts).filter((name) => !/^(?:pre|post)install$/u.test(name));
    expect(new Set(written)).toEqual(new Set(typed));
  });

  test("begins with what it is, one picture and the two commands", () => {
    const screen = readme.split("\n").slice(0, 12).join("\n");
    expect(screen).toContain("docs/console.png");
    expect(screen).toContain("npm ci && npm start");
    expect(screen).toContain("npm ci && npm test");
  });
});

describe("docs/logs.md", () => {
  test("explains every event, in order, and no other", async () => {
    const page = await readFile(path.join(root, "docs/logs.md"), "utf8");
    const written = [
      ...page.matchAll(/^\| `([^`]+)` \| (?:(?:debug|info|warn|error|fatal)(?:, )?)+ \| \S.* \|$/gmu),
    ].map(([, event]) => event);
    expect(written).toEqual([...LOG_EVENTS]);
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

  test("every event is written somewhere", async () => {
    const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => path.basename(file) !== "log.ts");
    const code = (await Promise.all(files.map((file) => readFile(path.join(root, file), "utf8")))).join("\n");
    expect(LOG_EVENTS.filter((event) => !code.includes(`"${event}"`))).toEqual([]);
  });
});
