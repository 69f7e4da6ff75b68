import { setTimeout as sleep } from "node:timers/promises";

import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import { databaseFile } from "./file/database-url.ts";
import { openForLife, openPerCall } from "./file/file.ts";
import type { FileLoss } from "./file/file-identity.ts";
import { DatabaseInUse } from "./file/holder-record.ts";
import type { Origin } from "./file/origin.ts";
import { lossError, toStorageError, WriteHealth } from "./sqlite/sqlite-faults.ts";
import { soleProcess } from "./processes.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

export interface StoreOptions {
  /** As in DATABASE_URL. */
  readonly url: string;
  readonly log: Log;
  /**
   * `life` (the default) keeps every other process out from the first use until `close`; `call` only while a call
   * runs, so that several short-lived processes share a file.
   */
  readonly hold?: "life" | "call";
  /** How long to wait until another process releases the file. Default 1 s for `life`, 5 s for `call`. */
  readonly waitMillis?: Milliseconds;
  /** Called when a call fails because another process holds the file. */
  readonly onInUse?: () => void;
  /** Unix milliseconds. */
  readonly now?: () => Milliseconds;
}

/** How long closing waits for running calls. */
const CLOSE_MILLIS: Milliseconds = 2000;

/** A store in a file of this machine. */
export interface EmbeddedStore extends Store {
  /** Absolute. */
  readonly file: string;
  /**
   * Takes the file for this process now instead of at the first use (`hold: "call"`: finds out that it can be taken).
   * Rejects with UserError where another process holds it or where it cannot be used.
   */
  claim(): Promise<void>;
  /** What became of the file since this process took it for life; undefined where it is in its place. */
  lost(): FileLoss | undefined;
  /** Marks the database as the simulator's or the configured networks', unless it is marked already: see `enforceOrigin`. */
  markOrigin(origin: Origin): Promise<void>;
}

/** Costs nothing until a method is called. Throws UserError for a URL that names no file. */
export function createStore(options: StoreOptions): EmbeddedStore {
  const { url, log, hold = "life", waitMillis = hold === "life" ? 1000 : 5000, now = Date.now } = options;
  const file = databaseFile(url);
  const writes = new WriteHealth();
  const access = (hold === "life" ? openForLife : openPerCall)(file, waitMillis, writes);
  let loading: Promise<Tables> | undefined;
  const running = new Set<Promise<unknown>>();
  /** Runs a call on the tables, which the first call loads. */
  const call = async <T>(work: (tables: Tables) => Promise<T>): Promise<T> => {
    loading ??= import("./tables.ts").then(({ createTables }) => createTables(access.withDatabase, now));
    const under = loading.then(work).catch((thrown: unknown) => {
      if (thrown instanceof DatabaseInUse) options.onInUse?.();
      throw toStorageError(thrown, file);
    });
    running.add(under);
    try {
      return await under;
    } finally {
      running.delete(under);
    }
  };

  return {
    file,
    processes: soleProcess(),
    async claim() {
      await access.claim();
      log.debug({ file }, "database claimed");
    },
    lost: () => access.lost(),
    markOrigin: (origin) => call((tables) => tables.markOrigin(origin)),
    seen: {
      note: (...given) => call((tables) => tables.seen.note(...given)),
      find: (...given) => call((tables) => tables.seen.find(...given)),
    },
    payloads: {
      put: (...given) => call((tables) => tables.payloads.put(...given)),
      get: (...given) => call((tables) => tables.payloads.get(...given)),
    },
    parties: {
      save: (...given) => call((tables) => tables.parties.save(...given)),
      list: (...given) => call((tables) => tables.parties.list(...given)),
      forget: (...given) => call((tables) => tables.parties.forget(...given)),
      erase: (person) => call((tables) => tables.parties.erase(person)),
    },
    answers: {
      all: () => call((tables) => tables.answers.all()),
      keep: (choice) => call((tables) => tables.answers.keep(choice)),
    },
    signOuts: {
      all: () => call((tables) => tables.signOuts.all()),
      keep: (signOut) => call((tables) => tables.signOuts.keep(signOut)),
    },
    exports: {
      add: (job) => call((tables) => tables.exports.add(job)),
      update: (...given) => call((tables) => tables.exports.update(...given)),
      get: (code) => call((tables) => tables.exports.get(code)),
      list: (...given) => call((tables) => tables.exports.list(...given)),
      abandoned: (self) => call((tables) => tables.exports.abandoned(self)),
      addFiles: (files) => call((tables) => tables.exports.addFiles(files)),
      files: (code) => call((tables) => tables.exports.files(code)),
      kept: () => call((tables) => tables.exports.kept()),
      linked: (...given) => call((tables) => tables.exports.linked(...given)),
      ofFile: (...given) => call((tables) => tables.exports.ofFile(...given)),
      recognisable: (...given) => call((tables) => tables.exports.recognisable(...given)),
      drop: (code) => call((tables) => tables.exports.drop(code)),
      prune: (...given) => call((tables) => tables.exports.prune(...given)),
    },
    transaction: (work) => call((tables) => tables.transaction(work)),
    ping: () =>
      call(async (tables) => {
        await tables.ping();
        if (writes.fault !== undefined) throw writes.fault;
        const loss = access.lost();
        if (loss !== undefined) throw lossError(file, loss);
      }),
    async close() {
      // Calls that have begun are finished, though their callers may be gone.
      await Promise.race([Promise.allSettled(running), sleep(CLOSE_MILLIS, undefined, { ref: false })]);
      await access.close();
    },
  };
}
