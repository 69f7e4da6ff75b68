import type { AlertTables } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { type Claim, claim, joinClaims } from "../outbox/claim.ts";
import { expire } from "../outbox/record.ts";
import type { Sender } from "../../sender.ts";
import { resume } from "../suspension/suspension.ts";
import type { SuspensionDependencies } from "../suspension/suspension-notices.ts";
import {
  graceEndsAt,
  isOfPlatform,
  isOfToken,
  type Suspension,
  suspensionKey,
  type Suspensions,
  tokenScope,
} from "../../route/suspension.ts";
import type { Decision } from "../../judge/judge.ts";

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
  /** The refused tokens, by key, that are said to be accepted again. */
  readonly accepted: ReadonlySet<string>;
}

/** Claims the due deliveries of all senders. Where a token is refused only trials, once a probe says it is accepted. */
export async function claimDue(tables: AlertTables, at: Milliseconds, dependencies: ClaimDependencies): Promise<Claim> {
  const { senders, free, isIdle, suspensions, accepted, newId, self } = dependencies;
  const claims: Claim[] = [];
  const wanted: Parameters<typeof claim>[1][number][] = [];
  for (const sender of senders) {
    const { platform } = sender;
    const refused = suspensions.get(platform);
    const workspaces = suspensions.workspacesOf(platform);
    for (const one of refused === undefined ? workspaces : [refused]) {
      if (accepted.has(suspensionKey(one))) claims.push(await claimTrial(tables, sender, one, at, dependencies));
    }
    const except = workspaces.map((one) => suspensionKey(one));
    if (refused === undefined) wanted.push({ sender, limit: free(sender), except });
  }
  return joinClaims([...claims, await claim(tables, wanted, at, newId, self, isIdle)]);
}

/** Claims a few trials; if nothing is due there, it resumes at once. */
async function claimTrial(
  tables: AlertTables,
  sender: Sender,
  suspension: Suspension,
  at: Milliseconds,
  dependencies: ClaimDependencies,
): Promise<Claim> {
  const token = suspensionKey(suspension);
  const claims: Claim[] = [];
  for (let tries = 0; tries < MAX_TRIAL_CLAIMS; tries += 1) {
    const one = await claim(
      tables,
      [{ sender, limit: TRIALS_AT_ONCE, token }],
      at,
      dependencies.newId,
      dependencies.self,
    );
    claims.push({ ...one, full: [] });
    if (one.claimed.length > 0) break;
    if (one.dropped) continue;
    const resumed = { ...tokenScope(suspension), at };
    const decisions = await resume(tables, dependencies.suspensions, resumed, dependencies);
    claims.push({ ...joinClaims([]), decisions });
    break;
  }
  return joinClaims(claims);
}

/** A token is probed once a minute: by then a probe has said whether it is still refused. */
const PROBED_WITHIN: Milliseconds = 300_000;

/**
 * Dead-letters deliveries that no sender has taken for a day. With a sender, each is dead-lettered by a failed attempt
 * of its own, also after a downtime of more than a day. A delivery that needs a refused token waits for the suspension
 * to end.
 */
export async function expireOverdue(
  tables: AlertTables,
  at: Milliseconds,
  newId: () => string,
  suspensions: Pick<Suspensions, "all" | "get" | "ofToken">,
  served: readonly string[],
): Promise<readonly Decision[]> {
  const waits = (one: Suspension): boolean => one.retired === undefined && at < graceEndsAt(one) + PROBED_WITHIN;
  const refused = suspensions.all().filter(isOfToken);
  const open = refused.filter((one) => isOfPlatform(one) && waits(one));
  const tried = served.filter((platform) => suspensions.get(platform) === undefined);
  const except = [...open.map(({ platform }) => platform), ...tried];
  const why = (destination: string): string | undefined => suspensions.ofToken(destination)?.why;
  const decisions = [...(await expire(tables, at, newId, { except }, why))];
  // On a platform that is served, nobody tries what needs the token of a suspended workspace.
  for (const one of refused.filter((token) => !isOfPlatform(token) && !waits(token))) {
    if (!except.includes(one.platform)) continue;
    decisions.push(...(await expire(tables, at, newId, { token: suspensionKey(one) }, why)));
  }
  return decisions;
}
