import { afterEach, beforeEach } from "vitest";

import type { AlertTables, NewDeliveryRow } from "../../../src/store/alert-tables/alert-tables.ts";
import type { Store } from "../../../src/store/store.ts";
import type { StoreUnderTest } from "../contract.ts";

export const T = 1_700_000_000_000;

export function delivery(id: string, destination = "d1", more: Partial<NewDeliveryRow> = {}): NewDeliveryRow {
  return {
    id,
    destination,
    platform: "fake",
    phase: "event",
    urgency: 0,
    message: "m1",
    episode: null,
    run_at: T,
    created_at: T,
    data: "{}",
    ...more,
  };
}

/** Deliveries that arrived together, as they were at that revision; with `until`, only their words. */
export const arrivals = (of: readonly string[], shown: number, at: number, until: number | null = null) =>
  of.map((id) => ({ id, shown, at, until }));

export const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map((row) => row.id);

export interface TablesUnderTest {
  readonly on: <R>(work: (tables: AlertTables) => Promise<R>) => Promise<R>;
  /** Reopened, as by another process. */
  readonly reopen: () => Promise<void>;
}

/** The alerts' tables of a new store for each test. */
export function tablesUnderTest(create: () => Promise<StoreUnderTest>): TablesUnderTest {
  let under: StoreUnderTest;
  let store: Store;
  beforeEach(async () => {
    under = await create();
    store = under.store;
  });
  afterEach(() => under.cleanUp());
  return {
    on: (work) => store.transaction(({ alerts }) => work(alerts)),
    async reopen() {
      await store.close();
      store = await under.reopen();
    },
  };
}
