import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/duration.ts";
import { createAlertTables } from "./alert-tables/create-alert-tables.ts";
import { createExportTables } from "./export-tables.ts";
import { createMarks, type Marks } from "./marks.ts";
import { createButtonPayloads } from "./preferences/button-payloads.ts";
import { createAnswerChoices, createSavedParties, createSignOuts } from "./preferences/preferences.ts";
import { createSeenIds } from "./preferences/seen-ids.ts";
import type { Transactions, WithDatabase } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { StoreTables, TransactionTables } from "./store.ts";

/** The tables over a database, however it is reached. */
export interface Tables extends StoreTables {
  readonly marks: Marks;
  transaction<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  read<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
}

export function createTables(withDatabase: WithDatabase, transactions: Transactions, now: () => Milliseconds): Tables {
  return {
    seen: createSeenIds(withDatabase, now),
    payloads: createButtonPayloads(withDatabase, now),
    parties: createSavedParties(withDatabase, now),
    answers: createAnswerChoices(withDatabase),
    signOuts: createSignOuts(withDatabase, now),
    exports: createExportTables(withDatabase),
    marks: createMarks(withDatabase),
    transaction: (work) => transactions.write((trx) => work(transactionTables(trx))),
    read: (work) => transactions.read((trx) => work(transactionTables(trx))),
    ping: () =>
      withDatabase(async (db) => {
        await db.selectNoFrom((eb) => eb.lit(1).as("one")).execute();
      }),
  };
}

function transactionTables(trx: Kysely<Schema>): TransactionTables {
  return {
    alerts: createAlertTables(trx),
    exports: createExportTables((inside) => inside(trx)),
    fence: async () => undefined,
  };
}
