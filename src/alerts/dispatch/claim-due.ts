import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Decision } from "../outbox/batch.ts";
import { type Claim, claim, joinClaims } from "../outbox/claim.ts";
import { expire } from "../outbox/record.ts";
import type { Sender } from "../sender.ts";
import { resume } from "../suspension/suspension.ts";
import type { SuspensionDependencies } from "../suspension/suspension-notices.ts";
import { graceEndsAt, isOfPlatform, type Suspensions } from "../suspension/suspension-record.ts";

/** Each goes to another destination: one that hangs or fails says nothing about the token. */
const TRIALS_AT_ONCE = 5;
/** A dropped delivery proves nothing: the next ones are claimed instead, at most this often. */
const MAX_TRIAL_CLAIMS = 20;

interface ClaimDependencies extends SuspensionDependencies {
  readonly senders: readonly Sender[];
  /** How many more sends of it may run. */
  readonly free: (sender: Sender) => number;
  /** This process. */
  readonly self: string;
  /** Nothing is being sent. */
  readonly isIdle: boolean;
  readonly suspensions: Suspensions;
  /** The suspended platforms that say that they accept the token again. */
  readonly accepted: ReadonlySet<string>;
}

/** Claims what is due for all senders; on a suspended platform only trials, once it says that it accepts the token. */
export async function claimDue(tables: AlertTables, at: Milliseconds, dependencies: ClaimDependencies): Promise<Claim> {
  const { senders, free, isIdle, suspensions, accepted, newId, self } = dependencies;
  const { open = [], suspended = [] } = Object.groupBy(senders, ({ platform }) =>
    suspensions.get(platform) === undefined ? "open" : "suspended",
  );
  const claims: Claim[] = [];
  for (const sender of suspended) {
    if (accepted.has(sender.platform)) claims.push(await claimTrial(tables, sender, at, dependencies));
  }
  const wanted = open.map((sender) => ({ sender, limit: free(sender) }));
  return joinClaims([...claims, await claim(tables, wanted, at, newId, self, isIdle)]);
}

/** Claims a few trials; if nothing is due there, the platform resumes at once. */
async function claimTrial(
  tables: AlertTables,
  sender: Sender,
  at: Milliseconds,
  dependencies: ClaimDependencies,
): Promise<Claim> {
  const claims: Claim[] = [];
  for (let tries = 0; tries < MAX_TRIAL_CLAIMS; tries += 1) {
    const one = await claim(tables, [{ sender, limit: TRIALS_AT_ONCE }], at, dependencies.newId, dependencies.self);
    claims.push({ ...one, full: [] });
    if (one.claimed.length > 0) break;
    if (one.dropped) continue;
    const platform = { platform: sender.platform, at };
    const decisions = await resume(tables, dependencies.suspensions, platform, dependencies);
    claims.push({ ...joinClaims([]), decisions });
    break;
  }
  return joinClaims(claims);
}

/** A platform that is probed once a minute has answered by then whether it still refuses the token. */
const PROBED_WITHIN: Milliseconds = 300_000;

/**
 * Dead-letters deliveries that no sender has taken for a day. With a sender, each is dead-lettered by a failed attempt
 * of its own, also after a downtime of more than a day. On a suspended platform they wait for the suspension to end.
 */
export function expireOverdue(
  tables: AlertTables,
  at: Milliseconds,
  newId: () => string,
  suspensions: Pick<Suspensions, "all" | "get">,
  served: readonly string[],
): Promise<readonly Decision[]> {
  const open = suspensions
    .all()
    .filter((one) => isOfPlatform(one) && one.retired === undefined && at < graceEndsAt(one) + PROBED_WITHIN);
  const tried = served.filter((platform) => suspensions.get(platform) === undefined);
  const except = [...open.map(({ platform }) => platform), ...tried];
  return expire(tables, at, newId, except, (platform) => suspensions.get(platform)?.why);
}
