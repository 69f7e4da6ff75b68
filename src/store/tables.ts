import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/time.ts";
import { createAlertTables } from "./alert-tables/alert-tables.ts";
import { createExportTables } from "./export-tables.ts";
import { forgetInstallation } from "./forget-workspace.ts";
import { createInstallations } from "./installations.ts";
import { createLookTables } from "./alert-tables/looks.ts";
import { createOpenAnswers } from "./open-answers.ts";
import { createLegacies, createMarks } from "./marks.ts";
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
    exports: createExportTables(trx),
    get looks() {
      return createLookTables(trx);
    },
    forgetInstallation: (row) => forgetInstallation(trx, row),
    fence: (lease) => hold(trx, lease),
  });
  /** Tables whose every method opens the database for itself. */
  const opening = <T extends object>(create: (db: Kysely<Schema>) => T): T => {
    const method =
      (_: T, name: string | symbol) =>
      (...given: unknown[]) =>
        withDatabase((db) => (create(db)[name as keyof T] as (...given: unknown[]) => Promise<unknown>)(...given));
    return new Proxy({} as T, { get: method });
  };
  return {
    seen: createSeenIds(withDatabase, now),
    payloads: createButtonPayloads(withDatabase, now),
    parties: opening((db) => createSavedParties(db, now)),
    answers: opening(createAnswerChoices),
    signOuts: opening((db) => createSignOuts(db, now)),
    exports: opening(createExportTables),
    installations: opening(createInstallations),
    openAnswers: opening((db) => createOpenAnswers(db, now)),
    legacies: opening(createLegacies),
    marks: opening(createMarks),
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
