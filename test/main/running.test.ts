import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { askWeb, createSandbox, type Ended, type Sandbox, type Running } from "../support/bellwether.ts";
import { saying } from "../support/said.ts";

// One running Bellwether, seen from all sides, killed, and started again: the order of these tests is its life.

/** Nobody listens there: whoever asks it himself fails. */
const dead = { MAINNET_URLS: "http://127.0.0.1:9", LOG_LEVEL: "error" };

describe("npm start", () => {
  let sandbox: Sandbox;
  let running: Running;
  let url: string;
  let file: string;
  beforeAll(async () => {
    sandbox = createSandbox();
    file = path.join(sandbox.folder, "data/bellwether.db");
    running = sandbox.run(["start"]);
    [url] = await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  });
  afterAll(() => sandbox.cleanUp());
  const ask = (...args: string[]): Promise<Ended> => sandbox.run(["ask", ...args], dead).ended;

  it("does not tell the first question after the start that nothing delivers", async () => {
    const { body } = await askWeb(url, "alerts add node.down to:console");
    expect(JSON.stringify(body)).toContain("node outages");
    expect(JSON.stringify(body)).not.toContain("Nothing delivers");
  });

  it("greets in one line that says where it is, and that the network is simulated", async () => {
    const [line] = await running.printed(/^.*\n/u);
    expect(line).toMatch(saying(url, running.child.pid!, "SIMULATED", "MAINNET_URLS", "TESTNET_URLS"));
    expect(line.replace(/process \d+/u, "process <pid>")).toMatchSnapshot();
  });

  it("serves the page, and answers questions", async () => {
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);
    const { status, body } = await askWeb(url, "time");
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining("SIMULATED")]);
  });

  it("says that it is ready, part by part", async () => {
    const ready = await fetch(new URL("/readyz", url));
    const ok = { ok: true };
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { ok: true, parts: { store: ok, mainnet: ok, testnet: ok, web: ok, watching: ok, delivery: ok } },
    ]);
  });

  it("measures questions, and what they cost the nodes", async () => {
    const metrics = await (await fetch(new URL("/metrics", url))).text();
    expect(metrics).toMatch(/^bellwether_build_info\{version="\d+\.\d+\.\d+",node="24/mu);
    expect(metrics).toContain('_invocation_duration_seconds_count{command="time",platform="web",outcome="answered"} 1');
    expect(metrics).toMatch(
      /_node_request_duration_seconds_count\{network="mainnet",node="sim-1",outcome="ok"\} [1-9]/u,
    );
    expect(metrics).toContain('_http_request_duration_seconds_count{method="GET",route="/readyz",status="200"} 1');
  });

  it("keeps all that it leaves on the disk from other users", () => {
    for (const name of [file, `${file}.lock`, `${file}.sock`, `${file}.holder`])
      expect(statSync(name).mode & 0o077).toBe(0);
  });

  it("lets no second one in, who names it", async () => {
    const second = await sandbox.run(["start"]).ended;
    expect(second).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(saying(file, running.child.pid!, "DATABASE_URL")),
    });
    expect(second.stderr).toMatchSnapshot();
  });

  it("answers ask in another process, with its files", async () => {
    expect((await ask("--out", "files", "stake")).code).toBe(0);
    const [csv = ""] = readdirSync(path.join(sandbox.folder, "files"));
    expect(csv).toMatch(/^SIMULATED.*\.csv$/u);
    expect(readFileSync(path.join(sandbox.folder, "files", csv), "utf8").split("\n").length).toBeGreaterThan(10);
  });

  it("dies of kill -9, and misleads nobody by what it left behind", async () => {
    expect(await running.kill("SIGKILL")).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(readdirSync(path.dirname(file))).toEqual(
      expect.arrayContaining(["bellwether.db.sock", "bellwether.db.holder"]),
    );
    expect(await ask("time")).toMatchObject({ code: 2, stderr: expect.stringContaining("127.0.0.1:9") });
  });

  it("starts again at once, and stops in order at Ctrl-C, which reaches it twice under npm", async () => {
    running = sandbox.run(["start"], { WEB_PORT: "0" });
    await running.printed(/^.*WEB_PORT=0.*\n/u);
    running.child.kill("SIGINT");
    expect(await running.kill("SIGINT")).toMatchObject({ code: 0, signal: null });
    expect(readdirSync(path.dirname(file)).toSorted()).toEqual(["bellwether.db", "bellwether.db.lock"]);
  });

  it("refuses wrong settings in readable words", async () => {
    const refused = await sandbox.run(["start"], { WEB_PORT: "http", LOG_LEVEL: "loud", MAINET_URLS: "http://a" })
      .ended;
    expect(refused.stderr.split("\n")).toEqual([
      expect.any(String),
      expect.stringMatching(/^- WEB_PORT /u),
      expect.stringMatching(/^- LOG_LEVEL /u),
      expect.stringMatching(/^- MAINET_URLS .*\bMAINNET_URLS\b/u),
      expect.stringContaining(".env.example"),
      "",
    ]);
    expect(refused.stderr).toMatchSnapshot();
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).not.toContain("    at ");
  });
});
