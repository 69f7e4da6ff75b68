import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Decision } from "../outbox/batch.ts";
import { logDecisions } from "../outbox/decision-log.ts";
import { UNREACHED, UNSENT } from "../outbox/notification-state.ts";
import { deadLetter } from "../outbox/record.ts";
import { DEAD_LETTER_AFTER } from "../outbox/retry-policy.ts";
import { type PlatformSuspensions, revokedAt } from "../suspension/platform-suspension.ts";

/** Puts deliveries that a crashed process was sending back into the outbox; their outcome is unknown. */
export async function recoverUnfinished(tables: AlertTables, at: Milliseconds): Promise<void> {
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

/** A platform that is probed once a minute has answered by then whether it still refuses the token. */
const PROBED_WITHIN: Milliseconds = 300_000;

/**
 * Dead-letters deliveries that no sender has taken for a day. With a sender, each is dead-lettered by a failed attempt
 * of its own, also after a downtime of more than a day. On a suspended platform they wait for the suspension to end.
 */
export async function expireOverdue(
  tables: AlertTables,
  at: Milliseconds,
  newId: () => string,
  suspensions: Pick<PlatformSuspensions, "all" | "get">,
  served: readonly string[],
): Promise<readonly Decision[]> {
  const open = suspensions.all().filter((one) => one.retired === undefined && at < revokedAt(one) + PROBED_WITHIN);
  const tried = served.filter((platform) => suspensions.get(platform) === undefined);
  const except = [...open.map(({ platform }) => platform), ...tried];
  const decisions: Decision[] = [];
  for (const row of await tables.outbox.overdue(at - DEAD_LETTER_AFTER, 500, except)) {
    const refused = suspensions.get(row.platform)?.why;
    const why = row.last_error ?? refused ?? "nothing could send it";
    await deadLetter(tables, { ...row, last_error: why }, at, newId, refused === undefined ? UNSENT : UNREACHED);
    const about = { destination: row.destination, delivery: row.id };
    decisions.push({ what: "dead letter", ...about, detail: `after a day: ${why}` });
  }
  return decisions;
}
