import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/time.ts";
import { type AlertDependencies, randomId } from "../dependencies.ts";
import { noticeRecipients, type Plan, planNotice } from "../deliver/outbox/batch.ts";
import { isSilenceActive, type Silence, silenceRow } from "../route/silence.ts";

/** While a silence holds, the operators are notified of it this often. */
const NOTICE_EVERY: Milliseconds = 86_400_000;

/**
 * Names the silences that hold to the operators, once a day as long as one holds: a forgotten silence looks like a
 * network without trouble. Stores when they were named.
 */
export async function planSilenceNotice(
  dependencies: AlertDependencies,
  tables: AlertTables,
  all: readonly Silence[],
  at: Milliseconds,
): Promise<Plan> {
  const { simulated, newId = randomId } = dependencies;
  const recipients = noticeRecipients(dependencies);
  const holding = all.filter((one) => isSilenceActive(one, at));
  if (recipients.length === 0 || !holding.some((one) => isNoticeDue(one, at))) return {};
  const silences = holding.map((one): Silence => ({ ...one, noticed: at }));
  for (const one of silences) await tables.subscriptions.putSilence(silenceRow(one));
  const marks = simulated.size > 0 ? { simulated: true as const } : {};
  return { deliveries: planNotice(recipients, { about: "silences", silences }, at, newId, marks) };
}

function isNoticeDue({ from, created, noticed }: Silence, at: Milliseconds): boolean {
  return at - (noticed ?? Math.max(from, created)) >= NOTICE_EVERY;
}
