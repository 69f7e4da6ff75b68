import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { type Claim, claim, joinClaims } from "../outbox/claim.ts";
import type { Sender } from "../sender.ts";
import type { PlatformSuspensions } from "../suspension/platform-suspension.ts";
import { resumePlatform, type SuspensionDependencies } from "../suspension/suspension.ts";

/** Each goes to another destination: one that hangs or fails says nothing about the token. */
const TRIALS_AT_ONCE = 5;
/** A dropped delivery proves nothing: the next ones are claimed instead, at most this often. */
const MAX_TRIAL_CLAIMS = 20;

interface ClaimDependencies extends SuspensionDependencies {
  readonly senders: readonly Sender[];
  /** How many more sends of it may run. */
  readonly free: (sender: Sender) => number;
  /** Nothing is being sent. */
  readonly isIdle: boolean;
  readonly suspensions: PlatformSuspensions;
  /** The suspended platforms that say that they accept the token again. */
  readonly accepted: ReadonlySet<string>;
}

/** Claims what is due for all senders; on a suspended platform only trials, once it says that it accepts the token. */
export async function claimDue(tables: AlertTables, at: Milliseconds, dependencies: ClaimDependencies): Promise<Claim> {
  const { senders, free, isIdle, suspensions, accepted, newId } = dependencies;
  const { open = [], suspended = [] } = Object.groupBy(senders, ({ platform }) =>
    suspensions.get(platform) === undefined ? "open" : "suspended",
  );
  const claims: Claim[] = [];
  for (const sender of suspended) {
    if (accepted.has(sender.platform)) claims.push(await claimTrial(tables, sender, at, dependencies));
  }
  const wanted = open.map((sender) => ({ sender, limit: free(sender) }));
  return joinClaims([...claims, await claim(tables, wanted, at, newId, isIdle)]);
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
    const one = await claim(tables, [{ sender, limit: TRIALS_AT_ONCE }], at, dependencies.newId);
    claims.push({ ...one, full: [] });
    if (one.claimed.length > 0) break;
    if (one.dropped) continue;
    const platform = { platform: sender.platform, at };
    const decisions = await resumePlatform(tables, dependencies.suspensions, platform, dependencies);
    claims.push({ ...joinClaims([]), decisions });
    break;
  }
  return joinClaims(claims);
}
