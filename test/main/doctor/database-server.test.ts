import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { KeptFiles } from "../../../src/export/jobs/kept-files.ts";
import { silentLog } from "../../../src/log.ts";
import { examineExportFolder, examineServer as examine, findingsOf } from "../../../src/main/doctor/database-server.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { examineConsole } from "../../../src/main/doctor/console.ts";
import { examineExportPlace } from "../../../src/main/doctor/doctor.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { onServer, postgresMissing, scratchPostgres, type ScratchServerDatabase } from "../../support/postgres.ts";
import { saying } from "../../support/said.ts";
import { findingLines, problemLines } from "./finding-lines.ts";
import { examineConfig, PLATFORMS } from "../../support/platforms.ts";

const examineServer = (url: string, exportFolder: string, now: number) =>
  examine({ url, exportFolder, platforms: PLATFORMS, now });

describe.skipIf(postgresMissing !== undefined)(`the doctor at a database on a server ${postgresMissing ?? ""}`, () => {
  const NOW = Date.now();
  const FOLDER = "/nowhere";
  let database: ScratchServerDatabase;
  let name: string;
  beforeAll(async () => {
    database = await scratchPostgres();
    name = /\/(bellwether_\w+)/u.exec(database.url)?.[1] ?? "";
  });
  afterAll(() => database.drop());
  const problems = async () => problemLines(await examineServer(database.url, FOLDER, NOW));

  it("says that the first start migrates it, and changes nothing; then what is in it", async () => {
    expect(findingLines(await examineServer(database.url, FOLDER, NOW))).toEqual([
      expect.stringMatching(saying("ok database", "PostgreSQL", name, "migrates", "no processes")),
    ]);
    const store = createStore({ url: database.url, log: silentLog() });
    const row = {
      id: "s1",
      destination: "d",
      network: "mainnet",
      state: "active",
      data: JSON.stringify(aSubscription()),
    };
    await store.transaction(({ alerts }) => alerts.subscriptions.put([row]));
    await store.close();
    expect(findingLines(await examineServer(database.url, FOLDER, NOW))).toEqual([
      expect.stringMatching(saying("ok database", "PostgreSQL", name, "schema")),
      expect.stringMatching(saying("ok subscriptions", "1 active")),
      expect.stringMatching(saying("ok deliveries", "none")),
    ]);
  });

  it("counts the processes that live on it", async () => {
    const alive = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
    await onServer(
      database.url,
      `insert into processes (id, alive_until) values ('a', ${alive} + 60000), ('b', ${alive} + 60000), ('dead', ${alive} - 1)`,
    );
    await onServer(
      database.url,
      "insert into leases (name, holder, epoch) values ('watch x', 'b', 4), ('drills', 'b', 2)",
    );
    const [first, a, b] = findingLines(await examineServer(database.url, FOLDER, NOW));
    expect(first).toMatch(saying("2 processes"));
    expect([a, b]).toEqual([
      expect.stringMatching(saying("ok process", "a: heartbeat", "no duty")),
      expect.stringMatching(saying("ok process", "b: heartbeat", "drills (epoch 2), watch x (epoch 4)")),
    ]);
    await onServer(database.url, "delete from processes; delete from leases");
  });

  it("takes the console of a process that lives on it for its own, and any other for another one's", async () => {
    const server = createServer((_request, response) => response.end('{"ok":true}'));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = String((server.address() as AddressInfo).port);
    const { config } = examineConfig({ DATABASE_URL: database.url, WEB_PORT: port });
    const found = async () => findingLines([await examineConsole(config, new AbortController().signal)]);
    expect(await found()).toEqual([expect.stringMatching(saying("fault console", port, "another"))]);
    const alive = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
    await onServer(database.url, `insert into processes (id, alive_until) values ('a', ${alive} + 60000)`);
    expect(await found()).toEqual([expect.stringMatching(saying("ok console", port))]);
    await onServer(database.url, "delete from processes");
  });

  it("finds a newer schema, and one that takes no writes", async () => {
    await onServer(
      database.url,
      "insert into kysely_migration values ('0999-from-the-future', 'now')",
      "update database_marks set value = '0999-from-the-future' where name = 'oldest_program'",
    );
    expect(await problems()).toEqual([expect.stringMatching(saying("fault database", "0999-from-the-future", "->"))]);
    await onServer(
      database.url,
      "delete from kysely_migration where name like '0999%'",
      "delete from database_marks",
      `alter database ${name} set default_transaction_read_only = on`,
    );
    expect(await problems()).toEqual([expect.stringMatching(saying("fault database", "no writes", "->", "primary"))]);
    await onServer(database.url, "set default_transaction_read_only = off", `alter database ${name} reset all`);
  });

  it("finds a user who may not write, or not make tables, as the start does", async () => {
    const role = `${name}_guest`;
    const guest = database.url.replace("bellwether@", `${role}@`);
    const startAs = async (): Promise<unknown> => {
      const store = createStore({ url: guest, log: silentLog() });
      const thrown: unknown = await store.claim().catch((error: unknown) => error);
      await store.close();
      return thrown;
    };
    await onServer(database.url, `create role ${role} login`, "grant select on all tables in schema public to " + role);
    onTestFinished(() => onServer(database.url, `drop owned by ${role}`, `drop role ${role}`));
    const refused = (...words: string[]) =>
      expect.objectContaining({ message: expect.stringMatching(saying(...words)) as string }) as unknown;
    const found = async () => problemLines(await examineServer(guest, FOLDER, NOW));
    expect(await found()).toEqual([expect.stringMatching(saying("fault database", "write", "->", "grant"))]);
    expect(await startAs()).toEqual(refused("DATABASE_URL", "write"));
    await onServer(database.url, `grant select, insert, update, delete on all tables in schema public to ${role}`);
    expect([await found(), await startAs()]).toEqual([[], undefined]);
    // A migration would have to change tables that are not this user's.
    const last = "(select max(name) from kysely_migration)";
    await onServer(
      database.url,
      `create table kept as select * from kysely_migration where name = ${last}`,
      `grant create on schema public to ${role}`,
      `delete from kysely_migration where name = ${last}`,
    );
    expect(await found()).toEqual([expect.stringMatching(saying("fault database", "tables", "->", "owner"))]);
    expect(await startAs()).toEqual(refused("DATABASE_URL", "make"));
    await onServer(database.url, "insert into kysely_migration select * from kept", "drop table kept");
  });

  it("finds a database that is not there, and a server that is not", async () => {
    await expect(examineServer(database.url.replace(name, "nowhere"), FOLDER, NOW)).rejects.toThrow(saying("nowhere"));
    expect(problemLines(await examineServer("postgres://bell:hunter2@127.0.0.1:1/bell", FOLDER, NOW))).toEqual([
      expect.stringMatching(saying("fault database", "reached", "127.0.0.1:1/bell", "->")),
    ]);
  });
});

describe("the doctor at what a server says of itself", () => {
  const sound = {
    server: "db/bell",
    version: 180_004,
    bytes: 9_000_000,
    schema: "0001-first",
    age: "current",
    writable: true,
    mayMigrate: true,
    mayWrite: true,
    oldestTransaction: 59_000,
    dead: { table: "alert_deliveries", share: 0.4 },
    waiting: 5000,
    live: [{ id: "a", beatAgo: 3999, duties: [] }],
    pooled: false,
    alerts: undefined,
    lastObservedAt: undefined,
    looks: undefined,
  } as const;

  it.each([
    [{}, []],
    [{ version: 130_012 }, [["fault database", "13.12", "14"]]],
    [{ age: "older", mayMigrate: false }, [["fault database", "tables", "->", "CREATE"]]],
    [{ mayWrite: false }, [["fault database", "write", "->", "owns", "SELECT"]]],
    [{ oldestTransaction: 61_000 }, [["warning database load", "1 min", "->", "pg_stat_activity"]]],
    [{ dead: { table: "alert_held", share: 0.51 } }, [["warning database load", "51", "alert_held"]]],
    [{ waiting: 5001 }, [["warning database load", "turn", "5 s", "->", "pg_locks"]]],
    [
      { live: [{ id: "a", beatAgo: 4000, duties: [{ name: "drills", epoch: 2 }] }] },
      [["warning process", "a", "4 s", "drills (epoch 2)", "->", "log"]],
    ],
    [{ pooled: true }, [["warning database pooler", "pooler"]]],
  ] as const)("finds in %j: %j", (more, found) => {
    const said = problemLines(findingsOf({ ...sound, ...more }, { platforms: PLATFORMS, now: 0 }));
    expect(said).toEqual(found.map((words) => expect.stringMatching(saying(...words)) as string));
    expect(said).toMatchSnapshot();
  });
});

it("the doctor says whether the folder of exports takes files, and leaves nothing there", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-doctor-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, "file");
  expect(findingLines([await examineExportPlace(path.join(folder, "to/be/made"))])).toEqual([
    expect.stringMatching(saying("ok EXPORT_DIR", "free", folder)),
  ]);
  expect(await readdir(folder)).toEqual([]);
  await writeFile(file, "");
  for (const [place, named] of [
    [file, file],
    [path.join(file, "below"), file],
    ["/proc/nowhere", "/proc"],
  ] as const) {
    expect(problemLines([await examineExportPlace(place)])).toEqual([
      expect.stringMatching(saying("fault EXPORT_DIR", named, "->", "write")),
    ]);
  }
});

it("the doctor says whether processes share the folder of exports, as it sees it", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-doctor-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const process of ["0a", "0b", "dead"]) await new KeptFiles({ directory: folder }).mark(process);
  const table: readonly [string, readonly string[], RegExp][] = [
    [folder, [], /^$/u],
    [folder, ["0a"], /^$/u],
    [folder, ["0c"], /^$/u],
    [folder, ["0a", "0b"], saying("ok EXPORT_DIR", "2 processes", folder)],
    [folder, ["0a", "0b", "0c"], saying("warning EXPORT_DIR", "1 of 3", folder, "->", "share")],
    [path.join(folder, "none"), ["0a", "0b"], saying("warning EXPORT_DIR", "2 of 2")],
  ];
  for (const [where, live, said] of table) {
    expect(findingLines(await examineExportFolder(where, live)).join("\n")).toMatch(said);
  }
});
