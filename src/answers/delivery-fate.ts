import type { LoggedDelivery, ReceiptRow } from "../store/alert-ports.ts";
import { formatDuration, type Milliseconds } from "../units/duration.ts";

/** What became of a delivery, or is becoming of it. */
export interface DeliverySummary {
  readonly at: Milliseconds;
  readonly word: string;
  /** Which attempt, how long it took, the platform's own id of the message, the last error. */
  readonly detail: string;
}

/** Pure and total. */
export function summarizeDelivery(row: LoggedDelivery, receipt: ReceiptRow | undefined): DeliverySummary {
  const at = row.settled_at ?? row.attempted_at ?? row.created_at;
  const tries = `attempt ${row.attempts}${errorWords(row)}`;
  switch (row.state) {
    case "owed":
      return { at: row.created_at, word: "owed", detail: row.attempts === 0 ? "not tried yet" : tries };
    case "sending":
      return { at, word: "being sent", detail: tries };
    case "sent": {
      const arrived = receipt?.at ?? at;
      // The console has no ids of its own.
      const message = receipt === undefined || receipt.message === row.id ? "" : `, message ${receipt.message}`;
      const after = formatDuration(Math.max(0, arrived - row.created_at));
      const unsure = row.uncertain_since === null ? "" : ", may have come twice";
      return { at: arrived, word: "sent", detail: `${tries}, after ${after}${message}${unsure}` };
    }
    case "dead":
      return { at, word: "given up", detail: tries };
    case "merged":
      return { at, word: "said by another message", detail: "" };
    case "dropped":
      return { at, word: "no longer needed", detail: "" };
  }
}

export function errorWords({ last_error: error }: LoggedDelivery): string {
  return error === null ? "" : `, last error: ${error}`;
}
