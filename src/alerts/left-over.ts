import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { GIVE_UP_AFTER } from "./back-off.ts";
import type { Decision } from "./owed.ts";
import { giveUp } from "./settle.ts";
import { logDecisions } from "./write-owed.ts";

/** What a process that died was sending may have arrived: nobody will ever know. */
export async function recover(tables: AlertTables, at: Milliseconds): Promise<void> {
  const left = await tables.outbox.recover();
  const decisions = left.map((row) => ({
    what: "outcome unknown",
    destination: row.destination,
    delivery: row.id,
    ...(row.episode === null ? {} : { episode: row.episode }),
    detail: `attempt ${row.attempts}: the process ended while it was being sent`,
  }));
  await logDecisions(tables, decisions, at);
}

/** What no sender has taken for a day is given up like everything else. */
export async function sweep(
  tables: AlertTables,
  at: Milliseconds,
  decisions: Decision[],
  newId: () => string,
): Promise<void> {
  for (const row of await tables.outbox.overdue(at - GIVE_UP_AFTER, 500)) {
    const why = row.last_error ?? "nothing could send it";
    await giveUp(tables, { ...row, last_error: why }, at, newId);
    const about = { destination: row.destination, delivery: row.id };
    decisions.push({ what: "dead letter", ...about, detail: `after a day: ${why}` });
  }
}
