import type { Milliseconds } from "../units/duration.ts";
import { createAlertTables } from "./alert-tables/create-alert-tables.ts";
import { createExportTables } from "./export-tables.ts";
import { markOrigin, type Origin } from "./file/origin.ts";
import { createButtonPayloads } from "./preferences/button-payloads.ts";
import { createAnswerChoices, createSavedParties, createSignOuts } from "./preferences/preferences.ts";
import { createSeenIds } from "./preferences/seen-ids.ts";
import type { WithDatabase } from "./queries.ts";
import type { StoreTables, TransactionTables } from "./store.ts";

/** The tables over a database, however it is reached. */
export interface Tables extends StoreTables {
  transaction<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
  markOrigin(origin: Origin): Promise<void>;
}

export function createTables(withDatabase: WithDatabase, now: () => Milliseconds): Tables {
  return {
    seen: createSeenIds(withDatabase, now),
    payloads: createButtonPayloads(withDatabase, now),
    parties: createSavedParties(withDatabase, now),
    answers: createAnswerChoices(withDatabase),
    signOuts: createSignOuts(withDatabase, now),
    exports: createExportTables(withDatabase),
    transaction: (work) =>
      withDatabase((db) =>
        db.transaction().execute((trx) =>
          work({
            alerts: createAlertTables(trx),
            exports: createExportTables((inside) => inside(trx)),
            fence: async () => undefined,
          }),
        ),
      ),
    markOrigin: (origin) => markOrigin(withDatabase, origin),
    ping: () =>
      withDatabase(async (db) => {
        await db.selectNoFrom((eb) => eb.lit(1).as("one")).execute();
      }),
  };
}
