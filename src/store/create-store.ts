import { setTimeout as sleep } from "node:timers/promises";

import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/time.ts";
import { databaseFile } from "./file/database-url.ts";
import { openForLife, openPerCall, openToRead } from "./file/file.ts";
import type { FileLoss } from "./file/file-identity.ts";
import { DatabaseInUse } from "./file/holder-record.ts";
import type { Marks } from "./marks.ts";
import { toServerError } from "./postgres/pool.ts";
import { isPostgresUrl, serverName } from "./postgres-url.ts";
import { ClockDifference, oneOfSeveral, processName, type SharedProcesses, singleProcess } from "./processes.ts";
import { lossError, toStorageError } from "./sqlite/sqlite-faults.ts";
import type { Store, StoreTables } from "./store.ts";
import type { TableAccess, Tables } from "./tables.ts";
import { WriteHealth } from "./write-health.ts";

export interface StoreOptions {
  /** As in DATABASE_URL. */
  readonly url: string;
  readonly log: Log;
  /**
   * `life` (the default) keeps every other process out from the first use until `close`; `call` only while a call
   * runs, so that several short-lived processes share a file. `read` keeps nobody out, and can write nothing.
   */
  readonly hold?: "life" | "call" | "read";
  /** How long to wait until another process releases the file. Default 1 s for `life`, 5 s for `call`. */
  readonly waitMillis?: Milliseconds;
  /** Called when a call fails because another process holds the file. */
  readonly onInUse?: () => void;
  /** Unix milliseconds. */
  readonly now?: () => Milliseconds;
  /** How long the watchers take to catch up with what a database has lost that has gone back. */
  readonly catchUp?: Milliseconds;
}

/** How long closing waits for running calls. */
const CLOSE_MILLIS: Milliseconds = 2000;

/** A file of this machine that one process at a time holds. */
export interface StoreFile {
  /** Absolute. */
  readonly file: string;
  /** Whether the file was lost since this process took it for life, and how; undefined where it is in its place. */
  lost(): FileLoss | undefined;
}

/** Causes of a slow database on a server. */
export interface DatabaseLoad {
  /** The age of the oldest transaction on this database: dead rows that are younger cannot be removed. */
  readonly oldestTransaction: Milliseconds;
  /** How long the transaction has waited that waits for another one for the longest time. */
  readonly waiting: Milliseconds;
  /** The table with the largest share of dead rows, among those with many of them. */
  readonly dead: { readonly table: string; readonly share: number } | undefined;
}

/** A store, with facts about its database. */
export interface DatabaseStore extends Store, Marks {
  /** Undefined for a database on a server, which other processes may use, too. */
  readonly embedded: StoreFile | undefined;
  /** Undefined for a file, which only this process loads. */
  load(): Promise<DatabaseLoad | undefined>;
  /**
   * Calls this when a server's database lacks what this process has committed, in so long before, as after a failover to
   * a server that was behind. What may be told again is marked by then. Of several processes one is called.
   */
  onGoneBack(listener: (lost: Milliseconds, server: string) => void): void;
  /**
   * Takes the database for this process now instead of at the first use: a file for life (`hold: "call"`: only checks
   * that it can be taken), a database on a server together with other processes. Rejects with UserError where that is
   * not possible.
   */
  claim(): Promise<void>;
}

/** Access to a database. */
interface Engine extends TableAccess {
  /** Undefined where no other process can share it. */
  readonly processes?: SharedProcesses;
  /** Rejects where the database answers, but takes no writes or loses them. */
  check(): Promise<void>;
  /** Left out where only this process loads the database. */
  readonly load?: () => Promise<DatabaseLoad>;
  claim(): Promise<void>;
  close(): Promise<void>;
}

interface EngineOptions {
  readonly embedded: StoreFile | undefined;
  /** This process among several, and its clock; undefined where no other one can share the database. */
  readonly shared?: { readonly self: string; readonly clock: ClockDifference };
  /** The name of the database in the log. */
  readonly name: string;
  readonly load: () => Promise<Engine>;
  readonly toError: (thrown: unknown) => unknown;
}

/** Opens nothing until a method is called. Throws UserError for a URL that names no database. */
export function createStore(options: StoreOptions): DatabaseStore {
  const writes = new WriteHealth();
  const listeners: Parameters<DatabaseStore["onGoneBack"]>[0][] = [];
  const goneBack: (typeof listeners)[number] = (...given) => listeners.forEach((listener) => listener(...given));
  const engine = isPostgresUrl(options.url) ? serverEngine(options, writes, goneBack) : fileEngine(options, writes);
  return { ...storeOver(engine, options, writes), onGoneBack: (listener) => void listeners.push(listener) };
}

function fileEngine(
  { url, hold = "life", waitMillis = hold === "life" ? 1000 : 5000, onInUse }: StoreOptions,
  writes: WriteHealth,
): EngineOptions {
  const file = databaseFile(url);
  const access =
    hold === "read" ? openToRead(file) : (hold === "life" ? openForLife : openPerCall)(file, waitMillis, writes);
  const embedded: StoreFile = { file, lost: () => access.lost() };
  return {
    embedded,
    name: file,
    load: async () => ({
      ...access,
      transactions: (await import("./queries.ts")).serialTransactions(access.withDatabase),
      async check() {
        const loss = access.lost();
        if (loss !== undefined) throw lossError(file, loss);
      },
      hold: async () => undefined,
    }),
    toError(thrown) {
      if (thrown instanceof DatabaseInUse) onInUse?.();
      return toStorageError(thrown, file);
    },
  };
}

function serverEngine(
  { url, hold, catchUp, log, now = Date.now }: StoreOptions,
  writes: WriteHealth,
  onGoneBack: (lost: Milliseconds, server: string) => void,
): EngineOptions {
  const server = serverName(url);
  const shared = { self: processName(), clock: new ClockDifference(now) };
  return {
    embedded: undefined,
    shared,
    name: server,
    async load() {
      const { openServer } = await import("./postgres/postgres.ts");
      const goneBack = (lost: Milliseconds): void => {
        log.error({ server, seconds: Math.round(lost / 1000) }, "database gone back");
        onGoneBack(lost, server);
      };
      return openServer(url, { ...shared, writes, readsOnly: hold === "read", catchUp, onGoneBack: goneBack });
    },
    toError: (thrown) => toServerError(thrown, server),
  };
}

function storeOver(
  { embedded, shared, name, load, toError }: EngineOptions,
  { log, now = Date.now }: StoreOptions,
  writes: WriteHealth,
): Omit<DatabaseStore, "onGoneBack"> {
  let engine: Promise<Engine> | undefined;
  const loaded = (): Promise<Engine> => (engine ??= load());
  let loading: Promise<Tables> | undefined;
  const running = new Set<Promise<unknown>>();
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const under = work().catch((thrown: unknown) => {
      throw toError(thrown);
    });
    running.add(under);
    try {
      return await under;
    } finally {
      running.delete(under);
    }
  };
  /** Runs a call on the tables, which the first call loads. */
  const call = <T>(work: (tables: Tables) => Promise<T>): Promise<T> => {
    loading ??= Promise.all([loaded(), import("./tables.ts")]).then(([access, { createTables }]) =>
      createTables(access, now),
    );
    const tables = loading;
    return run(() => tables.then(work));
  };
  /** The named methods of a port, with their own types. */
  const port = <P extends keyof StoreTables, M extends keyof StoreTables[P]>(name: P, ...methods: M[]) => {
    type Method = (...given: unknown[]) => Promise<unknown>;
    const entries = methods.map((method) => [
      method,
      (...given: unknown[]) => call((tables) => (tables[name][method] as Method)(...given)),
    ]);
    return Object.fromEntries(entries) as Pick<StoreTables[P], M>;
  };
  const sole = singleProcess();

  return {
    embedded,
    processes:
      shared === undefined
        ? sole
        : oneOfSeveral(shared.self, shared.clock, (work) => run(async () => work((await loaded()).processes ?? sole))),
    async claim() {
      await (await loaded()).claim();
      log.debug({ file: name }, "database claimed");
    },
    load: () => run(async () => (await loaded()).load?.()),
    origin: () => call((tables) => tables.marks.origin()),
    markOrigin: (origin) => call((tables) => tables.marks.markOrigin(origin)),
    seen: port("seen", "note", "find"),
    payloads: port("payloads", "put", "get", "useOnce"),
    parties: port("parties", "save", "list", "forget", "erase"),
    answers: port("answers", "all", "keep"),
    signOuts: port("signOuts", "all", "keep"),
    exports: {
      ...port("exports", "add", "update", "get", "list", "open", "abandoned", "served", "lastTurns", "prune"),
      ...port("exports", "addFiles", "files", "kept", "linked", "ofFile", "recognisable", "drop"),
    },
    installations: port("installations", "all", "get", "put", "change"),
    legacies: port("legacies", "get", "put"),
    openAnswers: port("openAnswers", "put", "left", "claim", "remove"),
    transaction: (work) => call((tables) => tables.transaction(work)),
    read: (work) => call((tables) => tables.read(work)),
    ping: () =>
      call(async (tables) => {
        await tables.ping();
        if (writes.fault !== undefined) throw writes.fault;
        await (await loaded()).check();
      }),
    async close() {
      // Calls that have begun are finished, even if nobody waits for them any more.
      await Promise.race([Promise.allSettled(running), sleep(CLOSE_MILLIS, undefined, { ref: false })]);
      await (await loaded()).close();
    },
  };
}
