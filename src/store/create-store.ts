import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import { databaseFile } from "./database-url.ts";
import { heldForLife, heldPerCall } from "./file-access.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

export interface StoreOptions {
  /** As in DATABASE_URL. */
  readonly url: string;
  readonly log: Log;
  /**
   * `life` (the default) keeps every other process off from the first use until `close`; `call` only while a call
   * runs, so that several short-lived processes share a file.
   */
  readonly hold?: "life" | "call";
  /** How long to wait for another process to let go of the file. Default 1 s for `life`, 5 s for `call`. */
  readonly waitMillis?: Milliseconds;
  /** Unix milliseconds. */
  readonly now?: () => Milliseconds;
}

/** A store in a file of this machine. */
export interface EmbeddedStore extends Store {
  /** Absolute. */
  readonly file: string;
  /**
   * Takes the file for this process now instead of at the first use (`hold: "call"`: finds out that it can be taken).
   * Rejects with UserError where another process holds it or where it cannot be used.
   */
  claim(): Promise<void>;
}

/** Costs nothing until a method is called. Throws UserError for a URL that names no file. */
export function createStore(options: StoreOptions): EmbeddedStore {
  const { url, log, hold = "life", waitMillis = hold === "life" ? 1000 : 5000, now = Date.now } = options;
  const file = databaseFile(url);
  const access = hold === "life" ? heldForLife(file, waitMillis) : heldPerCall(file, waitMillis);
  let loading: Promise<Tables> | undefined;
  const tables = (): Promise<Tables> => {
    loading ??= import("./tables.ts").then(({ createTables }) => createTables(access.use, now));
    return loading;
  };

  return {
    file,
    async claim() {
      await access.claim();
      log.debug({ file }, "database claimed");
    },
    seen: {
      note: async (...given) => (await tables()).seen.note(...given),
      find: async (...given) => (await tables()).seen.find(...given),
    },
    payloads: {
      put: async (...given) => (await tables()).payloads.put(...given),
      get: async (...given) => (await tables()).payloads.get(...given),
    },
    transaction: async (work) => (await tables()).transaction(work),
    ping: async () => (await tables()).ping(),
    close: () => access.close(),
  };
}
