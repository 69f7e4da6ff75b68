import type { Milliseconds } from "../../../units/time.ts";
import { claim } from "../outbox/claim.ts";
import { expire } from "../outbox/record.ts";
import type { Sender } from "../../sender.ts";
import { forgetLost, resume, type SuspensionContext } from "./suspension.ts";
import { graceEndsAt, isOfPlatform, isOfToken, isTryDue, suspensionKey, tokenScope } from "../../route/suspension.ts";
import type { Decision } from "../../judge/judge.ts";

/** Each goes to another destination: one that hangs or fails says nothing about the token. */
const TRIALS_AT_ONCE = 5;

interface ClaimContext extends SuspensionContext {
  readonly senders: readonly Sender[];
  /** How many more sends of it may run. */
  readonly free: (sender: Sender) => number;
  /** This process. */
  readonly self: string;
  /** Nothing is being sent. */
  readonly isIdle: boolean;
}

/**
 * Claims the due deliveries of all senders. Where a token is refused only a few as probes, once the platform says that it
 * accepts it; if nothing is due there, it resumes at once.
 */
export async function claimDue(at: Milliseconds, context: ClaimContext) {
  const { tables, senders, free, isIdle, suspensions, newId, self } = context;
  const waiting = suspensions.all().filter((one) => !isOfToken(one) && !isTryDue(one, at));
  const destinations = waiting.map(suspensionKey);
  const wanted: Parameters<typeof claim>[1][number][] = [];
  for (const sender of senders) {
    const refused = suspensions.tokensOf(sender.platform);
    for (const one of refused.filter(({ accepted }) => accepted === true)) {
      wanted.push({ sender, limit: TRIALS_AT_ONCE, probeOf: suspensionKey(one), except: { destinations } });
    }
    if (refused.some(isOfPlatform)) continue;
    wanted.push({ sender, limit: free(sender), except: { tokens: refused.map(suspensionKey), destinations } });
  }
  const claimed = await claim(tables, wanted, at, newId, self, isIdle);
  const decisions = [...claimed.decisions];
  for (const key of wanted.flatMap(({ probeOf }) => probeOf ?? [])) {
    const suspension = suspensions.get(key);
    if (suspension === undefined) continue;
    const { accepted: _accepted, ...tried } = suspension;
    const isTried = claimed.claimed.some(({ row, probe }) => probe === true && row.destination.startsWith(`${key}/`));
    if (isTried) suspensions.put(tried);
    // A dropped delivery proves nothing: the next ones are claimed at once.
    else if (!claimed.dropped) decisions.push(...(await resume({ ...tokenScope(suspension), at }, context)));
  }
  return { ...claimed, decisions };
}

/** A refused token is asked about at least so often: by then it is known whether it is still refused. */
const ASKED_WITHIN: Milliseconds = 300_000;

/**
 * Dead-letters deliveries that no sender has taken for a day. With a sender, each is dead-lettered by a failed attempt
 * of its own, also after a downtime of more than a day. A delivery that needs a refused token waits for the suspension
 * to end, for a day as well.
 */
export async function expireOverdue(
  at: Milliseconds,
  context: SuspensionContext,
  served: readonly string[],
): Promise<readonly Decision[]> {
  const { tables, newId, suspensions } = context;
  const why = (destination: string): string | undefined => suspensions.ofToken(destination)?.why;
  await forgetLost(at, context);
  const decisions = [...(await expire(tables, at, newId, { except: served }, why))];
  for (const one of suspensions.all().filter(isOfToken)) {
    if (one.retired === undefined && at < graceEndsAt(one) + ASKED_WITHIN) continue;
    decisions.push(...(await expire(tables, at, newId, { token: suspensionKey(one) }, why)));
  }
  return decisions;
}
