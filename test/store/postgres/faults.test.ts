import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { inspect } from "node:util";

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { StorageError, UserError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { createStore, type DatabaseStore } from "../../../src/store/create-store.ts";
import { ConnectionCut, mayBeRetried, toOperatorError, toServerError } from "../../../src/store/postgres/pool.ts";
import { openServer } from "../../../src/store/postgres/postgres.ts";
import { WriteHealth } from "../../../src/store/write-health.ts";
import { serverName } from "../../../src/store/postgres-url.ts";
import {
  deleteRows,
  onServer,
  postgresMissing,
  scratchPostgres,
  type ScratchServerDatabase,
} from "../../support/postgres.ts";
import { saying } from "../../support/said.ts";

const SERVER = "db.example:5432/bell";
const coded = (code: string, message = "as the server says") => Object.assign(new Error(message), { code });

describe("an error of the server", () => {
  it.each([
    ["a full disk", coded("53100"), "disk", "full"],
    ["too many connections", coded("53300"), "connections"],
    ["no memory", coded("53200"), "memory"],
    ["an unreadable disk", coded("58030"), "disk"],
    ["a damaged page", coded("XX001"), "damaged"],
    ["a standby", coded("25006"), "writes"],
    ["a statement that took too long", coded("57014"), "slow"],
    ["a turn that did not come", coded("55P03"), "slow"],
    ["a shutdown", coded("57P01"), "reached"],
    ["a start", coded("57P03"), "reached"],
    ["nobody there", coded("ECONNREFUSED"), "reached"],
    ["an unknown name", coded("ENOTFOUND"), "reached"],
    ["a cut", new ConnectionCut("perhaps", new Error("Connection terminated unexpectedly")), "reached"],
    ["silence", new Error("Query read timeout"), "reached"],
    ["a full pool", new Error("timeout exceeded when trying to connect"), "reached"],
    ["a password that was changed", coded("28P01"), "refuses"],
    ["a strange certificate", coded("SELF_SIGNED_CERT_IN_CHAIN"), "refuses"],
  ] as [string, Error & { code?: string }, ...string[]][])(
    "%s is a fault of storage, said to people without its address",
    (_what, thrown, ...words) => {
      const said = toServerError(thrown, SERVER);
      expect(said).toBeInstanceOf(StorageError);
      expect(said).toMatchObject({
        title: expect.stringMatching(saying(...words)),
        message: expect.stringMatching(saying(SERVER)),
      });
      expect((said as StorageError).title).not.toContain("example");
      expect((said as StorageError).isFull).toBe(thrown.code === "53100");
    },
  );

  it.each([
    ["28P01", "password"],
    ["28000", "user"],
    ["3D000", "Create"],
    ["42501", "owner"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "sslmode"],
  ])("%s at the start is the operator's to mend", (code, word) => {
    const said = toOperatorError(coded(code), SERVER);
    expect(said).toBeInstanceOf(UserError);
    const { message, remedy } = said as UserError;
    expect(`${message} ${remedy}`).toMatch(saying(SERVER, word));
  });

  it("that is a bug stays one", () => {
    const bug = coded("42601", "syntax error");
    expect([toServerError(bug, SERVER), toOperatorError(bug, SERVER)]).toEqual([bug, bug]);
  });

  it.each([
    [new ConnectionCut("nothing", undefined), true],
    [new ConnectionCut("perhaps", undefined), false],
    [coded("40001"), true],
    [coded("40P01"), true],
    [coded("53100"), false],
    [coded("23505"), false],
  ] as [Error, boolean][])("%s may be retried: %s", (thrown, may) => {
    expect(mayBeRetried(thrown)).toBe(may);
  });
});

describe("an address of a server", () => {
  it.each([
    ["postgres://u:p@db.example:5432/bell", "db.example:5432/bell"],
    ["postgresql://db.example/bell", "db.example/bell"],
    ["postgres://u@/bell?host=/run/postgresql", "/run/postgresql/bell"],
    ["postgres:///bell", "localhost/bell"],
    ["postgres://u:p%40ss@[::1]:5433/bell?sslmode=disable", "[::1]:5433/bell"],
  ])("%s is called %s", (url, name) => {
    expect(serverName(url)).toBe(name);
  });

  it.each([
    "postgres://",
    "postgres://u:hunter2@h",
    "postgres://u:hunter2@h:port/b",
    "postgres://u:hunter2%@h/b",
    "postgres://u:hun/ter2@h/b",
    "postgres:hunter2",
    "postgres://u:hunter2@h/b?sslmode=on",
  ])("%s is refused, and not repeated", (url) => {
    const open = () => createStore({ url, log: silentLog() });
    expect(open).toThrow(UserError);
    expect(open).toThrow(saying("DATABASE_URL"));
    expect(open).not.toThrow(/hunter2|ter2/u);
  });

  it.each([
    ["nobody listens", "postgres://bell:hunter2@127.0.0.1:1/bell"],
    ["no such host", "postgres://bell:hunter2@host.invalid/bell"],
    ["no such socket", "postgres://bell:hunter2@/bell?host=/nowhere"],
    ["an unreadable certificate", "postgres://bell:hunter2@127.0.0.1:1/bell?sslrootcert=/nowhere"],
  ])("where %s is an error for the operator, and no part of it holds the password", async (_what, url) => {
    const store = createStore({ url, log: silentLog() });
    const thrown: unknown = await store.claim().catch((error: unknown) => error);
    await store.close();
    expect(thrown).toBeInstanceOf(StorageError);
    expect(inspect(thrown, { depth: Infinity, showHidden: true })).not.toContain("hunter2");
  });
});

describe.skipIf(postgresMissing !== undefined)(`a connection to PostgreSQL ${postgresMissing ?? ""}`, () => {
  const APPLICATION = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";

  let database: ScratchServerDatabase;
  beforeAll(async () => {
    database = await scratchPostgres();
  });
  afterAll(() => database.drop());

  async function opened() {
    const store = createStore({ url: database.url, log: silentLog() });
    onTestFinished(async () => {
      await store.close();
      await deleteRows(database.url);
    });
    await store.ping();
    return { store, cut: () => onServer(database.url, `select pg_terminate_backend(pid) ${APPLICATION}`) };
  }
  const put = (store: DatabaseStore, watcher: string) =>
    store.transaction(({ alerts }) => alerts.watch.putSnapshot("mainnet", watcher, 1, "{}"));
  const isThere = (store: DatabaseStore, watcher: string) =>
    store.read(async ({ alerts }) => (await alerts.watch.snapshot("mainnet", watcher)) !== undefined);

  it("that was cut while nothing was asked is replaced without a word", async () => {
    const { store, cut } = await opened();
    await put(store, "a");
    await cut();
    await put(store, "b");
    await cut();
    expect(await store.seen.find("mainnet", "market", "", 1)).toEqual([]);
    expect([await isThere(store, "a"), await isThere(store, "b")]).toEqual([true, true]);
  });

  it("that is cut within a transaction undoes it, tells so, and the next one goes through", async () => {
    const { store, cut } = await opened();
    let begun = 0;
    const failing = store.transaction(async ({ alerts }) => {
      begun += 1;
      await alerts.watch.putSnapshot("mainnet", "a", 1, "{}");
      await cut();
      await alerts.watch.putSnapshot("mainnet", "b", 1, "{}");
    });
    await expect(failing).rejects.toThrow(StorageError);
    expect(begun).toBe(1);
    expect(await isThere(store, "a")).toBe(false);
    await put(store, "c");
    expect(await isThere(store, "c")).toBe(true);
  });

  it("that is cut within a snapshot is read again", async () => {
    const { store, cut } = await opened();
    await put(store, "a");
    let begun = 0;
    const found = await store.read(async ({ alerts }) => {
      begun += 1;
      if (begun === 1) await cut();
      return (await alerts.watch.snapshot("mainnet", "a"))?.at;
    });
    expect([begun, found]).toEqual([2, 1]);
  });

  it("that takes no writes makes the store unready, and says why", async () => {
    const { store, cut } = await opened();
    const name = new URL(database.url.replace("@/", "@localhost/")).pathname.slice(1);
    await onServer(database.url, `alter database ${name} set default_transaction_read_only = on`);
    await cut();
    await expect(put(store, "a")).rejects.toMatchObject({
      name: "StorageError",
      title: expect.stringMatching(/writes/u),
    });
    await expect(store.ping()).rejects.toMatchObject({ name: "StorageError", title: expect.stringMatching(/writes/u) });
    await onServer(database.url, "set default_transaction_read_only = off", `alter database ${name} reset all`);
    await cut();
    await put(store, "a");
    await expect(store.ping()).resolves.toBeUndefined();
  });

  it("reads one state of the database, whatever is written meanwhile, and writes nothing", async () => {
    const { store } = await opened();
    const other = createStore({ url: database.url, log: silentLog() });
    const seen = await store.read(async ({ alerts }) => {
      const before = await alerts.watch.snapshot("mainnet", "a");
      await put(other, "a");
      return [before, await alerts.watch.snapshot("mainnet", "a")];
    });
    expect(seen).toEqual([undefined, undefined]);
    expect(await isThere(store, "a")).toBe(true);
    await expect(store.read(({ alerts }) => alerts.watch.putSnapshot("mainnet", "b", 1, "{}"))).rejects.toThrow(
      /writes/u,
    );
    await other.close();
  });

  it("waits for the turn of another process, and numbers have the order of commits", async () => {
    const { store } = await opened();
    const other = createStore({ url: database.url, log: silentLog() });
    await other.ping();
    const decide = (at: number) => ({
      at,
      what: "test",
      network: null,
      episode: null,
      destination: null,
      delivery: null,
      detail: null,
    });
    const done: string[] = [];
    const holds = Promise.withResolvers<undefined>();
    const first = store
      .transaction(async ({ alerts }) => {
        await alerts.log.add([decide(1)]);
        holds.resolve(undefined);
        // The other one asks for its turn meanwhile; what only reads is answered.
        expect(await other.read(({ alerts: read }) => read.log.read({ limit: 9 }))).toEqual([]);
        done.push("read");
        await alerts.log.add([decide(2)]);
      })
      .then(() => done.push("first"));
    await holds.promise;
    const second = other.transaction(({ alerts }) => alerts.log.add([decide(3)])).then(() => done.push("second"));
    await Promise.all([first, second]);
    expect(done).toEqual(["read", "first", "second"]);
    const lines = await store.read(({ alerts }) => alerts.log.read({ limit: 9 }));
    expect(lines.map(({ at }) => at)).toEqual([3, 2, 1]);
    await other.close();
  });

  it.each([
    ["at its beginning is begun again", "begin", 1],
    ["at its end is not, for it may be done", "commit", expect.any(StorageError)],
  ])("that is cut in a transaction %s", async (_what, word, result: unknown) => {
    const { store } = await opened();
    const proxy = await cuttingProxy(database.url, word);
    const through = createStore({ url: proxy.url, log: silentLog() });
    onTestFinished(() => through.close());
    await through.ping();
    proxy.arm();
    let begun = 0;
    const ended = through.transaction(async ({ alerts }) => {
      begun += 1;
      await alerts.watch.putSnapshot("mainnet", "a", 1, "{}");
      return begun;
    });
    const answer: unknown = await ended.catch((thrown: unknown) => thrown);
    expect([begun, answer]).toEqual([1, result]);
    expect(await isThere(store, "a")).toBe(true);
  });

  it("gives a statement alone the limits that a transaction has", async () => {
    const server = openServer(database.url, { self: "p", writes: new WriteHealth() });
    onTestFinished(() => server.close());
    const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
    const set = await server.withDatabase((db) =>
      Promise.all(limits.map(async (name) => (await sql`select current_setting(${name}) as is`.execute(db)).rows[0])),
    );
    expect(set).toEqual([{ is: "15s" }, { is: "15s" }, { is: "5s" }]);
  });

  it("says how long the oldest transaction of others has been open", async () => {
    const { store } = await opened();
    const other = createStore({ url: database.url, log: silentLog() });
    const load = await other.read(async ({ alerts }) => {
      await alerts.watch.snapshot("mainnet", "a");
      await new Promise((done) => void setTimeout(done, 20));
      return store.load();
    });
    await other.close();
    expect(load?.oldestTransaction).toBeGreaterThanOrEqual(20);
    expect(load?.dead).toBeUndefined();
  });

  it("stores texts with characters that PostgreSQL has none of", async () => {
    const { store } = await opened();
    await store.seen.note("mainnet", "market", [{ id: "a\0b", label: "\uD800" }]);
    expect(await store.seen.find("mainnet", "market", "a", 5)).toEqual([{ id: "a\uFFFDb", label: "\uFFFD" }]);
  });

  it("refuses to read a number that JavaScript cannot hold", async () => {
    const { store } = await opened();
    await onServer(database.url, "insert into saved_parties values ('o', 'p', null, 9007199254740993)");
    await expect(store.parties.save("o", { id: "q", name: undefined })).rejects.toThrow("9007199254740993");
  });

  it("orders texts by their bytes, as SQLite does", async () => {
    const { store } = await opened();
    const ids = ["b", "B", "ä", "a", "_", "Z", "😀", "\u{FF5E}"];
    const row = { destination: "d", network: "n", state: "active", data: "{}" };
    await store.transaction(({ alerts }) => alerts.subscriptions.put(ids.map((id) => ({ id, ...row }))));
    const listed = await store.read(({ alerts }) => alerts.subscriptions.list());
    expect(listed.map(({ id }) => id)).toEqual(["B", "Z", "_", "a", "b", "ä", "\u{FF5E}", "😀"]);
  });
});

/** Passes everything on, until a statement that begins with the word went through to the server: once, nothing comes back. */
async function cuttingProxy(url: string, word: string) {
  const to = new URL(url.replace("@/", "@localhost/"));
  const socket = to.searchParams.get("host");
  let armed = false;
  const server = net.createServer((client) => {
    const behind =
      socket === null
        ? net.connect(Number(to.port || 5432), to.hostname)
        : net.connect(path.join(socket, ".s.PGSQL.5432"));
    let cutting = false;
    behind.on("error", () => client.destroy());
    client.on("error", () => behind.destroy());
    client.on("data", (bytes) => {
      behind.write(bytes);
      if (!armed || !bytes.includes("Q\0") || !bytes.includes(word)) return;
      armed = false;
      cutting = true;
    });
    behind.on("data", (bytes) => {
      // The server has done it by then.
      if (cutting) client.destroy();
      else client.write(bytes);
    });
    behind.on("close", () => client.destroy());
    client.on("close", () => behind.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const through = new URL(to);
  through.searchParams.delete("host");
  through.hostname = "127.0.0.1";
  through.port = String((server.address() as net.AddressInfo).port);
  return { url: through.href, arm: () => void (armed = true) };
}

describe.skipIf(postgresMissing !== undefined)(`several processes on PostgreSQL ${postgresMissing ?? ""}`, () => {
  it("may start on an empty database at the same time", async () => {
    const database = await scratchPostgres();
    const stores = Array.from({ length: 5 }, () => createStore({ url: database.url, log: silentLog() }));
    await Promise.all(stores.map((store) => store.claim()));
    const added = stores.map((store, index) =>
      store.transaction(({ alerts }) =>
        alerts.subscriptions.put([{ id: `s${index}`, destination: "d", network: "n", state: "active", data: "{}" }]),
      ),
    );
    await Promise.all(added);
    expect(await stores[0]!.read(({ alerts }) => alerts.subscriptions.revision())).toBe(5);
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  });
});
