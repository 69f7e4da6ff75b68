import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/duration.ts";
import { createAlertTables } from "./alert-tables/alert-tables.ts";
import { createExportTables } from "./export-tables.ts";
import { forgetInstallation } from "./forget-workspace.ts";
import { createInstallations } from "./installations.ts";
import { createOpenAnswers } from "./open-answers.ts";
import { createMarks } from "./marks.ts";
import { createButtonPayloads } from "./preferences/button-payloads.ts";
import { createAnswerChoices, createSavedParties, createSignOuts } from "./preferences/preferences.ts";
import { createSeenIds } from "./preferences/seen-ids.ts";
import type { Transactions, WithDatabase } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { Lease, TransactionTables } from "./store.ts";

/** Access to the tables. */
export interface TableAccess {
  readonly withDatabase: WithDatabase;
  readonly transactions: Transactions;
  /** Keeps a lease until the end of a transaction. Rejects where this process no longer has it. */
  readonly hold: (trx: Kysely<Schema>, lease: Lease) => Promise<void>;
}

export type Tables = ReturnType<typeof createTables>;

/** The tables of a database. */
export function createTables({ withDatabase, transactions, hold }: TableAccess, now: () => Milliseconds) {
  const transactionTables = (trx: Kysely<Schema>): TransactionTables => ({
    alerts: createAlertTables(trx),
    exports: createExportTables((inside) => inside(trx)),
    forgetInstallation: (row) => forgetInstallation(trx, row),
    fence: (lease) => hold(trx, lease),
  });
  return {
    seen: createSeenIds(withDatabase, now),
    payloads: createButtonPayloads(withDatabase, now),
    parties: createSavedParties(withDatabase, now),
    answers: createAnswerChoices(withDatabase),
    signOuts: createSignOuts(withDatabase, now),
    exports: createExportTables(withDatabase),
    installations: createInstallations(withDatabase, now),
    openAnswers: createOpenAnswers(withDatabase, now),
    marks: createMarks(withDatabase),
    transaction: <T>(work: (tables: TransactionTables) => Promise<T>) =>
      transactions.write((trx) => work(transactionTables(trx))),
    read: <T>(work: (tables: TransactionTables) => Promise<T>) =>
      transactions.read((trx) => work(transactionTables(trx))),
    ping: () =>
      withDatabase(async (db) => {
        await db.selectNoFrom((eb) => eb.lit(1).as("one")).execute();
      }),
  };
}
