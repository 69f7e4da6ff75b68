import type { AlertTables, DeliveryRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis, toMillis } from "../../units/nanoseconds.ts";
import { isDrill } from "../drill.ts";
import { timeFromText, timeToText } from "../kinds/json-fields.ts";
import { type Decision, OutboxBatch } from "../outbox/batch.ts";
import type { TokenMessage } from "../outbox/message.ts";
import { revertAllUnsent } from "../outbox/notification-state.ts";
import { fanOutAll, subscriptionRow, writeBatch } from "../outbox/outbox.ts";
import { destinationKey, isAlive, Subscription } from "../routing/subscription.ts";
import type { Destination, SendError } from "../sender.ts";
import { subscriptionLogLine } from "../wording/silence-words.ts";
import { type PlatformSuspension, type PlatformSuspensions, revokedAt } from "./platform-suspension.ts";

/** Who hears of what befalls a platform. */
export interface SuspensionDependencies {
  readonly newId: () => string;
  readonly operators?: Destination;
  readonly console?: Destination;
}

/** What the platform said, and when in Unix milliseconds. */
export interface TokenRefusal {
  readonly platform: string;
  readonly error: SendError;
  readonly at: Milliseconds;
}

/**
 * A platform has refused the bot's token. That is told once, when it begins; what is owed there waits. A token that is
 * still refused after a day, or whose bot was removed, ends all subscriptions of the platform at once: a process has
 * one token for each, whatever workspaces there are.
 */
export async function suspendPlatform(
  tables: AlertTables,
  refusals: PlatformSuspensions,
  { platform, error, at }: TokenRefusal,
  parts: SuspensionDependencies,
  decisions: Decision[],
): Promise<PlatformSuspension> {
  const before = refusals.get(platform);
  // A clock that was set back must not make the day longer.
  const since = Math.min(before?.since ?? at, at);
  const refusal: PlatformSuspension = { ...before, platform, since, why: error.message };
  if (before === undefined) decisions.push({ what: "token refused", detail: `${platform}: ${error.message}` });
  if (refusal.retired === undefined && (error.revoked || at >= revokedAt(refusal))) {
    const retired = { at, ...(await endSubscriptions(tables, refusal, error.revoked, at, parts, decisions)) };
    await refusals.put({ ...refusal, retired }, at);
    return { ...refusal, retired };
  }
  if (before?.why !== refusal.why || before.since !== since) await refusals.put(refusal, at);
  if (before === undefined) {
    const waiting = await waitingOn(tables, platform);
    const change = { what: "refused", waiting, until: textOf(revokedAt(refusal)) } as const;
    await notifyElsewhere(tables, tokenMessage(refusal, at, change), parts);
  }
  return refusal;
}

/**
 * A platform takes the bot's token again: what waits there goes, and what ended because of the token alone goes on, its
 * channels being told so. `gone` says how many of what waited have arrived by now.
 */
export async function resumePlatform(
  tables: AlertTables,
  refusals: PlatformSuspensions,
  { platform, at, gone = 0 }: { readonly platform: string; readonly at: Milliseconds; readonly gone?: number },
  parts: SuspensionDependencies,
  decisions: Decision[],
): Promise<void> {
  const refusal = refusals.get(platform);
  if (refusal === undefined) return;
  await refusals.drop(platform, at);
  await fanOutAll(tables, parts.newId);
  const waiting = gone + (await waitingOn(tables, platform));
  const lost = new Map(
    (await tables.outbox.countDeadLetters(platform, refusal.since)).map((row) => [row.destination, row.count]),
  );
  const unsent = sumOf([...lost.values()]);
  const back = (await subscriptionsOn(tables, platform))
    .filter(({ state }) => state === "retired")
    .flatMap(restoredSubscription);
  await tables.subscriptions.put(back.map(({ after }) => subscriptionRow(after, at)));
  decisions.push({ what: "token accepted", detail: `${platform}; subscriptions that came back: ${back.length}` });
  for (const { before, after } of back) {
    const destination = destinationKey(after.destination);
    const detail = subscriptionLogLine(before, after, "Bellwether");
    decisions.push({ what: "subscription", network: after.network, destination, detail });
  }
  const change = { what: "accepted", waiting, unsent, subscriptions: back.length } as const;
  const book = new OutboxBatch();
  const say = (said: TokenMessage["change"], destination: Destination): void =>
    void book.deliveries.push({
      id: parts.newId(),
      destination,
      phase: "bot",
      message: tokenMessage(refusal, at, said),
    });
  for (const destination of recipients(parts)) say(change, destination);
  const known = new Set(recipients(parts).map((one) => destinationKey(one)));
  const active = back.flatMap(({ after }) => (after.state === "active" ? [after] : []));
  for (const [key, all] of Map.groupBy(active, ({ destination }) => destinationKey(destination))) {
    const [first] = all;
    if (first === undefined || known.has(key)) continue;
    say({ what: "back", unsent: lost.get(key) ?? 0, subscriptions: all.length }, first.destination);
  }
  await writeBatch(tables, book, at, parts.newId);
}

/**
 * Of what a platform is owed as it is retired, what ends with it. The end of what was told there, or may have been, is
 * none of it: once a token is accepted nobody is to go on believing in an alert that is over.
 */
function deliveriesToDrop(owed: readonly DeliveryRow[]): DeliveryRow[] {
  const placeOf = ({ episode, destination }: DeliveryRow): string => JSON.stringify([episode, destination]);
  const unsaid = new Set(
    owed.filter(({ phase, uncertain_since }) => phase === "trigger" && uncertain_since === null).map(placeOf),
  );
  return owed.filter((row) => !isEndNotice(row) || unsaid.has(placeOf(row)));
}

/** Whether it says that a condition is over, or how it stands in the message that told of it. */
export function isEndNotice({ phase, episode }: Pick<DeliveryRow, "phase" | "episode">): boolean {
  return episode !== null && (phase === "resolve" || phase === "state");
}

async function deadLetterAll(
  tables: AlertTables,
  rows: readonly DeliveryRow[],
  at: Milliseconds,
  why: string,
): Promise<void> {
  await tables.outbox.deadLetter(
    rows.map(({ id }) => id),
    at,
    why,
  );
  await revertAllUnsent(tables, rows);
}

async function endSubscriptions(
  tables: AlertTables,
  { platform, since, why: words }: PlatformSuspension,
  revoked: boolean,
  at: Milliseconds,
  parts: SuspensionDependencies,
  decisions: Decision[],
): Promise<{ subscriptions: number; unsent: number }> {
  const why = `${revoked ? "the bot was removed" : "the bot's token was refused for a day"} (${words}); it comes back once a token is accepted`;
  // A drill is over before anybody could mend a token.
  const alive = (await subscriptionsOn(tables, platform)).filter((one) => isAlive(one) && !isDrill(one));
  const retired = alive.map((one) => ({
    ...one,
    state: "retired" as const,
    why,
    returns: one.state === "paused" ? ("paused" as const) : ("active" as const),
  }));
  await tables.subscriptions.put(retired.map((one) => subscriptionRow(one, at)));
  await fanOutAll(tables, parts.newId);
  const rows = deliveriesToDrop(await tables.outbox.owedOn(platform));
  await deadLetterAll(tables, rows, at, why);
  // While the bot was away, some of it may have been given up for its age.
  const unsent = sumOf((await tables.outbox.countDeadLetters(platform, since)).map(({ count }) => count));
  const places = new Set(retired.map(({ destination }) => destinationKey(destination)));
  const counts = `subscriptions ended: ${retired.length}; messages given up: ${unsent}`;
  decisions.push({ what: "platform lost", detail: `${platform}: ${why}; ${counts}` });
  for (const destination of places) decisions.push({ what: "destination lost", destination, detail: why });
  const lost = { subscriptions: retired.length, unsent };
  const change = { what: "revoked", ...(revoked ? { removed: true as const } : {}), ...lost } as const;
  await notifyElsewhere(tables, tokenMessage({ platform, since, why: words }, at, change), parts);
  return lost;
}

function restoredSubscription(before: Subscription): { readonly before: Subscription; readonly after: Subscription }[] {
  const { returns, why: _why, over: _over, ...rest } = before;
  return returns === undefined ? [] : [{ before, after: { ...rest, state: returns } }];
}

async function subscriptionsOn(tables: AlertTables, platform: string): Promise<Subscription[]> {
  return (await tables.subscriptions.list())
    .map(({ data }) => Subscription.parse(JSON.parse(data)))
    .filter(({ destination }) => destination.platform === platform);
}

async function waitingOn(tables: AlertTables, platform: string): Promise<number> {
  return (await tables.outbox.depth()).find((one) => one.platform === platform)?.owed ?? 0;
}

function recipients({ operators, console: shown }: SuspensionDependencies): Destination[] {
  return [shown, operators].filter((one) => one !== undefined);
}

function tokenMessage(
  { platform, since, why }: Pick<PlatformSuspension, "platform" | "since" | "why">,
  at: Milliseconds,
  change: TokenMessage["change"],
): TokenMessage {
  return { type: "token", platform, why, since: textOf(since), at: textOf(at), change };
}

/** What cannot be said on the platform itself is said elsewhere: it would wait there for its own end. */
async function notifyElsewhere(
  tables: AlertTables,
  message: TokenMessage,
  parts: SuspensionDependencies,
): Promise<void> {
  const { newId } = parts;
  const book = new OutboxBatch();
  for (const destination of recipients(parts).filter(({ platform }) => platform !== message.platform)) {
    book.deliveries.push({ id: newId(), destination, phase: "bot", message });
  }
  await writeBatch(tables, book, toMillis(timeFromText(message.at)), newId);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function textOf(millis: Milliseconds): string {
  return timeToText(fromMillis(millis));
}
