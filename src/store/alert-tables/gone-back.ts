// A database that is as it was some time ago: after a failover to a server that was behind, or a restoration. What it
// owes may have been told since, and so may what is planned again until the watchers have caught up.
import type { Milliseconds } from "../../units/time.ts";
import { POSITIONS, REPEATS_UNTIL, REVISION_COUNTER, TURN } from "../queries.ts";

/** How long what a database has lost is at most told again: after more, durations begin anew. */
const LONGEST_LOSS: Milliseconds = 600_000;
/** How long the watchers take to catch up by default: three of their slowest rounds. */
export const CATCH_UP: Milliseconds = 180_000;

/** More than any process remembers beyond what the database has. */
export const RAISED_BY = 1_000_000;

/** When the database was written last, in Unix milliseconds, as a query for either engine. */
export const LAST_WRITTEN = "select max(at) as at from watcher_snapshots";

/** For either engine, and for earlier schemas: what is owed was perhaps sent. */
export const MARK_OWED = `update alert_deliveries
  set uncertain_since = coalesce(uncertain_since, attempted_at, created_at) where state in ('owed', 'sending')`;

/** For either engine: what is planned soon was perhaps told, and no number is given again. */
export function markPlanned(lost: Milliseconds, now: Milliseconds, catchUp: Milliseconds): readonly string[] {
  const until = Math.ceil(now + Math.min(lost, LONGEST_LOSS) + catchUp);
  const raised = [TURN, POSITIONS, REVISION_COUNTER].map((name) => `'${name}'`).join(", ");
  return [
    `insert into alert_counters (name, value) values ('${REPEATS_UNTIL}', ${until})
      on conflict (name) do update set value = excluded.value`,
    `update alert_counters set value = value + ${RAISED_BY} where name in (${raised})`,
  ];
}

/** How long ago a database was written last. */
export function lostSince(last: Milliseconds | null | undefined, now: Milliseconds): Milliseconds {
  return Math.max(0, now - (last ?? now));
}
