import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Decision } from "../outbox/batch.ts";
import { UNREACHED, UNSENT } from "../outbox/notification-state.ts";
import { logDecisions } from "../outbox/outbox.ts";
import { DEAD_LETTER_AFTER } from "../outbox/retry-policy.ts";
import { type PlatformSuspensions, revokedAt } from "../suspension/platform-suspension.ts";
import { deadLetter } from "./record-result.ts";

/** What a process that died was sending may have arrived: nobody will ever know. */
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

/** A platform that is asked once a minute has said by then whether it still refuses the token. */
const PROBED_WITHIN: Milliseconds = 300_000;

/**
 * What nobody delivers is given up after a day, like everything else. Where somebody does, each is given up by a try of
 * its own, also after an absence of more than a day. What a platform keeps back that refuses the bot's token shares the
 * fate of all that is owed there, as long as that is open.
 */
export async function expireOverdue(
  tables: AlertTables,
  at: Milliseconds,
  decisions: Decision[],
  newId: () => string,
  refusals: Pick<PlatformSuspensions, "all" | "get">,
  served: readonly string[],
): Promise<void> {
  const open = refusals.all().filter((one) => one.retired === undefined && at < revokedAt(one) + PROBED_WITHIN);
  const tried = served.filter((platform) => refusals.get(platform) === undefined);
  const except = [...open.map(({ platform }) => platform), ...tried];
  for (const row of await tables.outbox.overdue(at - DEAD_LETTER_AFTER, 500, except)) {
    const refused = refusals.get(row.platform)?.why;
    const why = row.last_error ?? refused ?? "nothing could send it";
    await deadLetter(tables, { ...row, last_error: why }, at, newId, refused === undefined ? UNSENT : UNREACHED);
    const about = { destination: row.destination, delivery: row.id };
    decisions.push({ what: "dead letter", ...about, detail: `after a day: ${why}` });
  }
}
