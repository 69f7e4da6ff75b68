import { LRUCache } from "lru-cache";

import type { Milliseconds } from "../units/duration.ts";
import type { WithDatabase } from "./access.ts";
import { createAnswerChoices } from "./answer-choices.ts";
import { createAlertTables } from "./alert-tables.ts";
import { createButtonPayloads } from "./button-payloads.ts";
import { markOrigin, type Origin } from "./origin.ts";
import { createSavedParties } from "./saved-parties.ts";
import { createSeenIds, MAX_RECENT_NOTES, type RecentNote } from "./seen-ids.ts";
import type { StoreTables, TransactionTables } from "./store.ts";

/** The tables over a database, however it is reached; `transaction` gives them bound to one. */
export interface Tables extends StoreTables {
  transaction<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
  markOrigin(origin: Origin): Promise<void>;
}

export function createTables(use: WithDatabase, now: () => Milliseconds): Tables {
  return {
    seen: createSeenIds(use, now, new LRUCache<string, RecentNote>({ max: MAX_RECENT_NOTES })),
    payloads: createButtonPayloads(use, now),
    parties: createSavedParties(use, now),
    answers: createAnswerChoices(use),
    transaction: (work) =>
      use((db) =>
        db.transaction().execute((trx) => {
          const bound: WithDatabase = (inner) => inner(trx);
          return work({
            seen: createSeenIds(bound, now),
            payloads: createButtonPayloads(bound, now),
            parties: createSavedParties(bound, now),
            answers: createAnswerChoices(bound),
            alerts: createAlertTables(trx),
          });
        }),
      ),
    markOrigin: (origin) => markOrigin(use, origin),
    ping: () =>
      use(async (db) => {
        await db.selectNoFrom((eb) => eb.lit(1).as("one")).execute();
      }),
  };
}
