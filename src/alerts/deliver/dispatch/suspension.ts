// A platform that refuses the bot's token (or that of one workspace, where each has its own), or a destination that cannot
// be reached, is suspended: its deliveries wait, and none is lost. After a day, or at once if the bot was removed, its
// subscriptions end; they come back by themselves once something arrives again. Here is what follows from a refusal and
// from its end, with who is told. The state of each, and when it is tried next: ../../route/suspension.ts. How a token is
// asked about: ask-token.ts.
import type { AlertTables } from "../../../store/alert-tables/alert-tables.ts";
import { fromMillis, type Milliseconds } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { type Destination, destinationKey, type Platforms } from "../../destination.ts";
import { isDrill } from "../../judge/rules/episode.ts";
import type { Decision } from "../../judge/judge.ts";
import { timeToText } from "../../judge/kinds/kind.ts";
import type { TokenMessage } from "../../message/message.ts";
import { isAlive, parseSubscription, type Subscription, subscriptionRow } from "../../route/subscription.ts";
import {
  afterRefusal,
  DEAD_LETTER_AFTER,
  graceEndsAt,
  isOfToken,
  nextTryAt,
  type Suspension,
  suspensionKey,
  type Suspensions,
  type SuspensionTarget,
  tokenScope,
} from "../../route/suspension.ts";
import type { SendError } from "../../sender.ts";
import { subscriptionLogLine } from "../../words/subscription-words.ts";
import { noticeRecipients } from "../outbox/batch.ts";
import { enqueue } from "../outbox/outbox.ts";
import { unsentOn, waitingOn } from "../outbox/queries.ts";
import { deadLetterOwed } from "../outbox/record.ts";

/** Who is notified of suspensions. */
export interface SuspensionDependencies {
  readonly newId: () => string;
  readonly operators?: Destination;
  readonly console?: Destination;
  /** To tell people by direct message; without it they are not told. */
  readonly platforms?: Platforms;
}

/** The same within a transaction. */
export interface SuspensionContext extends SuspensionDependencies {
  readonly tables: AlertTables;
  readonly suspensions: Suspensions;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** The platform's refusal, and when in Unix milliseconds. */
type Refusal = SuspensionTarget & { readonly error: SendError; readonly at: Milliseconds };

/** Forgets lost destinations, for which nothing is owed any more, once nobody is subscribed there. */
export async function forgetLost(at: Milliseconds, context: SuspensionContext): Promise<void> {
  const { tables, suspensions } = context;
  for (const one of suspensions.all()) {
    if (isOfToken(one) || one.retired === undefined || at < one.retired.at + DEAD_LETTER_AFTER) continue;
    const isListed = (await subscriptionsOf(tables, one)).some((of) => isAlive(of) || of.state === "retired");
    if (!isListed && !(await isAwaited(one, context))) suspensions.drop(suspensionKey(one));
  }
}

/** Whether deliveries wait for a target: somebody is subscribed there, or it is the operators'. */
export async function isAwaited(target: SuspensionTarget, context: SuspensionContext): Promise<boolean> {
  const key = suspensionKey(target);
  if (noticeRecipients(context).some((one) => destinationKey(one) === key)) return true;
  return (await aliveAt(context.tables, target)).length > 0;
}

/**
 * Records that a platform refuses the bot's token, or that of a workspace, or that a destination cannot be reached.
 * Operators are notified once, when it begins; its deliveries wait. What lasts for a day, or where the bot was removed,
 * ends all subscriptions there.
 */
export async function suspend(
  { error, at, ...target }: Refusal,
  context: SuspensionContext,
): Promise<readonly Decision[]> {
  const { tables, suspensions, random } = context;
  const known = suspensions.get(suspensionKey(target));
  // Somebody has subscribed there again meanwhile: it begins anew.
  const isAnew = known?.retired !== undefined && !isOfToken(target) && (await isAwaited(target, context));
  const before = isAnew ? undefined : known;
  const refused = afterRefusal(before, target, error, at);
  const suspension = { ...refused, nextAt: nextTryAt(refused, at, random) };
  suspensions.put(suspension);
  const begins = before === undefined ? [beginning(suspension)] : [];
  const ends = suspension.retired === undefined && (error.revoked || at >= graceEndsAt(suspension));
  if (before !== undefined && !ends) return [];
  const alive = await aliveAt(tables, target);
  const to = [...operatorsFor(suspension, context), ...peopleFor(suspension, alive, context)];
  if (ends) {
    const { lost, decisions } = await endSubscriptions(suspension, alive, error.revoked, at, context);
    const change = { what: "revoked", ...(error.revoked ? { removed: true as const } : {}), ...lost } as const;
    await send(suspension, to, change, at, context);
    // The first question comes as soon as after any other refusal: an app that was removed by mistake soon comes back.
    suspensions.put({ ...suspension, retired: { at, ...lost } });
    return [...begins, ...decisions];
  }
  const waiting = await waitingOn(tables, suspensionKey(target));
  const change = { what: "refused", waiting, until: timeToText(fromMillis(graceEndsAt(suspension))) } as const;
  await send(suspension, to, change, at, context);
  return begins;
}

/**
 * Records that a platform accepts the bot's token again, or that a destination can be reached: what waits there is
 * sent, and subscriptions that ended because of it alone come back, with a message to their channels. `gone` is how
 * many waiting messages arrived by now.
 */
export async function resume(
  { at, gone = 0, ...target }: SuspensionTarget & { readonly at: Milliseconds; readonly gone?: number },
  context: SuspensionContext,
): Promise<readonly Decision[]> {
  const { tables, suspensions } = context;
  const key = suspensionKey(target);
  const suspension = suspensions.get(key);
  if (suspension === undefined) return [];
  suspensions.drop(key);
  const waiting = gone + (await waitingOn(tables, key));
  const lost = await unsentOn(tables, key, suspension.since);
  const changes = (await subscriptionsOf(tables, target))
    // A channel that cannot be reached for a reason of its own stays lost.
    .filter(
      ({ state, destination }) => state === "retired" && suspensions.get(destinationKey(destination)) === undefined,
    )
    .flatMap(restoredSubscription);
  const back = changes.map(({ after }) => after);
  await tables.subscriptions.put(back.map((one) => subscriptionRow(one, at)));
  await notifyResumed(suspension, { waiting, lost, back }, at, context);
  return [
    isOfToken(target)
      ? {
          what: "token accepted",
          ...placeOf(target),
          detail: `${key}; subscriptions that came back: ${back.length}`,
        }
      : { what: "destination reached", destination: key, detail: `${waiting} waited` },
    ...changes.map(({ before, after }) => ({
      what: "subscription",
      network: after.network,
      destination: destinationKey(after.destination),
      detail: subscriptionLogLine(before, after, "Bellwether"),
    })),
  ];
}

function beginning(suspension: Suspension): Decision {
  const { why } = suspension;
  const key = suspensionKey(suspension);
  return isOfToken(suspension)
    ? { what: "token refused", ...placeOf(suspension), detail: `${key}: ${why}` }
    : { what: "destination unreachable", destination: key, detail: why };
}

/** What happened to a workspace's token is for operators alone: no destination has its key. */
function placeOf(token: SuspensionTarget): { readonly destination?: string } {
  return token.workspace === undefined ? {} : { destination: suspensionKey(token) };
}

async function endSubscriptions(
  suspension: Suspension,
  alive: readonly Subscription[],
  revoked: boolean,
  at: Milliseconds,
  { tables, newId }: SuspensionContext,
) {
  const { why: words, destination } = suspension;
  const key = suspensionKey(suspension);
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
  await deadLetterOwed(tables, key, at, why, newId);
  // During a downtime, some of it may have expired.
  const lostAt = await unsentOn(tables, key, suspension.since);
  const unsent = sumOf(lostAt);
  const lost = { subscriptions: retired.length, unsent };
  const places = new Set(retired.map((one) => destinationKey(one.destination)));
  if (destination !== undefined) places.add(key);
  const counts = `subscriptions ended: ${retired.length}; messages given up: ${unsent}`;
  const ended = { what: "platform lost", ...placeOf(suspension), detail: `${key}: ${why}; ${counts}` };
  const decisions: Decision[] = [
    ...(isOfToken(suspension) ? [ended] : []),
    ...[...places].map((place) => ({ what: "destination lost", destination: place, detail: why })),
  ];
  return { lost, decisions };
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}

function restoredSubscription(before: Subscription): { readonly before: Subscription; readonly after: Subscription }[] {
  const { returns, why: _why, over: _over, ...rest } = before;
  return returns === undefined ? [] : [{ before, after: { ...rest, state: returns } }];
}

/** A drill is over before anybody could mend it. */
async function aliveAt(tables: AlertTables, target: SuspensionTarget): Promise<Subscription[]> {
  return (await subscriptionsOf(tables, target)).filter((one) => isAlive(one) && !isDrill(one));
}

async function subscriptionsOf(tables: AlertTables, target: SuspensionTarget): Promise<Subscription[]> {
  const key = suspensionKey(target);
  const rows = await tables.subscriptions.list(isOfToken(target) ? undefined : key);
  return rows
    .filter(({ destination }) => destination === key || destination.startsWith(`${key}/`))
    .map(parseSubscription);
}

/** Notifies the operators that it is over, and the channels that alerts arrive there again. */
async function notifyResumed(
  suspension: Suspension,
  resumed: {
    readonly waiting: number;
    /** Messages that were dead-lettered, by destination. */
    readonly lost: ReadonlyMap<string, number>;
    /** The subscriptions that came back. */
    readonly back: readonly Subscription[];
  },
  at: Milliseconds,
  context: SuspensionContext,
): Promise<void> {
  const { waiting, lost, back } = resumed;
  const unsent = sumOf(lost);
  const known = isOfToken(suspension) ? noticeRecipients(context) : operatorsFor(suspension, context);
  await send(suspension, known, { what: "accepted", waiting, unsent, subscriptions: back.length }, at, context);
  const active = back.filter(({ state }) => state === "active");
  const places = new Map(active.map(({ destination }) => [destinationKey(destination), destination]));
  if (suspension.destination !== undefined) places.set(suspensionKey(suspension), suspension.destination);
  for (const one of known) places.delete(destinationKey(one));
  for (const [key, destination] of places) {
    const subscriptions = active.filter((one) => destinationKey(one.destination) === key).length;
    const change = { what: "back", unsent: lost.get(key) ?? 0, subscriptions } as const;
    await send(suspension, [destination], change, at, context);
  }
}

/**
 * The operators, where they can be reached: with the refused token the notice would wait for the suspension's end. A
 * reason that only they can mend, and that may hold for hundreds of channels, is told them once.
 */
function operatorsFor(suspension: Suspension, context: SuspensionContext): Destination[] {
  const all = noticeRecipients(context);
  const own = suspensionKey(suspension);
  if (isOfToken(suspension)) return all.filter((one) => !destinationKey(one).startsWith(`${own}/`));
  const isAlike = (other: Suspension): boolean =>
    suspensionKey(other) !== own &&
    other.operator === true &&
    other.platform === suspension.platform &&
    other.why === suspension.why;
  if (suspension.operator === true && context.suspensions.all().some(isAlike)) return [];
  return all.filter((one) => destinationKey(one) !== own);
}

/** The direct messages of those who subscribed a lost channel. */
function peopleFor(
  { platform, destination, operator }: Suspension,
  alive: readonly Subscription[],
  { platforms }: SuspensionContext,
): Destination[] {
  if (destination === undefined || operator === true) return [];
  const people = new Set(alive.flatMap(({ personal, by }) => (personal === true ? [] : [`user:${by.id}`])));
  people.delete(destination.channel);
  // Who subscribed it at the console or the terminal is nobody on the platform.
  const known = [...people].filter((person) => platforms?.chat(platform)?.parseMention(person, undefined) === person);
  return known.map((channel) => ({ ...tokenScope(destination), channel }));
}

async function send(
  { platform, destination: channel, workspace = channel?.workspace, since, why, operator }: Suspension,
  to: readonly Destination[],
  change: TokenMessage["change"],
  at: Milliseconds,
  { tables, newId }: SuspensionContext,
): Promise<void> {
  const message = {
    type: "token",
    platform,
    ...withoutUndefined({ workspace, channel: channel?.channel, operator }),
    why,
    since: timeToText(fromMillis(since)),
    at: timeToText(fromMillis(at)),
    change,
  } as const;
  const deliveries = to.map((destination) => ({ id: newId(), destination, phase: "bot", message }) as const);
  await enqueue(tables, { deliveries }, at);
}
