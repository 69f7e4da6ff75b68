import { rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, beforeAll, expect, it } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { createSandbox, type Running, type Sandbox } from "../support/bellwether.ts";
import { saying } from "../support/said.ts";

// A process whose database is deleted; the next one, which begins a new one; and one that is too old for its database.

let sandbox: Sandbox;
let file: string;
beforeAll(() => {
  sandbox = createSandbox();
  file = path.join(sandbox.folder, "data/bellwether.db");
});
afterAll(() => sandbox.cleanUp());

async function started(): Promise<{ readonly running: Running; readonly url: string }> {
  const running = sandbox.run(["start"]);
  const [url] = await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  return { running, url };
}

async function store(url: string): Promise<unknown> {
  const ready = await fetch(new URL("/readyz", url));
  const { parts } = (await ready.json()) as { parts: Record<string, unknown> };
  return [ready.status, parts["store"]];
}

/** Whether the console's stream shows these words. */
async function consoleShows(url: string, words: RegExp): Promise<boolean> {
  const leaving = new AbortController();
  const response = await fetch(new URL("/api/alerts", url), { signal: leaving.signal });
  let seen = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    seen += chunk;
    if (words.test(seen)) {
      leaving.abort();
      return true;
    }
  }
  return false;
}

it("a database that is deleted under a running bot is no longer ready, and its loss is told at the next start", async () => {
  const first = await started();
  await expect.poll(() => store(first.url), { timeout: 10_000 }).toEqual([200, { ok: true }]);
  rmSync(file);
  expect(await store(first.url)).toEqual([503, { ok: false, why: expect.stringMatching(saying("deleted")) }]);
  expect((await first.running.kill("SIGTERM")).stderr).not.toContain("begun anew");
  const second = await started();
  expect(await consoleShows(second.url, /\bdatabase\b/u)).toBe(true);
  const { stderr } = await second.running.kill("SIGTERM");
  expect(stderr).toContain('"event":"database begun anew"');
}, 60_000);

it("a program that is too old for its database says so and ends with 1", async () => {
  const newer = path.join(sandbox.folder, "newer.db");
  const made = createStore({ url: newer, log: silentLog() });
  await made.ping();
  await made.close();
  const database = new DatabaseSync(newer);
  database.exec("INSERT INTO kysely_migration VALUES ('0999-from-the-future', '2099-01-01T00:00:00.000Z')");
  database.exec("UPDATE database_marks SET value = '0999-from-the-future' WHERE name = 'oldest_program'");
  database.close();
  for (const args of [["start"], ["ask", "alerts list"]]) {
    const { code, stdout, stderr } = await sandbox.run(args, { WEB_PORT: "0", DATABASE_URL: newer }).ended;
    expect([args[0], code]).toEqual([args[0], 1]);
    expect(stdout + stderr).toMatch(saying(newer, "0999-from-the-future"));
  }
}, 60_000);
