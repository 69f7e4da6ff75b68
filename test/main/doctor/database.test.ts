import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Suspensions } from "../../../src/alerts/suspension/suspension-record.ts";
import { silentLog } from "../../../src/log.ts";
import { examineDatabase } from "../../../src/main/doctor/database.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { writeHolderRecord } from "../../../src/store/file/holder-record.ts";
import { probeFolder, unfitMount } from "../../../src/store/file/probe-folder.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { findingLines, problemLines } from "./finding-lines.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-doctor-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("the doctor at the database", () => {
  const NOW = Date.now();
  const file = (): string => path.join(folder, "data/b.db");

  it("says that the first start makes it, and makes none", async () => {
    expect(findingLines(await examineDatabase(file(), NOW))).toEqual([
      expect.stringMatching(/^ok database folder: \d.* are free in /u),
      `ok database: ${file()} does not exist yet: the first start makes it`,
    ]);
    expect(await examineDatabase(file(), NOW)).toHaveLength(2);
  });

  it.runIf(process.platform === "linux")("finds a mount that cannot hold one", async () => {
    expect(problemLines(await examineDatabase("/proc/b.db", NOW))).toEqual([
      expect.stringMatching(/^fault database folder: \/proc cannot (?:hold a database|be written to).* -> /u),
    ]);
    expect(probeFolder(folder)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    expect(unfitMount(0x6969)).toContain("network");
    // statfs gives some of them as negative numbers.
    expect(unfitMount(0xff534d42 | 0)).toContain("CIFS");
    expect(unfitMount(0xef53)).toBeUndefined();
  });

  it("finds a folder in the place of the file", async () => {
    mkdirSync(file(), { recursive: true });
    expect(problemLines(await examineDatabase(file(), NOW))).toEqual([
      expect.stringMatching(/^fault database folder: .* is a folder, not a file -> .*DATABASE_URL/u),
    ]);
  });

  it("says that one was there before and is gone", async () => {
    const store = createStore({ url: file(), log: silentLog() });
    await store.ping();
    await store.close();
    await rm(file());
    expect(problemLines(await examineDatabase(file(), NOW))).toEqual([
      expect.stringMatching(/^warning database: .* was there before and is gone.* -> .*npm run restore/u),
    ]);
  });

  it.each([
    ["deleted", () => rm(file())],
    ["replaced", () => rename(`${file()}.other`, file())],
  ])("says that it was %s under the bot that holds it", async (what, lose) => {
    const store = createStore({ url: file(), log: silentLog() });
    await store.ping();
    writeFileSync(`${file()}.other`, "");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${file()}.sock`, resolve));
    writeHolderRecord(file(), { pid: process.pid, socket: `${file()}.sock` });
    await lose();
    expect(problemLines(await examineDatabase(file(), NOW))).toEqual([
      expect.stringMatching(new RegExp(`^fault database: .* was ${what} while the running Bellwether`, "u")),
    ]);
    server.close();
    await store.close();
  });

  it("says that it is whole, and what it owes", async () => {
    const store = createStore({ url: file(), log: silentLog(), now: () => NOW });
    await store.transaction(async ({ alerts }) => {
      const row = {
        destination: "slack//ops/",
        platform: "slack",
        kind: "message",
        phase: "trigger",
        urgency: 0,
        message: "m",
        episode: null,
        target: null,
        run_at: NOW,
        created_at: NOW - 7_200_000,
        data: "{}",
      } as const;
      await alerts.outbox.add([
        { ...row, id: "owed" },
        { ...row, id: "dead" },
      ]);
      await alerts.outbox.update("dead", { state: "dead", settled_at: NOW - 1000 });
      for (const state of ["active", "retired"] as const) {
        const data = JSON.stringify(aSubscription({ id: state, state }));
        await alerts.subscriptions.put([{ id: state, destination: "d", network: "mainnet", state, data }]);
      }
      const suspension = { platform: "slack", since: NOW - 7_200_000, why: "Slack says invalid_auth" };
      await new Suspensions(alerts, []).put(suspension, NOW);
    });
    await store.close();
    expect(findingLines(await examineDatabase(file(), NOW)).slice(1)).toEqual([
      expect.stringMatching(/^ok database: .*b.db: whole, [\d.]+ kB, schema \d{4}-.*, nobody holds it/u),
      expect.stringMatching(
        /^warning refused token: Slack has refused the bot's token for 2 h \(Slack says invalid_auth\) -> .*SLACK_BOT_TOKEN/u,
      ),
      expect.stringMatching(/^warning dead letters: 1 given up on slack within the last day -> .*alerts log/u),
      expect.stringMatching(
        /^warning subscriptions: 1 ended because their channel is gone or the bot's token was refused/u,
      ),
      "warning deliveries: 1 wait on slack, the oldest for 2 h -> Start the bot: nothing is delivered while it is stopped.",
    ]);
  });

  it.each<[string, number | undefined, RegExp[]]>([
    ["has just begun", undefined, []],
    ["looks", 4000, [/^ok watching: the last look was kept 4 s ago/u]],
    ["has stopped looking", 600_000, [/^fault watching: the running Bellwether has kept no look for 10 min -> See/u]],
  ])("asks what the running bot keeps: one that %s", async (_name, agoMillis, lines) => {
    const store = createStore({ url: file(), log: silentLog() });
    const server = createServer();
    try {
      await store.transaction(async ({ alerts }) => {
        await alerts.watch.putSnapshot("", "away-report", NOW, "{}");
        if (agoMillis !== undefined) await alerts.watch.putSnapshot("mainnet", "sources", NOW - agoMillis, "{}");
      });
      await new Promise<void>((resolve) => server.listen(`${file()}.sock`, resolve));
      writeHolderRecord(file(), { pid: process.pid, socket: `${file()}.sock` });
      const found = findingLines(await examineDatabase(file(), NOW));
      expect(found[1]).toContain(`held by the running Bellwether (process ${process.pid})`);
      expect(found.filter((line) => line.includes("watching"))).toEqual(
        lines.map((line) => expect.stringMatching(line)),
      );
    } finally {
      server.close();
      await store.close();
    }
  });

  it("names a holder that does not answer, and inspects the file all the same", async () => {
    const store = createStore({ url: file(), log: silentLog() });
    await store.ping();
    const found = problemLines(await examineDatabase(file(), NOW, 20));
    await store.close();
    expect(found).toEqual([
      expect.stringMatching(/^fault database: .* in use by process \d+, which does not answer -> Stop that process/u),
    ]);
  });

  it.each<[string, string, RegExp]>([
    ["is something else", "x".repeat(9000), /is not a database of Bellwether's/u],
    ["is empty", "", /^ok database: .*whole, 0 bytes, the next start migrates it/u],
  ])("finds a file that %s", async (_name, content, line) => {
    const wrong = path.join(folder, "b.db");
    writeFileSync(wrong, content);
    const found = await examineDatabase(wrong, NOW).then(findingLines, (thrown: Error) => [thrown.message]);
    expect(found.at(-1)).toMatch(line);
  });

  it("finds a file where the folder should be, which the first start would fail at", async () => {
    const wrong = path.join(folder, "data");
    writeFileSync(wrong, "a file");
    const found = findingLines(await examineDatabase(path.join(wrong, "b.db"), NOW));
    expect(found).toEqual([
      `fault database folder: ${wrong} is a file, not a folder -> Name another place in DATABASE_URL.`,
    ]);
  });

  it("refuses an address that is no file's", async () => {
    await expect(examineDatabase("postgres://u:hunter2@h/b", NOW)).rejects.toThrow(/PostgreSQL.*not supported/u);
  });
});
