import { existsSync } from "node:fs";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createSandbox, type Ended, type Running, type Sandbox } from "../support/bellwether.ts";
import { postgresMissing, scratchPostgres, type ScratchServerDatabase } from "../support/postgres.ts";
import { saying } from "../support/said.ts";

describe.skipIf(postgresMissing !== undefined)(`Bellwether on PostgreSQL ${postgresMissing ?? ""}`, () => {
  let database: ScratchServerDatabase;
  let sandbox: Sandbox;
  let running: Running;
  let url: string;
  const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    sandbox.run(args, { DATABASE_URL: database.url, LOG_LEVEL: "error", ...env }).ended;
  beforeAll(async () => {
    database = await scratchPostgres();
    sandbox = createSandbox();
    running = sandbox.run(["start"], { DATABASE_URL: database.url });
    [url] = (await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u)) as unknown as [string];
  });
  afterAll(async () => {
    await sandbox.cleanUp();
    await database.drop();
  });

  it("starts, is ready, and keeps nothing in a file", async () => {
    const ready = (await (await fetch(new URL("/readyz", url))).json()) as { parts: { store: unknown } };
    expect(ready.parts.store).toEqual({ ok: true });
    expect(existsSync(path.join(sandbox.folder, "data/bellwether.db"))).toBe(false);
  });

  it("answers ask beside it, from the same database", async () => {
    const saved = await run(["ask", `my party ${"a1".repeat(32)} name:mine`]);
    const listed = await run(["ask", "my parties"]);
    expect([saved.code, listed.code]).toEqual([0, 0]);
    expect(listed.stdout).toContain("mine");
  });

  it("refuses a database of the simulator for networks", async () => {
    const { code, stderr } = await run(["start"], { MAINNET_URLS: "http://127.0.0.1:9", WEB_PORT: "0" });
    expect([code, stderr]).toEqual([1, expect.stringMatching(saying("simulator", "MAINNET_URLS"))]);
  });

  it.each([
    ["backup", "pg_dump"],
    ["restore", "pg_restore"],
  ])("leaves %s to the server's own program", async (subcommand, program) => {
    const { code, stderr } = await run([subcommand, "b.db"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(saying("PostgreSQL", program))]);
  });

  it("stops in order", async () => {
    const { code } = await running.kill("SIGTERM");
    expect(code).toBe(0);
  });
});

describe("a server that does not answer", () => {
  const env = { DATABASE_URL: "postgres://bell:hunter2@127.0.0.1:1/bell", WEB_PORT: "0", LOG_LEVEL: "trace" };

  it.each([
    [["start"], 2],
    [["ask", "my parties"], 2],
    [["doctor"], 2],
    [["backup", "b.db"], 1],
    [["restore", "b.db"], 1],
  ])("%j ends with %i, and says nothing of the password", async (args, code) => {
    const sandbox = createSandbox();
    const ended = await sandbox.run(args, env).ended;
    await sandbox.cleanUp();
    expect(`${ended.stdout}${ended.stderr}`).not.toContain("hunter2");
    expect(ended).toMatchObject({ code, signal: null });
  });
});
