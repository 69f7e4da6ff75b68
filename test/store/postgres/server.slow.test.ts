import { setTimeout as sleep } from "node:timers/promises";

import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { StorageError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { createStore, type DatabaseStore } from "../../../src/store/create-store.ts";
import { onServer, type PostgresServer, serverPackageMissing, startPostgres } from "../../support/postgres.ts";
import { smallDisk } from "../../support/small-disk.ts";

/** Faults of a server that the test owns: they take seconds. */
describe.skipIf(serverPackageMissing !== undefined)(`a PostgreSQL server ${serverPackageMissing ?? ""}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    // As durable as it is by default: these tests kill it.
    server = await startPostgres({ settings: { fsync: "on", full_page_writes: "on", synchronous_commit: "on" } });
  });
  afterAll(() => server.remove());

  let count = 0;
  async function opened(more = ""): Promise<{ store: DatabaseStore; url: string }> {
    const name = `bell${(count += 1)}`;
    await onServer(server.url("postgres"), `create database ${name} ${more}`);
    const url = server.url(name);
    const store = createStore({ url, log: silentLog() });
    onTestFinished(() => store.close());
    await store.ping();
    return { store, url };
  }
  const put = (store: DatabaseStore, watcher: string, data = "{}") =>
    store.transaction(({ alerts }) => alerts.watch.putSnapshot("mainnet", watcher, 1, data));
  const isThere = (store: DatabaseStore, watcher: string) =>
    store.read(async ({ alerts }) => (await alerts.watch.snapshot("mainnet", watcher)) !== undefined);
  const eventually = async (work: () => Promise<unknown>): Promise<void> => {
    for (const until = Date.now() + 15_000; ; await sleep(100)) {
      try {
        await work();
        return;
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(StorageError);
        if (Date.now() > until) throw thrown;
      }
    }
  };

  it("that is restarted is used again as soon as it is back, with all that was kept", async () => {
    const { store } = await opened();
    await put(store, "before");
    const under = store.transaction(async ({ alerts }) => {
      await alerts.watch.putSnapshot("mainnet", "under", 1, "{}");
      await server.stop();
      await alerts.watch.snapshot("mainnet", "under");
    });
    await expect(under).rejects.toThrow(StorageError);
    const began = Date.now();
    await expect(put(store, "while")).rejects.toMatchObject({ title: expect.stringMatching(/reached/u) });
    await expect(store.ping()).rejects.toThrow(StorageError);
    expect(Date.now() - began).toBeLessThan(6000);
    await server.start();
    await eventually(() => put(store, "after"));
    const there = await Promise.all(["before", "under", "while", "after"].map((watcher) => isThere(store, watcher)));
    expect(there).toEqual([true, false, false, true]);
  });

  it("of which a process is killed is used again after its recovery", async () => {
    const { store, url } = await opened();
    await put(store, "before");
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    process.kill(rows[0]!.pid, "SIGKILL");
    await eventually(() => put(store, "after"));
    expect([await isThere(store, "before"), await isThere(store, "after")]).toEqual([true, true]);
  });

  it("takes the turn from a process that stops in the middle of it, within ten seconds", async () => {
    const { store, url } = await opened();
    const other = createStore({ url, log: silentLog() });
    onTestFinished(() => other.close());
    await other.ping();
    const begun = Promise.withResolvers<undefined>();
    const frozen = store.transaction(async ({ alerts }) => {
      await alerts.watch.putSnapshot("mainnet", "frozen", 1, "{}");
      begun.resolve(undefined);
      await sleep(8000);
      await alerts.watch.putSnapshot("mainnet", "woken", 1, "{}");
    });
    const ended = frozen.catch((thrown: unknown) => thrown);
    await begun.promise;
    const began = Date.now();
    await put(other, "next");
    expect(Date.now() - began).toBeLessThan(7000);
    expect(await ended).toBeInstanceOf(StorageError);
    const there = await Promise.all(["frozen", "woken", "next"].map((watcher) => isThere(other, watcher)));
    expect(there).toEqual([false, false, true]);
  });

  it("that is slow is given up by its own limit, and one that stands still by the client's", async () => {
    const { store, url } = await opened();
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("begin; lock table watcher_snapshots in access exclusive mode");
    await expect(put(store, "a")).rejects.toMatchObject({ title: expect.stringMatching(/slow/u) });
    await client.query("rollback");
    await put(store, "b");
    const found = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    for (const { pid } of found.rows) process.kill(pid, "SIGSTOP");
    // Also where this test fails: a stopped process keeps the server from ending.
    onTestFinished(() => found.rows.forEach(({ pid }) => process.kill(pid, "SIGCONT")));
    await expect(store.ping()).rejects.toMatchObject({ title: expect.stringMatching(/reached/u) });
    await put(store, "c");
    expect([await isThere(store, "a"), await isThere(store, "c")]).toEqual([false, true]);
  });

  const mounted = serverPackageMissing === undefined ? smallDisk() : undefined;
  afterAll(() => mounted?.remove());

  it.skipIf(mounted === undefined)(
    "whose disk is full says so, keeps what it has, and goes on once there is room",
    async () => {
      await onServer(server.url("postgres"), `create tablespace small location '${mounted!.folder}'`);
      const { store } = await opened("tablespace small");
      await put(store, "before");
      mounted!.fill();
      // Of random characters, which no compression makes smaller.
      const large = Array.from({ length: 400_000 }, () => Math.random().toString(36).slice(2)).join("");
      await expect(put(store, "large", large)).rejects.toMatchObject({ title: expect.stringMatching(/disk.*full/u) });
      await expect(store.ping()).rejects.toMatchObject({ title: expect.stringMatching(/disk.*full/u) });
      expect([await isThere(store, "before"), await isThere(store, "large")]).toEqual([true, false]);
      mounted!.empty();
      await put(store, "large", large);
      await expect(store.ping()).resolves.toBeUndefined();
      await onServer(server.url("postgres"), `drop database bell${count} with (force)`, "drop tablespace small");
    },
  );
});
