import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { ROOT } from "../support/bellwether.ts";

// A repository of two commits with one made-up bench each, of which the second takes half as long.

const folder = mkdtempSync(path.join(tmpdir(), "bellwether-bench-test-"));
const repository = path.join(folder, "repository");
const temporary = path.join(folder, "temporary");
const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TMPDIR: temporary };

function git(...args: string[]): string {
  const who = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
  return execFileSync("git", [...who, ...args], { cwd: repository, env, encoding: "utf8", stdio: "pipe" });
}

/** A bench that imports what it measures from `src/`, as all of them do. */
function bench(imported: string): string {
  return `
    import { ${imported} } from "../src/work.ts";
    import { atMost, runAsScript } from "./support/figure.ts";
    await runAsScript(import.meta.url, async () => [atMost("work", ${imported}, 9, "ms", "${imported}")]);`;
}

function commit(files: Record<string, string>): void {
  for (const [file, content] of Object.entries(files)) writeFileSync(path.join(repository, file), content);
  git("add", "--all");
  git("commit", "--quiet", "--message", "one");
}

function run(...args: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["bench/run.ts", ...args], {
    cwd: repository,
    env,
    encoding: "utf8",
  });
  return { code: status, output: `${stdout}${stderr}` };
}

function expectNothingLeft(): void {
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(readdirSync(temporary).filter((name) => name.startsWith("bellwether-"))).toEqual([]);
}

beforeAll(() => {
  for (const one of ["bench/support", "src", "node_modules"])
    mkdirSync(path.join(repository, one), { recursive: true });
  mkdirSync(temporary);
  for (const file of ["run.ts", "support/figure.ts", "support/against.ts", "support/run-bench.ts"]) {
    cpSync(path.join(ROOT, "bench", file), path.join(repository, "bench", file));
  }
  git("init", "--quiet");
  commit({
    ".gitignore": "node_modules\n",
    "package.json": `{"name": "tiny", "version": "1.0.0", "type": "module"}`,
    "package-lock.json": `{"name": "tiny", "version": "1.0.0", "lockfileVersion": 3, "packages": {}}`,
    "bench/tiny.ts": bench("old"),
    "src/work.ts": "export const old = 8;",
  });
  commit({ "bench/tiny.ts": bench("work"), "src/work.ts": "export const work = 6; export const old = 8;" });
  commit({ "src/work.ts": "export const work = 3;" });
});

afterAll(() => rmSync(folder, { recursive: true }));

test("compares with this commit's script where it runs, else with the other one's own, and leaves nothing", () => {
  const same = run("tiny", "--against", "HEAD~1");
  expect(same).toMatchObject({ code: 0 });
  expect(same.output.match(/: holds {2}work: 3\.00 ms/gu)).toHaveLength(5);
  expect(same.output.match(/: holds {2}work: 6\.00 ms \(at most 9\); work/gu)).toHaveLength(5);
  expect(same.output).toMatch(/^work \(ms\) {2}0\.500 {2}3\.00 \(3\.00 to 3\.00\) {2}6\.00 \(6\.00 to 6\.00\)$/mu);
  expect(same.output).not.toContain("npm ci");

  writeFileSync(path.join(repository, "package-lock.json"), `{"lockfileVersion": 3, "packages": {}}`);
  const own = run("tiny", "--against=HEAD~2", "--runs=1");
  expect(own).toMatchObject({ code: 0 });
  expect(own.output).toContain(" with changes against ");
  expect(own.output).toContain("differs: npm ci.");
  expect(own.output).toMatch(
    /^tiny: this commit's script cannot run at \w{8}, so its own runs\. SyntaxError: .*work/mu,
  );
  expect(own.output).toMatch(/^work \(ms\) {2}0\.375 /mu);
  expectNothingLeft();
});

test.each<[args: string[], code: number, sentence: RegExp]>([
  [["--help"], 0, /NAME\.\.\. --against COMMIT/u],
  [["tiny", "--against", "nothing"], 1, /^There is no commit nothing here\.$/mu],
  [["tiny", "--against"], 1, /^--against needs a commit/u],
  [["--against", "HEAD"], 1, /^--against needs the name of at least one bench\.$/mu],
  [["huge", "--against", "HEAD"], 1, /^There is no bench huge; there are: tiny\.$/mu],
  [["tiny", "--against", "HEAD", "--runs=0"], 1, /^--runs needs a whole number from 1\.$/mu],
])("answers %j", (args, code, sentence) => {
  const { code: found, output } = run(...args);
  expect(output).toMatch(sentence);
  expect(found).toBe(code);
  expectNothingLeft();
});

test("removes the worktree and ends the bench after Ctrl-C", async () => {
  const pid = path.join(folder, "pid");
  writeFileSync(
    path.join(repository, "bench/slow.ts"),
    `import { renameSync, writeFileSync } from "node:fs";
     writeFileSync("${pid}.new", String(process.pid));
     renameSync("${pid}.new", "${pid}");
     setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, ["bench/run.ts", "slow", "--against", "HEAD"], { cwd: repository, env });
  const ended = once(child, "exit");
  await expect.poll(() => existsSync(pid), { timeout: 15_000 }).toBe(true);
  child.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  expect(() => process.kill(Number(readFileSync(pid, "utf8")), 0)).toThrow("ESRCH");
  expectNothingLeft();
});
