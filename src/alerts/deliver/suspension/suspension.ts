// A platform that refuses the bot's token (or that of one workspace, where each has its own), or a destination that cannot
// be reached, is suspended: its deliveries wait, and none is lost. After a day, or at once if the bot was removed, its
// subscriptions end; they come back by themselves once something arrives again. Read ../../route/suspension.ts (the stored state), suspension-notices.ts (who is told) and
// token-probe.ts (how a platform is asked about the token) next. A destination's own waiting deliveries are its probes.
import type { AlertTables } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import { isDrill } from "../../judge/drill.ts";
import { timeToText } from "../../judge/kinds/json-fields.ts";
import { unsentOn, waitingAt, waitingOn } from "../outbox/queries.ts";
import { deadLetterOwed, retryNow } from "../outbox/record.ts";
import { isAlive, Subscription, subscriptionRow } from "../../route/subscription.ts";
import type { SendError } from "../../sender.ts";
import { subscriptionLogLine } from "../../words/subscription-words.ts";
import { notifyResumed, notifySuspended, recipientKeys, type SuspensionDependencies } from "./suspension-notices.ts";
import {
  graceEndsAt,
  isOfToken,
  type Suspension,
  suspensionKey,
  type Suspensions,
  type SuspensionTarget,
} from "../../route/suspension.ts";
import { destinationKey } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";

/** The platform's refusal, and when in Unix milliseconds. */
type Refusal = SuspensionTarget & { readonly error: SendError; readonly at: Milliseconds };

/** The pauses between attempts at a destination are as long as it is suspended, within these bounds. */
const SHORTEST_PAUSE: Milliseconds = 60_000;
const LONGEST_PAUSE: Milliseconds = 3_600_000;

/** When a suspended destination is tried again. `random` is from 0 to below 1. */
export function nextAttemptAt({ since }: Pick<Suspension, "since">, at: Milliseconds, random: number): Milliseconds {
  const pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, at - since));
  return at + Math.round(pause * (1 - random / 4));
}

/** Whether deliveries to a destination wait for it: somebody is subscribed there, or it is the operators'. */
export async function isAwaited(
  tables: AlertTables,
  destination: string,
  dependencies: SuspensionDependencies,
): Promise<boolean> {
  if (recipientKeys(dependencies).includes(destination)) return true;
  return parse(await tables.subscriptions.list(destination)).some((one) => isAlive(one) && !isDrill(one));
}

/**
 * Records that a platform refuses the bot's token, or that of a workspace, or that a destination cannot be reached.
 * Operators are notified once, when it begins; its deliveries wait. What lasts for a day, or where the bot was removed,
 * ends all subscriptions there.
 */
export async function suspend(
  tables: AlertTables,
  suspensions: Suspensions,
  { error, at, ...target }: Refusal,
  dependencies: SuspensionDependencies,
): Promise<readonly Decision[]> {
  const known = suspensions.get(suspensionKey(target));
  // Somebody has subscribed there again meanwhile: it begins anew.
  const anew = known?.retired !== undefined && !isOfToken(target);
  const before = anew ? undefined : known;
  // A clock that was set back must not make the day longer.
  const since = Math.min(before?.since ?? at, at);
  const operator = error.operator ? { operator: true as const } : {};
  const suspension: Suspension = { ...before, ...target, since, why: error.message, ...operator };
  const begins = before === undefined ? [beginning(suspension)] : [];
  const alive = (await subscriptionsOf(tables, target)).filter((one) => isAlive(one) && !isDrill(one));
  const subscribers = alive.filter(({ personal }) => personal !== true).map(({ by }) => by.id);
  if (suspension.retired === undefined && (error.revoked || at >= graceEndsAt(suspension))) {
    const { lost, decisions } = await endSubscriptions(tables, suspension, alive, error.revoked, at, dependencies);
    const removed = error.revoked ? { removed: true as const } : {};
    const change = { what: "revoked", ...removed, ...lost } as const;
    await notifySuspended(tables, suspensions, suspension, change, subscribers, at, dependencies);
    await suspensions.put({ ...suspension, retired: { at, ...lost } }, at);
    return [...begins, ...decisions];
  }
  if (before === undefined) {
    const waiting = await waitingFor(tables, target);
    const change = { what: "refused", waiting, until: timeToText(fromMillis(graceEndsAt(suspension))) } as const;
    await notifySuspended(tables, suspensions, suspension, change, subscribers, at, dependencies);
  }
  if (before?.why !== suspension.why || before.since !== since) await suspensions.put(suspension, at);
  return begins;
}

/**
 * Records that a platform accepts the bot's token again, or that a destination can be reached: what waits there is
 * sent, and subscriptions that ended because of it alone come back, with a message to their channels. `gone` is how
 * many waiting messages arrived by now.
 */
export async function resume(
  tables: AlertTables,
  suspensions: Suspensions,
  { at, gone = 0, ...target }: SuspensionTarget & { readonly at: Milliseconds; readonly gone?: number },
  dependencies: SuspensionDependencies,
): Promise<readonly Decision[]> {
  const suspension = suspensions.get(suspensionKey(target));
  if (suspension === undefined) return [];
  await suspensions.drop(suspensionKey(target), at);
  const waiting = gone + (await waitingFor(tables, target));
  if (target.destination !== undefined) await retryNow(tables, destinationKey(target.destination), at);
  const lost = await unsentIn(tables, suspension);
  const back = (await subscriptionsOf(tables, target))
    // A channel that cannot be reached for a reason of its own stays lost.
    .filter(
      ({ state, destination }) => state === "retired" && suspensions.get(destinationKey(destination)) === undefined,
    )
    .flatMap(restoredSubscription);
  await tables.subscriptions.put(back.map(({ after }) => subscriptionRow(after, at)));
  const active = back.flatMap(({ after }) => (after.state === "active" ? [after] : []));
  await notifyResumed(tables, suspensions, suspension, { waiting, lost, back: back.length, active }, at, dependencies);
  return [
    isOfToken(target)
      ? {
          what: "token accepted",
          ...placeOf(target),
          detail: `${suspensionKey(target)}; subscriptions that came back: ${back.length}`,
        }
      : { what: "destination reached", destination: suspensionKey(target), detail: `${waiting} waited` },
    ...back.map(({ before, after }) => ({
      what: "subscription",
      network: after.network,
      destination: destinationKey(after.destination),
      detail: subscriptionLogLine(before, after, "Bellwether"),
    })),
  ];
}

function beginning(suspension: Suspension): Decision {
  const { why } = suspension;
  return isOfToken(suspension)
    ? { what: "token refused", ...placeOf(suspension), detail: `${suspensionKey(suspension)}: ${why}` }
    : { what: "destination unreachable", destination: suspensionKey(suspension), detail: why };
}

/** What happened to a workspace's token is for operators alone: no destination has its key. */
function placeOf(token: SuspensionTarget): { readonly destination?: string } {
  return token.workspace === undefined ? {} : { destination: suspensionKey(token) };
}

async function endSubscriptions(
  tables: AlertTables,
  suspension: Suspension,
  // A drill is over before anybody could mend it.
  alive: readonly Subscription[],
  revoked: boolean,
  at: Milliseconds,
  { newId }: SuspensionDependencies,
): Promise<{
  readonly lost: { readonly subscriptions: number; readonly unsent: number };
  readonly decisions: readonly Decision[];
}> {
  const { why: words } = suspension;
  const why = isOfToken(suspension)
    ? `${revoked ? "the bot was removed" : "the bot's token was refused for a day"} (${words}); it comes back once a token is accepted`
    : `it could not be reached for a day (${words}); let the bot in, then resume`;
  const retired = alive.map((one) => ({
    ...one,
    state: "retired" as const,
    why,
    returns: one.state === "paused" ? ("paused" as const) : ("active" as const),
  }));
  await tables.subscriptions.put(retired.map((one) => subscriptionRow(one, at)));
  await deadLetterOwed(tables, suspension, at, why, newId);
  // During a downtime, some of it may have expired.
  const unsent = sumOf([...(await unsentIn(tables, suspension)).values()]);
  const lost = { subscriptions: retired.length, unsent };
  const places = new Set(retired.map(({ destination }) => destinationKey(destination)));
  if (suspension.destination !== undefined) places.add(destinationKey(suspension.destination));
  const counts = `subscriptions ended: ${retired.length}; messages given up: ${unsent}`;
  const decisions = [
    ...(isOfToken(suspension)
      ? [
          {
            what: "platform lost",
            ...placeOf(suspension),
            detail: `${suspensionKey(suspension)}: ${why}; ${counts}`,
          },
        ]
      : []),
    ...[...places].map((destination) => ({ what: "destination lost", destination, detail: why })),
  ];
  return { lost, decisions };
}

function restoredSubscription(before: Subscription): { readonly before: Subscription; readonly after: Subscription }[] {
  const { returns, why: _why, over: _over, ...rest } = before;
  return returns === undefined ? [] : [{ before, after: { ...rest, state: returns } }];
}

async function subscriptionsOf(tables: AlertTables, target: SuspensionTarget): Promise<Subscription[]> {
  if (target.destination !== undefined) {
    return parse(await tables.subscriptions.list(destinationKey(target.destination)));
  }
  const { platform, workspace } = target;
  return parse(await tables.subscriptions.list()).filter(
    ({ destination }) =>
      destination.platform === platform && (workspace === undefined || destination.workspace === workspace),
  );
}

function parse(rows: readonly { readonly data: string }[]): Subscription[] {
  return rows.map(({ data }) => Subscription.parse(JSON.parse(data)));
}

function waitingFor(tables: AlertTables, { destination, ...token }: SuspensionTarget): Promise<number> {
  return destination === undefined ? waitingOn(tables, token) : waitingAt(tables, destinationKey(destination));
}

/** How many messages were dead-lettered since it began, by destination. */
async function unsentIn(
  tables: AlertTables,
  { destination, since, ...token }: Suspension,
): Promise<ReadonlyMap<string, number>> {
  const all = await unsentOn(tables, token, since);
  if (destination === undefined) return all;
  const key = destinationKey(destination);
  return new Map([[key, all.get(key) ?? 0]]);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
