import { existsSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSandbox, type Sandbox } from "../support/bellwether.ts";
import { saying } from "../support/said.ts";

/** A Node too old for the project, as Debian has it: the launcher then runs the one that npm installed. */
const OLD_NODE = "/usr/bin/node";
const hasOldNode =
  existsSync(OLD_NODE) && /^v(?:18|20|22)\./u.test(execFileSync(OLD_NODE, ["--version"], { encoding: "utf8" }));

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.cleanUp());

describe("main.ts", () => {
  it("says what it can do when told nothing, or nonsense", async () => {
    const [nothing, nonsense] = await Promise.all([sandbox.run([]).ended, sandbox.run(["toString"]).ended]);
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\n {2}start .*\n {2}ask .*\n {2}simulator /u),
    });
    expect(nonsense).toMatchObject({ code: 1, stderr: expect.stringMatching(saying("toString", "start", "ask")) });
    expect([nothing, nonsense].map(({ stderr }) => stderr)).toMatchSnapshot();
  });

  it.skipIf(!hasOldNode)(`runs under an older Node, too (needs one at ${OLD_NODE})`, async () => {
    const ended = await sandbox.run(["ask", "help time"], {}, { node: OLD_NODE }).ended;
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("time") });
    const wrong = await sandbox.run(["ask", "help zzzzzz"], {}, { node: OLD_NODE }).ended;
    expect(wrong.code).toBe(1);
  });
});

describe("ask, while nobody holds the database", () => {
  it("tells mistakes of the caller, failures of the network and wrong settings apart, wherever it may write", async () => {
    const nowhere = { DATABASE_URL: "file:/proc/nowhere/b.db", LOG_LEVEL: "error" };
    const [good, mistake, network, config] = await Promise.all([
      sandbox.run(["ask", "--network", "testnet", "time"], nowhere).ended,
      sandbox.run(["ask", "market lits"], nowhere).ended,
      sandbox.run(["ask", "time"], { ...nowhere, MAINNET_URLS: "http://127.0.0.1:9" }).ended,
      sandbox.run(["ask", "time"], { MAINNET_URLS: "nowhere" }).ended,
    ]);
    expect(good).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("testnet") });
    expect(mistake).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("market list") });
    expect(network).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("127.0.0.1:9") });
    expect(config).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("MAINNET_URLS") });
  });

  it("says in one sentence that the database cannot be used, and answers all the same", async () => {
    const file = path.join(sandbox.folder, "other.txt");
    writeFileSync(file, "This is no database. ".repeat(500));
    const quiet = { LOG_LEVEL: "error" };
    const [found, unknown] = await Promise.all([
      sandbox.run(["ask", "stake d59213"], { ...quiet, DATABASE_URL: `file:${file}` }).ended,
      sandbox.run(["ask", "stake 000000"], { ...quiet, DATABASE_URL: `file:${sandbox.folder}` }).ended,
    ]);

    // The ids of the simulated network are known without any database.
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining("stakes") });
    expect(found.stderr).toMatch(/^.+\.\n$/u);
    expect(found.stderr).toMatch(saying(file));
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(saying(sandbox.folder, "000000", "mainnet"));
    expect([found, unknown].map(({ stderr }) => stderr)).toMatchSnapshot();
  });
});
