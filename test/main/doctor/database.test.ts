import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Suspensions } from "../../../src/alerts/route/suspension.ts";
import { UserError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { examineDatabase as examine } from "../../../src/main/doctor/database.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { writeHolderRecord } from "../../../src/store/file/holder-record.ts";
import { probeFolder, unfitMount } from "../../../src/store/file/probe-folder.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { saying } from "../../support/said.ts";
import { findingLines, problemLines } from "./finding-lines.ts";
import { PLATFORMS } from "../../support/platforms.ts";

const examineDatabase = (url: string, now: number, waitMillis?: number) =>
  examine({ url, platforms: PLATFORMS, now }, waitMillis);

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
      expect.stringMatching(saying("ok database", file())),
    ]);
    expect((await examineDatabase(file(), NOW))[1]?.what).toMatchSnapshot();
    expect(await examineDatabase(file(), NOW)).toHaveLength(2);
  });

  it.runIf(process.platform === "linux")("finds a mount that cannot hold one", async () => {
    expect(problemLines(await examineDatabase("/proc/b.db", NOW))).toEqual([
      expect.stringMatching(/^fault database folder: \/proc .* -> /u),
    ]);
    expect(probeFolder(folder)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    expect(unfitMount(0x6969)).toContain("network");
    // statfs gives some of them as negative numbers.
    expect(unfitMount(0xff534d42 | 0)).toContain("CIFS");
    expect(unfitMount(0xef53)).toBeUndefined();
  });

  it("says for how many days looks have room", async () => {
    const store = createStore({ url: file(), log: silentLog() });
    const day = 86_400_000;
    await store.transaction(({ looks }) =>
      looks.pack({ network: "mainnet", watcher: "sources" }, [1], {
        first_at: NOW - 10 * day,
        last_at: NOW - 10 * day,
        bytes: new Uint8Array(1_000_000),
      }),
    );
    await store.close();
    const found = async (maxBytes: number) => {
      const looks = { keepMillis: 100 * day, maxBytes, markets: 1 };
      const findings = await examine({ url: file(), platforms: PLATFORMS, now: NOW, looks });
      return findingLines(findings).filter((line) => line.includes(" looks:"));
    };
    expect(await found(10_000_000)).toEqual([
      expect.stringMatching(saying("ok looks", "1.0 MB", "10.0 MB", "100 days")),
    ]);
    expect(await found(9_000_000)).toEqual([
      expect.stringMatching(saying("warning looks", "90 days", "not 100", "->", "LOOKS_MAX")),
    ]);
  });

  it("names each row that cannot be read, and how to go on", async () => {
    const store = createStore({ url: file(), log: silentLog() });
    await store.transaction(async ({ alerts: { watch, subscriptions } }) => {
      await watch.putSnapshot("mainnet", "sources", NOW, '{"a shape":"of nobody"}');
      await watch.putSnapshot("mainnet", "console-subscription", NOW, "{}");
      await watch.putSnapshot("", "refused-tokens", NOW, "[{");
      await subscriptions.put([{ id: "s'1", destination: "d", network: "mainnet", state: "active", data: "{" }]);
    });
    await store.close();
    const found = problemLines(await examineDatabase(file(), NOW));
    const fault = "fault damaged row: the row of";
    expect(found).toEqual([
      expect.stringMatching(
        saying(fault, "watcher_snapshots", "watcher = 'refused-tokens'", "->", "Restore", "delete"),
      ),
      expect.stringMatching(saying(fault, "watcher_snapshots", "network = 'mainnet'", "watcher = 'sources'")),
      expect.stringMatching(saying(fault, "alert_subscriptions", "id = 's''1'")),
    ]);
    expect(found).toMatchSnapshot();
  });

  it("finds a folder in the place of the file", async () => {
    mkdirSync(file(), { recursive: true });
    const found = problemLines(await examineDatabase(file(), NOW));
    expect(found).toEqual([expect.stringMatching(saying("fault database folder", file(), "->", "DATABASE_URL"))]);
    expect(found).toMatchSnapshot();
  });

  it("says that one was there before and is gone", async () => {
    const store = createStore({ url: file(), log: silentLog() });
    await store.ping();
    await store.close();
    await rm(file());
    const found = problemLines(await examineDatabase(file(), NOW));
    expect(found).toEqual([expect.stringMatching(saying("warning database", file(), "->", "npm run restore"))]);
    expect(found).toMatchSnapshot();
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
      expect.stringMatching(saying("fault database", file(), what, process.pid)),
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
        phase: "trigger",
        urgency: 0,
        message: "m",
        episode: null,
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
      const suspension = { platform: "slack", since: NOW - 7_200_000, nextAt: 0, why: "Slack says invalid_auth" };
      const suspensions = new Suspensions([]);
      suspensions.put(suspension);
      await suspensions.save(alerts, NOW);
    });
    await store.close();
    const found = findingLines(await examineDatabase(file(), NOW)).slice(1);
    expect(found).toEqual([
      expect.stringMatching(/^ok database: .*b.db: .*\b[\d.]+ kB, schema \d{4}-/u),
      expect.stringMatching(
        saying("warning refused token", "Slack", "2 h", "Slack says invalid_auth", "->", "SLACK_BOT_TOKEN"),
      ),
      expect.stringMatching(saying("warning given up", 1, "slack", "->", "alerts log")),
      expect.stringMatching(saying("warning subscriptions", 1)),
      expect.stringMatching(saying("warning deliveries", 1, "slack", "2 h", "->")),
    ]);
    expect(found.slice(1)).toMatchSnapshot();
  });

  it.each<[string, number | undefined, RegExp[]]>([
    ["has just begun", undefined, []],
    ["looks", 4000, [/^ok watching: .*\b4 s\b/u]],
    ["has stopped looking", 600_000, [/^fault watching: .*\b10 min -> /u]],
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
      expect(found[1]).toMatch(saying("database", process.pid));
      const watching = found.filter((line) => line.includes("watching"));
      expect(watching).toEqual(lines.map((line) => expect.stringMatching(line)));
      expect(watching).toMatchSnapshot();
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
    expect(found).toEqual([expect.stringMatching(saying("fault database", file(), process.pid, "->"))]);
    expect(found).toMatchSnapshot();
  });

  it("finds a file that is something else, and one that is empty", async () => {
    const wrong = path.join(folder, "b.db");
    writeFileSync(wrong, "x".repeat(9000));
    await expect(examineDatabase(wrong, NOW)).rejects.toThrow(UserError);
    await expect(examineDatabase(wrong, NOW)).rejects.toThrow(saying(wrong));
    writeFileSync(wrong, "");
    expect(findingLines(await examineDatabase(wrong, NOW)).at(-1)).toMatch(saying("ok database", wrong, "0 bytes"));
  });

  it("finds a file where the folder should be, which the first start would fail at", async () => {
    const wrong = path.join(folder, "data");
    writeFileSync(wrong, "a file");
    const found = findingLines(await examineDatabase(path.join(wrong, "b.db"), NOW));
    expect(found).toEqual([expect.stringMatching(saying("fault database folder", wrong, "->", "DATABASE_URL"))]);
    expect(found).toMatchSnapshot();
  });

  it("refuses an address that is no file's", async () => {
    await expect(examineDatabase("mysql://u:hunter2@h/b", NOW)).rejects.toThrow(/^(?!.*hunter2).*mysql/u);
  });
});
