import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { askWeb, createSandbox, ROOT, type Sandbox } from "../support/bellwether.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.cleanUp());

const URL_PRINTED = /http:\/\/127\.0\.0\.1:\d+\//u;

it.skipIf(process.platform === "win32")("npm start ends, in order, when npm is killed", async () => {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, LOG_LEVEL: "info", DATABASE_URL: `file:${sandbox.folder}/b.db` };
  const npm = spawn("npm", ["start"], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  await expect.poll(() => said, { timeout: 20_000 }).toMatch(/process \d+/u);
  const pid = Number(/process (\d+)/u.exec(said)?.[1]);
  npm.kill("SIGKILL");
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  expect(said).toContain('"stopping"');
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("several processes", () => {
  it("take the next free port each, unless told one", async () => {
    const databases = ["one", "two", "three"].map((name) => ({ DATABASE_URL: `file:./${name}.db` }));
    const running = databases.map((env) => sandbox.run(["start"], env));
    const urls = await Promise.all(running.map(async (one) => (await one.printed(URL_PRINTED))[0]));
    expect(new Set(urls).size).toBe(3);
    for (const url of urls) expect(await askWeb(url, "time")).toMatchObject({ status: 200 });
  });

  it("ask at once and all note what they saw, while nobody holds the database", async () => {
    const lines = ["market list", "market list", "stake", "checkpoints", "rotations", "time"];
    const all = await Promise.all(lines.map((line) => sandbox.run(["ask", line], { LOG_LEVEL: "warn" }).ended));
    for (const { code, stderr } of all) expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const store = createStore({ url: `${sandbox.folder}/data/bellwether.db`, log: silentLog() });
    expect(await store.seen.find("simulated mainnet", "market", "btc", 5)).not.toEqual([]);
    expect(await store.seen.find("simulated mainnet", "node", "", 5)).not.toEqual([]);
    await store.close();
    const completed = await sandbox.run(["ask"], { LOG_LEVEL: "warn" }, { stdin: "market show btc/usdt\nhelp\n" })
      .ended;
    expect(completed).toMatchObject({ code: 0, stdout: expect.stringContaining("BTC/USDT") });
  });

  it("find one that is just starting, and are found by it", async () => {
    for (let round = 0; round < 5; round += 1) {
      const running = sandbox.run(["start"], { WEB_PORT: "0" });
      const asks = ["time", "info", "market list"].map(
        (line) => sandbox.run(["ask", line], { LOG_LEVEL: "warn" }).ended,
      );
      await running.printed(/^Bellwether runs/u);
      for (const ended of await Promise.all(asks)) expect(ended).toMatchObject({ code: 0, stderr: "" });
      await running.kill(round % 2 === 0 ? "SIGKILL" : "SIGTERM");
    }
  });

  it("answer what needs the database, whoever takes it first on a new one", async () => {
    const starts = [0, 1, 2].map(() => sandbox.run(["start"], { WEB_PORT: "0" }));
    const asks = [0, 1, 2, 3].map(() => sandbox.run(["ask", "my parties"], { LOG_LEVEL: "warn" }).ended);
    for (const ended of await Promise.all(asks)) expect(ended).toMatchObject({ code: 0, stderr: "" });
    for (const one of starts) await one.kill("SIGTERM");
  });

  it("survive twenty kills at any moment of the start", async () => {
    for (let round = 0; round < 20; round += 1) {
      const running = sandbox.run(["start"], { WEB_PORT: "0" });
      await new Promise((resolve) => {
        setTimeout(resolve, round * 40);
      });
      await running.kill("SIGKILL");
    }
    const last = sandbox.run(["start"], { WEB_PORT: "0" });
    await last.printed(/^Bellwether runs/u);
    expect(await last.kill("SIGTERM")).toMatchObject({ code: 0 });
  });
});

describe("a bug that nobody caught", () => {
  it.each([
    ["thrown", "() => { throw new Error('boom'); }"],
    ["rejected", "() => void Promise.reject(new Error('boom'))"],
  ])("is logged with an id when %s, and ends the process in order", async (_how, bug) => {
    const running = sandbox.run(["start"], {
      WEB_PORT: "0",
      NODE_OPTIONS: `--import=data:text/javascript,process.on('SIGUSR2',${encodeURIComponent(bug)})`,
    });
    await running.printed(/^Bellwether runs/u);
    const ended = await running.kill("SIGUSR2");
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/"level":60.*"message":"boom".*"bug":"[\da-f]{8}"/u);
    expect(existsSync(`${sandbox.folder}/data/bellwether.db.holder`)).toBe(false);
  });
});
