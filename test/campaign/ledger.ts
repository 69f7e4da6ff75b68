import { DatabaseSync } from "node:sqlite";

import type { Heard } from "./told.ts";

export interface Ledger {
  readonly deliveries: number;
  readonly faults: readonly string[];
}

/** How many messages that were owed before that moment (Unix milliseconds) are still to be sent. */
export function stillOwed(file: string, before: number): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const open = database
      .prepare(
        `SELECT count(*) AS n FROM alert_deliveries
         WHERE state IN ('owed', 'sending') AND kind = 'message' AND created_at < ?`,
      )
      .get(before) as { n: number };
    const parcels = database
      .prepare("SELECT coalesce(sum(owed), 0) AS n FROM alert_parcels WHERE created_at < ?")
      .get(before) as { n: number };
    return open.n + parcels.n;
  } finally {
    database.close();
  }
}

/**
 * What the store itself says at the end, of what was owed before a moment: every delivery has a receipt or a reason; what it says was sent stands on the
 * platform, and in its order; a repeat was made only where the outcome was unknown.
 */
export function judgeLedger(file: string, before: number, heard: ReadonlyMap<string, Heard>): Ledger {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT d.id, d.destination, d.platform, d.kind, d.phase, d.state, d.seq, d.last_error, d.uncertain_since,
                d.created_at, r.message AS receipt
         FROM alert_deliveries d LEFT JOIN alert_receipts r ON r.delivery = d.id ORDER BY d.seq`,
      )
      .all() as unknown as DeliveryLine[];
    const faults: string[] = [];
    for (const row of rows) {
      const about = `${row.destination} ${row.phase} ${row.id}`;
      const isOpen = row.state === "owed" || row.state === "sending";
      // The last state of a message that changes all the time is always owed.
      if (isOpen && (row.kind === "edit" || row.created_at >= before)) continue;
      if (isOpen) faults.push(`${about} is still ${row.state}`);
      else if (row.state !== "sent" && row.last_error === null) faults.push(`${about} is ${row.state} for no reason`);
      else if (row.state === "sent" && row.kind === "message" && row.receipt === null) {
        faults.push(`${about} was sent without a receipt`);
      }
      if (row.state === "dead") faults.push(`${about} was given up: ${row.last_error}`);
    }
    for (const [destination, there] of heard) {
      const here = rows.filter((row) => row.destination === destination && row.kind === "message");
      faults.push(...compare(there, here));
    }
    return { deliveries: rows.length, faults };
  } finally {
    database.close();
  }
}

interface DeliveryLine {
  readonly id: string;
  readonly destination: string;
  readonly platform: string;
  readonly kind: string;
  readonly phase: string;
  readonly state: string;
  readonly seq: number;
  readonly last_error: string | null;
  readonly uncertain_since: number | null;
  readonly created_at: number;
  readonly receipt: string | null;
}

function compare(there: Heard, rows: readonly DeliveryLine[]): string[] {
  const faults: string[] = [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const first = [...new Set(there.messages.map(({ delivery }) => delivery))];
  const standing = new Set(first);
  for (const { id, state, phase } of rows) {
    if (state === "sent" && !standing.has(id)) faults.push(`${there.name}: ${phase} ${id} was sent and is not there`);
  }
  let last = 0;
  for (const id of first) {
    const row = byId.get(id);
    if (row === undefined) faults.push(`${there.name}: ${id} stands there and is not in the ledger`);
    else if (row.seq < last) faults.push(`${there.name}: ${row.phase} ${id} stands out of order`);
    last = row?.seq ?? last;
  }
  for (const [id, all] of Map.groupBy(there.messages, ({ delivery }) => delivery)) {
    if (all.length > 1 && byId.get(id)?.uncertain_since === null) {
      faults.push(`${there.name}: ${id} was repeated though its outcome was known`);
    }
  }
  return faults;
}
