import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { parseChunk } from "../../src/alerts/deliver/outbox/chunk.ts";
import { readMessages } from "../../src/alerts/deliver/outbox/stored-messages.ts";
import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { backUp, restore } from "../../src/store/file/backup.ts";
import { migrations } from "../../src/store/migrations/index.ts";
import { migrate } from "../../src/store/migrations/migrate.ts";
import { schemaAge } from "../../src/store/migrations/schema-age.ts";
import { moveStore } from "../../src/store/move-store/move-store.ts";
import { kyselyOverPostgres } from "../../src/store/postgres/kysely-postgres.ts";
import { openPool } from "../../src/store/postgres/pool.ts";
import { kyselyOver } from "../../src/store/sqlite/kysely-sqlite.ts";
import { WriteHealth } from "../../src/store/write-health.ts";
import { onServer, postgresMissing, scratchPostgres } from "../support/postgres.ts";
import { serviceMessages } from "../support/gallery/service-messages.ts";
import { saying } from "../support/said.ts";
import { scratchFolder } from "../support/scratch-database.ts";

const versions = Object.keys(migrations);

/** Rows as each version's program would have left them, by the version that made their table. */
const rows: Record<string, string> = {
  "0001-seen-ids-and-button-payloads": `
    INSERT INTO seen_ids VALUES ('mainnet', 'market', 'AbC', 'abc', 'BTC/USD', 'btc/usd', 1700000000000, 0);
    INSERT INTO button_payloads VALUES ('key1', '{"page":2}', 99999999999999)`,
  "0002-saved-parties": `
    INSERT INTO saved_parties VALUES ('discord:1', 'f8ac', 'mine', 1700000000000)`,
  "0003-alerts": `
    INSERT INTO alert_machines (network, rule, subject, data) VALUES ('mainnet', 'node.down', 'a:1', '{}')`,
  "0004-alert-parcels": `
    INSERT INTO alert_parcels VALUES (1, 'discord', 3, 1700000000000, '{}')`,
  "0005-answer-choices": `
    INSERT INTO answer_choices VALUES ('discord', '99', 'channel', 'ann', 1700000000000)`,
  "0006-database-marks": `
    INSERT INTO database_marks VALUES ('origin', 'configured')`,
  "0007-alert-upkeep": `
    INSERT INTO alert_episodes (id, open, network, opened_at, data, told) VALUES ('e', 1, 'mainnet', 1700000000000, '{}', 3)`,
  "0008-alert-urgency": `
    INSERT INTO alert_deliveries (seq, id, destination, platform, kind, phase, message, state, attempts, run_at, created_at, data)
    VALUES (1, 'd', 'slack C1', 'slack', 'message', 'trigger', 'm', 'owed', 0, 1700000000000, 1700000000000, '{}')`,
  "0009-alert-journal": `
    INSERT INTO alert_receipts VALUES ('d', 'slack', 'C1', '1.2', 1700000000000)`,
  "0010-subscription-groups": `
    INSERT INTO alert_subscriptions VALUES ('s', 'slack C1', 'mainnet', 'active', '{"kinds":["node.down"],"groups":["nodes"]}')`,
  "0011-console-sign-outs": `
    INSERT INTO console_sign_outs VALUES ('abc', 99999999999999)`,
  "0012-delivery-urgency": `
    INSERT INTO alert_deliveries (seq, id, destination, platform, kind, phase, urgency, message, state, attempts, run_at, created_at, data)
    VALUES (2, 'u', 'slack C1', 'slack', 'message', 'trigger', 1, 'm', 'owed', 0, 1700000000000, 1700000000000, '{}')`,
  "0014-reminders-told": `
    INSERT INTO alert_tellings VALUES ('e', 'slack C1', '{"state":"told","reminders":1,"reminded":["d"]}')`,
  "0015-delivery-groups": `
    INSERT INTO alert_deliveries (seq, id, destination, platform, kind, phase, urgency, group_key, said_by, message, state, attempts, run_at, created_at, data)
    VALUES (3, 'g', 'slack C1', 'slack', 'message', 'trigger', 1, 'trigger node.down', 'u', 'm', 'merged', 0, 1700000000000, 1700000000000, '{}')`,
  "0016-export-jobs": `
    INSERT INTO export_jobs (code, platform, workspace, person, network, state, invocation, created_at)
    VALUES ('7k2m9xqd', 'discord', '99', '1', 'mainnet', 'queued', '{}', 1700000000000)`,
  "0017-processes": `
    INSERT INTO processes VALUES ('p', 1700000000000);
    INSERT INTO leases VALUES ('watch mainnet', 'p', 1);
    INSERT INTO alert_deliveries (seq, id, destination, platform, kind, phase, urgency, message, state, attempts, claimed_by, run_at, created_at, data)
    VALUES (4, 'c', 'slack C1', 'slack', 'message', 'trigger', 1, 'm', 'sending', 1, 'p', 1700000000000, 1700000000000, '{}')`,
  "0018-installations": `
    INSERT INTO installations VALUES ('slack', 'T1', NULL, 'Acme', 0, 'U1', 'commands', 'k.iv.sealed', NULL, 'U2', 1700000000000, NULL);
    INSERT INTO used_states VALUES ('s', 99999999999999)`,
  "0019-alert-table-names": `
    INSERT INTO alert_chunks VALUES (2, 'slack', 4, 1700000000000, '{}')`,
  "0020-fewer-delivery-indexes": `
    INSERT INTO alert_deliveries (seq, id, destination, platform, kind, phase, urgency, message, state, attempts, run_at, created_at, data)
    VALUES (5, 'e', 'slack C1', 'slack', 'message', 'trigger', 2, 'm', 'owed', 0, 1700000000000, 1700000000000, '{}')`,
  "0021-desired-messages": `
    INSERT INTO alert_items VALUES ('i', 'd', 1, 'trigger', 'e', 'm')`,
  "0022-interruptions": `
    INSERT INTO alert_deliveries (seq, id, destination, platform, phase, urgency, revision, owed_at, message, state, attempts, interruptions, run_at, created_at, data)
    VALUES (6, 'f', 'slack C1', 'slack', 'trigger', 2, 0, 1700000000000, 'm', 'owed', 1, 1, 1700000000000, 1700000000000, '{}')`,
  "0023-open-answers": `
    INSERT INTO open_answers VALUES ('o', 'discord', '99', 'p', 'k.iv.sealed', 0, 1700000900000)`,
  "0024-halt-keys": `
    INSERT INTO alert_deliveries (seq, id, destination, platform, phase, urgency, revision, owed_at, message, state, attempts, join_key, run_at, created_at, data)
    VALUES (7, 'h', 'slack C1', 'slack', 'trigger', 2, 0, 1700000000000, 'm', 'sent', 1, 'halt mainnet', 1700000000000, 1700000000000, '{}')`,
  "0025-suspended-places": `
    INSERT INTO watcher_snapshots (network, watcher, at, data)
    VALUES ('', 'refused-tokens', 1700000000000, '[{"platform":"slack","since":1700000000000,"why":"invalid_auth","nextAt":1700000060000}]')`,
  "0026-chunk-columns": `
    INSERT INTO alert_chunks VALUES (3, 'slack', 0, 1700000000000, '{"deliveries":{"count":0,"same":{},"each":{}},"states":{"count":0,"same":{},"each":{}}}')`,
  "0027-notices": `
    INSERT INTO alert_messages (id, created_at, data) VALUES ('n', 1700000000000, '{"type":"notice"}')`,
  "0028-stream-positions": `
    INSERT INTO alert_receipts VALUES ('p', 'web', 'console', 'p', 1700000000000, 1)`,
  "0029-looks": `
    INSERT INTO looks_tail VALUES ('mainnet', 'sources', 1, 1700000000000, '{}');
    INSERT INTO looks_chunks VALUES ('mainnet', 'sources', 2, 3, 1700000000000, 1700000000001, 2, x'00ff')`,
  "0030-lasting-episodes": `
    INSERT INTO alert_episodes (id, network, open, opened_at, data, bare) VALUES ('b', 'mainnet', 0, 1700000000000, '{}', 1);
    INSERT INTO alert_decisions (seq, at, what, episode, lasting) VALUES (99, 1700000000000, 'fired', 'b', 1)`,
};

/** The schema as SQLite keeps it, without the order in which it came about. */
function schemaOf(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").all();
  } finally {
    database.close();
  }
}

const last = versions.at(-1)!;

describe("a schema", () => {
  it.each([
    ["of this version", versions, undefined, "current"],
    ["of nobody yet", [], undefined, "older"],
    ["of an earlier version", versions.slice(0, -1), undefined, "older"],
    ["to which a newer one added", [...versions, "0999-later"], undefined, "current"],
    ["from which a newer one took what this one does without", [...versions, "0999-later"], last, "current"],
    ["from which a newer one took what this one needs", [...versions, "0999-later"], "0999-later", "newer"],
    ["of another branch", [...versions.slice(0, -1), "0999-later"], undefined, "newer"],
  ] as const)("%s", (_what, executed, oldest, age) => {
    expect(schemaAge(executed, oldest).age).toBe(age);
  });

  it("to which a newer version added is used beside it, on a file", async () => {
    const folder = (await scratchFolder()).folder;
    const file = path.join(folder, "b.db");
    const first = createStore({ url: file, log: silentLog() });
    await first.seen.note("mainnet", "market", [{ id: "a", label: undefined }]);
    await first.close();
    const database = new DatabaseSync(file);
    database.exec("ALTER TABLE seen_ids ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'; CREATE TABLE more (id TEXT)");
    database.exec("INSERT INTO kysely_migration VALUES ('0999-later', '2099-01-01T00:00:00.000Z')");
    database.close();
    const again = createStore({ url: file, log: silentLog() });
    await again.seen.note("mainnet", "market", [{ id: "b", label: undefined }]);
    expect((await again.seen.find("mainnet", "market", "", 5)).map(({ id }) => id).toSorted()).toEqual(["a", "b"]);
    await again.close();
    await rm(folder, { recursive: true });
  });

  it.skipIf(postgresMissing !== undefined)(`and on PostgreSQL ${postgresMissing ?? ""}`, async () => {
    const server = await scratchPostgres();
    onTestFinished(() => server.drop());
    const old = createStore({ url: server.url, log: silentLog() });
    await old.seen.note("mainnet", "market", [{ id: "a", label: undefined }]);
    // The newer version migrates while the old one runs, and more of the old ones start.
    await onServer(
      server.url,
      "alter table seen_ids add column colour text not null default 'red'",
      "insert into kysely_migration values ('0999-later', '2099-01-01T00:00:00.000Z')",
    );
    const another = createStore({ url: server.url, log: silentLog() });
    await old.seen.note("mainnet", "market", [{ id: "b", label: undefined }]);
    await another.seen.note("mainnet", "market", [{ id: "c", label: undefined }]);
    expect(await another.seen.find("mainnet", "market", "", 5)).toHaveLength(3);
    await onServer(server.url, "update database_marks set value = '0999-later' where name = 'oldest_program'");
    const refused = createStore({ url: server.url, log: silentLog() });
    await expect(refused.claim()).rejects.toThrow(saying("newer version", "0999-later"));
    await Promise.all([old, another, refused].map((store) => store.close()));
  });
});

describe("migrations", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = (await scratchFolder()).folder;
    file = path.join(folder, "b.db");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = () => createStore({ url: file, log: silentLog() });

  it("are named in the order in which they run", () => {
    expect(versions).toEqual(versions.toSorted());
    for (const name of versions) expect(name).toMatch(/^\d{4}-[a-z-]+$/u);
    expect(Object.keys(rows)).toEqual(versions);
  });

  it.each(versions)("lead from %s to the newest schema, with every row", async (version) => {
    const database = new DatabaseSync(file);
    const db = kyselyOver(database);
    for (const name of versions.slice(0, versions.indexOf(version) + 1)) {
      await migrate(db, name);
      database.exec(rows[name]!);
    }
    await db.destroy();

    const store = open();
    expect(await store.seen.find("mainnet", "market", "ab", 5)).toEqual([{ id: "AbC", label: "BTC/USD" }]);
    expect(await store.payloads.get("key1")).toEqual({ page: 2 });
    await store.close();

    const fresh = path.join(folder, "fresh.db");
    const another = createStore({ url: fresh, log: silentLog() });
    await another.ping();
    await another.close();
    expect(schemaOf(file)).toEqual(schemaOf(fresh));
  });

  it("give the messages at the console the positions in which they were owed, and later ones the next", async () => {
    const database = new DatabaseSync(file);
    const db = kyselyOver(database);
    await migrate(db, "0027-notices");
    const put = database.prepare(
      `INSERT INTO alert_deliveries (seq, id, destination, platform, phase, urgency, revision, shown, owed_at, settled_at, message, state, attempts, run_at, created_at, data)
       VALUES (?, ?, ?, ?, 'event', 0, 0, 0, 0, 9, 'm', 'sent', 1, 0, 0, '{}')`,
    );
    const receive = database.prepare("INSERT INTO alert_receipts VALUES (?, ?, 'c', 'm', 9)");
    const [here, there] = [["web//console/", "web"] as const, ["slack//C1/", "slack"] as const];
    for (const [seq, id, destination, platform] of [
      [9, "late", ...here],
      [3, "early", ...here],
      [5, "elsewhere", ...there],
      [7, "by an earlier version", ...here],
    ] as const) {
      put.run(seq, id, destination, platform);
      if (seq !== 7) receive.run(id, platform);
    }
    database.exec("INSERT INTO alert_counters VALUES ('deliveries', 20)");
    await db.destroy();
    const store = open();
    const read = () => store.transaction(({ alerts }) => alerts.delivered.after("web//console/", 3, 9));
    expect((await read()).map(({ id, position }) => [id, position])).toEqual([["late", 9]]);
    await store.transaction(async ({ alerts: { outbox, delivered } }) => {
      const receipt = { platform: "web", channel: "c", message: "m", at: 9 };
      await outbox.putReceipts([{ delivery: "by an earlier version", ...receipt }]);
      await delivered.place("web");
    });
    expect((await read()).map(({ id, position }) => [id, position])).toEqual([
      ["late", 9],
      ["by an earlier version", 21],
    ]);
    await store.close();
  });

  it("find the machines that flap, and no other", async () => {
    const database = new DatabaseSync(file);
    const db = kyselyOver(database);
    await migrate(db, "0006-database-marks");
    const put = database.prepare(
      "INSERT INTO alert_machines (network, rule, subject, data) VALUES ('mainnet', 'r', ?, ?)",
    );
    const machines = { a: { flapping: { since: "1" } }, b: { phase: "ok" }, c: { subject: '"flapping":{' } };
    for (const [name, data] of Object.entries(machines)) put.run(name, JSON.stringify(data));
    await db.destroy();
    const store = open();
    const found = await store.transaction(({ alerts }) => alerts.watch.flapping());
    expect(found.map(({ subject }) => subject)).toEqual(["a"]);
    await store.close();
  });

  it("know the reminders of alerts that are still open", async () => {
    const database = new DatabaseSync(file);
    const db = kyselyOver(database);
    await migrate(db, "0012-delivery-urgency");
    const deliver = database.prepare(
      `INSERT INTO alert_deliveries (seq, id, destination, platform, kind, phase, urgency, episode, message, state, attempts, run_at, created_at, data)
       VALUES (?, ?, ?, 'slack', 'message', ?, 0, 'e', 'm', 'sent', 1, 0, 0, '{}')`,
    );
    for (const [seq, id, destination, phase] of [
      [1, "t", "C1", "trigger"],
      [3, "later", "C1", "reminder"],
      [2, "first", "C1", "reminder"],
      [4, "other", "C2", "reminder"],
    ] as const) {
      deliver.run(seq, id, destination, phase);
    }
    const states = [
      { state: "told", trigger: "t", reminders: 2, toldMillis: 1700000000000 },
      { state: "told", trigger: "u", reminders: 0 },
      { state: "told", trigger: "v", reminders: 1, reminded: ["new"] },
    ];
    const tell = database.prepare("INSERT INTO alert_tellings VALUES ('e', ?, ?)");
    for (const [index, state] of states.entries()) tell.run(`C${index + 1}`, JSON.stringify(state));
    await db.destroy();
    const store = open();
    const found = await store.transaction(({ alerts }) => alerts.watch.notificationStates(["e"]));
    const [first, ...rest] = states;
    expect(found.map(({ data }) => JSON.parse(data) as unknown)).toEqual([
      { ...first, reminded: ["first", "later"] },
      ...rest,
    ]);
    await store.close();
  });

  it.each([
    [["checkpoint.new", "history.reset", "checkpoint.overdue"], { groups: ["checkpoints"] }],
    [["checkpoint.new", "checkpoint.overdue"], {}],
    [["checkpoint.overdue", "checkpoint.new", "history.reset", "node.down"], {}],
  ])("of a subscription to %j know the groups %j", async (kinds, groups) => {
    const database = new DatabaseSync(file);
    const db = kyselyOver(database);
    await migrate(db, "0009-alert-journal");
    database
      .prepare("INSERT INTO alert_subscriptions VALUES ('s', 'slack C1', 'mainnet', 'active', ?)")
      .run(JSON.stringify({ kinds, floor: "info" }));
    await db.destroy();
    const store = open();
    const [row] = await store.transaction(({ alerts }) => alerts.subscriptions.list());
    expect(JSON.parse(row!.data)).toEqual({ kinds, floor: "info", ...groups });
    await store.close();
  });

  const beforeNames = `
    INSERT INTO alert_parcels VALUES (7, 'slack', 2, 1700000000000, '{"chunk":1}');
    INSERT INTO alert_tellings VALUES ('e', 'slack C1', '{"state":"told"}');
    INSERT INTO alert_episodes (id, open, network, opened_at, data, told) VALUES ('e', 1, 'mainnet', 1700000000000, '{}', 3);
    INSERT INTO alert_counters VALUES ('parcels', 7), ('choices', 5), ('deliveries', 9)`;

  const underNewNames = async (url: string): Promise<void> => {
    const store = createStore({ url, log: silentLog() });
    onTestFinished(() => store.close());
    await store.transaction(async ({ alerts: { chunks, watch, subscriptions } }) => {
      const chunk = { platform: "slack", owed: 2, created_at: 1700000000000, data: '{"chunk":1}' };
      const state = { episode: "e", destination: "slack C1", data: '{"state":"told"}' };
      await chunks.put([{ ...chunk, data: "behind it" }]);
      expect(await chunks.take(5)).toEqual([
        { ...chunk, seq: 7 },
        { ...chunk, seq: 8, data: "behind it" },
      ]);
      expect(await watch.notificationStates(["e"])).toEqual([state]);
      await watch.putNotificationStates([state]);
      expect(await watch.notificationRevisions(["e"])).toEqual([{ id: "e", notification_revision: 4 }]);
      expect(await subscriptions.revision()).toBe(5);
    });
  };

  const beforeNamesFile = async (): Promise<void> => {
    const database = new DatabaseSync(file);
    const db = kyselyOver(database);
    await migrate(db, "0018-installations");
    database.exec(beforeNames);
    await db.destroy();
  };

  it("rename the tables of alerts and keep their rows, also of a backup from before", async () => {
    await beforeNamesFile();
    const backup = path.join(folder, "backup.db");
    expect(backUp(file, backup).schema).toBe("0018-installations");
    await underNewNames(file);
    const restored = path.join(folder, "restored.db");
    await restore(restored, backup, "before");
    await underNewNames(restored);
  });

  it.skipIf(postgresMissing !== undefined)(`rename them on PostgreSQL ${postgresMissing ?? ""}`, async () => {
    const server = await scratchPostgres();
    onTestFinished(() => server.drop());
    const db = kyselyOverPostgres(openPool(server.url, new WriteHealth()));
    await db.transaction().execute((trx) => migrate(trx, "0018-installations"));
    await db.destroy();
    await onServer(server.url, ...beforeNames.split(";"), "insert into alert_counters values ('turn', 0)");
    await underNewNames(server.url);
  });

  it.skipIf(postgresMissing !== undefined)(`and on the way to it ${postgresMissing ?? ""}`, async () => {
    await beforeNamesFile();
    const server = await scratchPostgres();
    onTestFinished(() => server.drop());
    expect((await moveStore(file, server.url)).equal).toBe(true);
    await underNewNames(server.url);
  });

  const delivery = (seq: number, id: string, more: Readonly<Record<string, string | number | null>> = {}): string => {
    const usual = { destination: "slack//C1/", platform: "slack", kind: "message", phase: "trigger", urgency: 1 };
    const times = { run_at: T, created_at: T, data: '{"destination":{"platform":"slack","channel":"C1"}}' };
    const row = { seq, id, ...usual, message: "m", state: "owed", attempts: 1, ...times, ...more };
    const values = Object.values(row).map((one) => (typeof one === "string" ? `'${one}'` : String(one)));
    return `INSERT INTO alert_deliveries (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")})`;
  };
  const T = 1_700_000_000_000;
  const event = (key: string) => ({ type: "event", event: { kind: "checkpoint.new", network: "mainnet", key } });
  const message = (id: string, facts: object = {}): string =>
    `INSERT INTO alert_messages (id, created_at, data) VALUES ('${id}', ${T}, '${JSON.stringify(facts)}')`;
  const receipt = (id: string): string => `INSERT INTO alert_receipts VALUES ('${id}', 'slack', 'C1', '1.${id}', ${T})`;
  const sent = { state: "sent", settled_at: T };
  const edit = (target: string, more: object = {}) => ({
    kind: "edit",
    phase: "state",
    target,
    run_at: T + 9,
    ...more,
  });

  const place = (channel: string) => ({ platform: "slack", channel });
  const told = (channel: string) => ({ destination: place(channel), style: "live", state: "told", reminders: 2 });
  const columns = (count: number, same: object, each: object = {}) => ({ count, same, each });
  const chunk = (seq: number, stored: object): string =>
    `INSERT INTO alert_chunks VALUES (${seq}, 'slack', 1, ${T}, '${JSON.stringify(stored)}')`;

  const inFlight = [
    ...["m", "now", "later"].map((id) => message(id)),
    // A group: its first says two others, one of which its message shows already.
    delivery(1, "first", { ...sent, episode: "e1", group_key: "trigger node.down" }),
    delivery(2, "shown", { state: "merged", said_by: "first", episode: "e2" }),
    delivery(3, "joined", { state: "merged", said_by: "first", episode: "e3" }),
    delivery(4, "grows", edit("first", { phase: "group", episode: "e1" })),
    receipt("first"),
    receipt("shown"),
    // A live message with an edit that is being sent, and one with none.
    delivery(5, "live", { ...sent, episode: "e5" }),
    delivery(6, "edit", edit("live", { state: "sending", message: "now", episode: "e5" })),
    delivery(7, "done", { ...sent, episode: "e7" }),
    delivery(8, "old edit", edit("done", { ...sent, episode: "e7" })),
    // Sent twice: the first copy has a receipt alone.
    delivery(9, "twice", { ...sent, episode: "e9" }),
    delivery(10, "tidies", edit("twice~1", { data: '{"twice":true}' })),
    receipt("twice~1"),
    // The message of a day, whose last event is not shown yet.
    delivery(11, "day", { ...sent, phase: "rolling" }),
    delivery(12, "day edit", edit("day", { phase: "rolling", message: "later" })),
    `INSERT INTO alert_rolling (key, delivery, day_ends_at, message) VALUES ('slack//C1/|checkpoint.new|mainnet|2023-11-14', 'day', ${T + 99}, 'later')`,
    // Held for quiet hours, of two networks.
    ...["1", "2"].map((key) => message(`held${key}`, event(key))),
    message("held3", { type: "condition", episode: { network: "testnet" }, simulated: true }),
    ...["1", "2", "3"].map(
      (key) =>
        `INSERT INTO alert_held VALUES (${key}, 'slack//C1/', ${T + 50}, 'held${key}', '{"platform":"slack","channel":"C1"}')`,
    ),
    delivery(13, "owed", { episode: "e13" }),
    // Halts of two networks, told by their messages.
    delivery(14, "halt", { ...sent, group_key: "story network.stalled|mainnet||1" }),
    delivery(15, "other halt", { ...sent, group_key: "story network.stalled{for=60000}|testnet||2" }),
    // A lost place, where all waits for an hour.
    `INSERT INTO watcher_snapshots (network, watcher, at, data) VALUES ('', 'refused-tokens', ${T},
      '[{"platform":"slack","since":1,"why":"w"},{"platform":"slack","destination":{"platform":"slack","channel":"C 2"},"since":1,"why":"w"}]')`,
    delivery(16, "lost", { destination: "slack//C%202/", run_at: T + 3_600_000 }),
    delivery(17, "slow", { run_at: T + 3_600_000 }),
    "INSERT INTO alert_counters VALUES ('deliveries', 17)",
    // Notices, and another message.
    ...serviceMessages.map(([said], index) => {
      if (said.type !== "notice") return message(`s${index}`, said);
      const { about, ...facts } = said.notice;
      return message(`s${index}`, { type: about, simulated: true, at: said.at, ...facts });
    }),
    // Chunks: of rows, of columns, and what no version can read.
    chunk(1, {
      deliveries: [{ id: "whole", destination: place("C1"), phase: "trigger", message: "m", groupKey: "g" }],
      tellings: [{ episode: "e", destination: "slack//C1/", telling: told("C1") }],
    }),
    chunk(2, {
      packed: {
        deliveries: columns(
          2,
          { phase: "trigger", message: "m", causeKey: "story network.stalled|mainnet||1" },
          {
            id: ["one", "two"],
            destination: ["slack//C1/", "slack/T1/C%202/1.2"],
            quiet: [null, true],
          },
        ),
        rolled: columns(1, { message: "r", destination: "slack//C4/" }),
        tellings: {
          of: columns(1, { episode: "e", destination: "slack//C2/" }),
          told: columns(1, { style: "live", state: "told", reminders: 2 }),
        },
      },
    }),
    chunk(3, {}),
  ];

  /** What is stored of them then. */
  const asDesired = async (url: string): Promise<void> => {
    const store = createStore({ url, log: silentLog() });
    onTestFinished(() => store.close());
    await store.transaction(async ({ alerts: tables }) => {
      const { outbox, items, chunks } = tables;
      const all = await outbox.get(["first", "live", "done", "twice", "twice~1", "day", "owed"]);
      const lines = all
        .toSorted((a, b) => a.seq - b.seq)
        .map(({ id, state, revision, shown, message: says }) => [id, state, revision, shown, says].join(" "));
      expect(lines).toEqual([
        "first owed 3 0 m",
        "live owed 1 0 now",
        "done sent 0 0 m",
        "twice sent 0 0 m",
        "twice~1 owed 1 0 m",
        "day owed 1 0 later",
        "owed owed 0  m",
      ]);
      const [joined] = (await items.of(["first"])).toReversed();
      expect((await items.of(["first"])).map(({ id, episode }) => `${id} ${episode}`)).toEqual([
        "shown e2",
        "joined e3",
      ]);
      expect(joined?.revision).toBeGreaterThan(0);
      expect((await items.of(["first"]))[0]?.revision).toBeLessThan(0);
      const [day] = (await outbox.joinable(["slack//C1/"], ["day checkpoint.new mainnet 2023-11-14"], T)).values();
      expect(day).toMatchObject({ id: "day", open_until: T + 99 });
      const halts = await outbox.joinable(["slack//C1/"], ["halt mainnet", "halt testnet"], T + 99);
      expect([...halts.values()].map(({ id, open_until }) => [id, open_until])).toEqual([
        ["halt", null],
        ["other halt", null],
      ]);
      const waiting = await outbox.get(["lost", "slow"]);
      expect(Object.fromEntries(waiting.map(({ id, run_at }) => [id, run_at]))).toEqual({
        lost: T,
        slow: T + 3_600_000,
      });
      const held = await outbox.heldUntil(T + 50);
      expect(held.map(({ join_key, phase, run_at }) => [join_key, phase, run_at])).toEqual([
        ["held mainnet", "digest", T + 50],
        ["held testnet", "digest", T + 50],
      ]);
      const digests = await outbox.messages(held.map((row) => row.message));
      const facts = digests.map(({ data }) => JSON.parse(data) as { network: string });
      expect(facts.toSorted((a, b) => a.network.localeCompare(b.network))).toEqual([
        {
          type: "digest",
          reason: "quiet hours",
          network: "mainnet",
          events: [event("1").event, event("2").event],
          episodes: [],
        },
        {
          type: "digest",
          simulated: true,
          reason: "quiet hours",
          network: "testnet",
          events: [],
          episodes: [{ network: "testnet" }],
        },
      ]);
      const says = await readMessages(
        tables,
        [...serviceMessages.keys()].map((index) => ({ message: `s${index}` })),
      );
      for (const [index, [said]] of serviceMessages.entries()) {
        expect(says.get(`s${index}`)).toEqual(said.type === "notice" ? { ...said, simulated: true } : said);
      }
      const [rows, packed, other] = (await chunks.take(9)).map((row) => parseChunk(row));
      expect(rows).toEqual({
        deliveries: [{ id: "whole", destination: place("C1"), phase: "trigger", message: "m", groupKey: "g" }],
        states: [{ episode: "e", destination: "slack//C1/", state: told("C1") }],
      });
      const halting = { phase: "trigger", message: "m", causeKey: "halt mainnet" };
      expect(packed).toEqual({
        deliveries: [
          { ...halting, id: "one", destination: place("C1") },
          {
            ...halting,
            id: "two",
            destination: { platform: "slack", workspace: "T1", channel: "C 2", thread: "1.2" },
            quiet: true,
          },
          {
            id: expect.stringMatching(/^[\w-]{20,25}$/u) as string,
            phase: "event",
            message: "r",
            destination: place("C4"),
            quiet: true,
          },
        ],
        states: [{ episode: "e", destination: "slack//C2/", state: told("C2") }],
      });
      expect(other).toBeUndefined();
      // What is added then comes behind all of it.
      expect(new Set([...held, ...all].map(({ seq }) => seq)).size).toBe(held.length + all.length);
    });
  };

  it("make of edits, groups, days and held messages what each message should say, and lose nothing", async () => {
    const database = new DatabaseSync(file);
    const db = kyselyOver(database);
    await migrate(db, "0020-fewer-delivery-indexes");
    for (const row of inFlight) database.exec(row);
    await db.destroy();
    await asDesired(file);
  });

  it.skipIf(postgresMissing !== undefined)(`and on PostgreSQL ${postgresMissing ?? ""}`, async () => {
    const server = await scratchPostgres();
    onTestFinished(() => server.drop());
    const db = kyselyOverPostgres(openPool(server.url, new WriteHealth()));
    await db.transaction().execute((trx) => migrate(trx, "0020-fewer-delivery-indexes"));
    await db.destroy();
    await onServer(server.url, ...inFlight, "insert into alert_counters values ('turn', 0)");
    await asDesired(server.url);
  });

  it("leave nothing behind when they fail half-way, and go through once the cause is gone", async () => {
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE kysely_migration (name TEXT PRIMARY KEY, timestamp TEXT)");
    database.exec("CREATE TABLE button_payloads (stranger TEXT)");
    database.close();

    const store = open();
    await expect(store.ping()).rejects.toThrow("button_payloads");
    expect(schemaOf(file)).not.toContainEqual(expect.objectContaining({ name: "seen_ids" }));

    const meddling = new DatabaseSync(file);
    meddling.exec("DROP TABLE button_payloads");
    meddling.close();
    await expect(store.ping()).resolves.toBeUndefined();
    await store.close();
  });

  it("copy the database beside it first, and keep the last two copies", async () => {
    const at = async (version: string): Promise<void> => {
      await rm(file, { force: true });
      const db = kyselyOver(new DatabaseSync(file));
      await migrate(db, version);
      await db.destroy();
      const store = open();
      await store.ping();
      await store.close();
    };
    const copies = (): string[] => readdirSync(folder).filter((name) => name.startsWith("b.db.schema-"));
    await at("0005-answer-choices");
    expect(copies()).toEqual(["b.db.schema-0005-answer-choices"]);
    await at("0006-database-marks");
    await at("0003-alerts");
    expect(copies()).toEqual(["b.db.schema-0005-answer-choices", "b.db.schema-0006-database-marks"]);
    const copy = new DatabaseSync(path.join(folder, "b.db.schema-0006-database-marks"), { readOnly: true });
    const applied = copy.prepare("SELECT name FROM kysely_migration ORDER BY name DESC").get();
    expect(applied?.["name"]).toBe("0006-database-marks");
    copy.close();
    expect(statSync(path.join(folder, "b.db.schema-0006-database-marks")).mode & 0o077).toBe(0);
  });

  it("copy nothing where there is nothing to lose", async () => {
    const store = open();
    await store.ping();
    await store.close();
    await open().ping();
    expect(readdirSync(folder).filter((name) => /schema|partial/u.test(name))).toEqual([]);
  });

  it("refuse a database that a newer version has taken something from, and leave it as it is", async () => {
    const store = open();
    await store.ping();
    await store.close();
    const database = new DatabaseSync(file);
    database.exec("INSERT INTO kysely_migration VALUES ('0999-from-the-future', '2099-01-01T00:00:00.000Z')");
    database.exec("UPDATE database_marks SET value = '0999-from-the-future' WHERE name = 'oldest_program'");
    database.close();

    const again = open();
    await expect(again.claim()).rejects.toThrow(saying(file, "0999-from-the-future"));
    await expect(again.ping()).rejects.toMatchObject({
      name: "UserError",
      remedy: expect.stringContaining("DATABASE_URL"),
    });
    await again.close();
  });
});
