// A platform that refuses the bot's token is suspended: its deliveries wait, and none is lost. After a day, or
// at once if the bot was removed, its subscriptions end; the first accepted token brings them back.
// Read platform-suspension.ts (the stored state) and token-probe.ts (how a platform is asked about the token) next.
import type { AlertTables, DeliveryRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis, toMillis } from "../../units/nanoseconds.ts";
import { isDrill } from "../drill.ts";
import { timeFromText, timeToText } from "../kinds/json-fields.ts";
import { type Decision, OutboxBatch } from "../outbox/batch.ts";
import type { TokenMessage } from "../outbox/message.ts";
import { revertAllUnsent } from "../outbox/notification-state.ts";
import { fanOutAll, writeBatch } from "../outbox/outbox.ts";
import { destinationKey, isAlive, Subscription, subscriptionRow } from "../routing/subscription.ts";
import type { Destination, SendError } from "../sender.ts";
import { subscriptionLogLine } from "../wording/subscription-words.ts";
import { type PlatformSuspension, type PlatformSuspensions, revokedAt } from "./platform-suspension.ts";

/** Who is notified of suspensions. */
export interface SuspensionDependencies {
  readonly newId: () => string;
  readonly operators?: Destination;
  readonly console?: Destination;
}

/** The platform's refusal, and when in Unix milliseconds. */
interface TokenRefusal {
  readonly platform: string;
  readonly error: SendError;
  readonly at: Milliseconds;
}

/**
 * Records that a platform refuses the bot's token. Operators are notified once, when it begins; its deliveries
 * wait. A token that is still refused after a day, or whose bot was removed, ends all subscriptions of the platform at
 * once: a process has one token for each platform, whatever workspaces there are.
 */
export async function suspendPlatform(
  tables: AlertTables,
  suspensions: PlatformSuspensions,
  { platform, error, at }: TokenRefusal,
  dependencies: SuspensionDependencies,
  decisions: Decision[],
): Promise<PlatformSuspension> {
  const before = suspensions.get(platform);
  // A clock that was set back must not make the day longer.
  const since = Math.min(before?.since ?? at, at);
  const suspension: PlatformSuspension = { ...before, platform, since, why: error.message };
  if (before === undefined) decisions.push({ what: "token refused", detail: `${platform}: ${error.message}` });
  if (suspension.retired === undefined && (error.revoked || at >= revokedAt(suspension))) {
    const retired = { at, ...(await endSubscriptions(tables, suspension, error.revoked, at, dependencies, decisions)) };
    await suspensions.put({ ...suspension, retired }, at);
    return { ...suspension, retired };
  }
  if (before?.why !== suspension.why || before.since !== since) await suspensions.put(suspension, at);
  if (before === undefined) {
    const waiting = await waitingOn(tables, platform);
    const change = { what: "refused", waiting, until: textOf(revokedAt(suspension)) } as const;
    await notifyElsewhere(tables, tokenMessage(suspension, at, change), dependencies);
  }
  return suspension;
}

/**
 * Records that a platform accepts the bot's token again: what waits there is sent, and subscriptions that ended because
 * of the token alone come back, with a message to their channels. `gone` is how many waiting messages arrived by now.
 */
export async function resumePlatform(
  tables: AlertTables,
  suspensions: PlatformSuspensions,
  { platform, at, gone = 0 }: { readonly platform: string; readonly at: Milliseconds; readonly gone?: number },
  dependencies: SuspensionDependencies,
  decisions: Decision[],
): Promise<void> {
  const suspension = suspensions.get(platform);
  if (suspension === undefined) return;
  await suspensions.drop(platform, at);
  await fanOutAll(tables, dependencies.newId);
  const waiting = gone + (await waitingOn(tables, platform));
  const lost = new Map(
    (await tables.outbox.countDeadLetters(platform, suspension.since)).map((row) => [row.destination, row.count]),
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
  const batch = new OutboxBatch();
  const notify = (shown: TokenMessage["change"], destination: Destination): void =>
    void batch.deliveries.push({
      id: dependencies.newId(),
      destination,
      phase: "bot",
      message: tokenMessage(suspension, at, shown),
    });
  for (const destination of recipients(dependencies)) notify(change, destination);
  const known = new Set(recipients(dependencies).map((one) => destinationKey(one)));
  const active = back.flatMap(({ after }) => (after.state === "active" ? [after] : []));
  for (const [key, all] of Map.groupBy(active, ({ destination }) => destinationKey(destination))) {
    const [first] = all;
    if (first === undefined || known.has(key)) continue;
    notify({ what: "back", unsent: lost.get(key) ?? 0, subscriptions: all.length }, first.destination);
  }
  await writeBatch(tables, batch, at, dependencies.newId);
}

/**
 * The deliveries to dead-letter with a platform's subscriptions. End notices of alerts whose trigger was, or may have
 * been, sent stay owed: they are sent once a token is accepted.
 */
function deliveriesToDrop(owed: readonly DeliveryRow[]): DeliveryRow[] {
  const keyOf = ({ episode, destination }: DeliveryRow): string => JSON.stringify([episode, destination]);
  const unsentTriggers = new Set(
    owed.filter(({ phase, uncertain_since }) => phase === "trigger" && uncertain_since === null).map(keyOf),
  );
  return owed.filter((row) => !isEndNotice(row) || unsentTriggers.has(keyOf(row)));
}

/** Whether a delivery says that a condition is over, or edits the message that announced it. */
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
  dependencies: SuspensionDependencies,
  decisions: Decision[],
): Promise<{ subscriptions: number; unsent: number }> {
  const why = `${revoked ? "the bot was removed" : "the bot's token was refused for a day"} (${words}); it comes back once a token is accepted`;
  // A drill is over before anybody could replace a token.
  const alive = (await subscriptionsOn(tables, platform)).filter((one) => isAlive(one) && !isDrill(one));
  const retired = alive.map((one) => ({
    ...one,
    state: "retired" as const,
    why,
    returns: one.state === "paused" ? ("paused" as const) : ("active" as const),
  }));
  await tables.subscriptions.put(retired.map((one) => subscriptionRow(one, at)));
  await fanOutAll(tables, dependencies.newId);
  const rows = deliveriesToDrop(await tables.outbox.owedOn(platform));
  await deadLetterAll(tables, rows, at, why);
  // During a downtime, some of it may have expired.
  const unsent = sumOf((await tables.outbox.countDeadLetters(platform, since)).map(({ count }) => count));
  const places = new Set(retired.map(({ destination }) => destinationKey(destination)));
  const counts = `subscriptions ended: ${retired.length}; messages given up: ${unsent}`;
  decisions.push({ what: "platform lost", detail: `${platform}: ${why}; ${counts}` });
  for (const destination of places) decisions.push({ what: "destination lost", destination, detail: why });
  const lost = { subscriptions: retired.length, unsent };
  const change = { what: "revoked", ...(revoked ? { removed: true as const } : {}), ...lost } as const;
  await notifyElsewhere(tables, tokenMessage({ platform, since, why: words }, at, change), dependencies);
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

/** Notifies on other platforms only: on the suspended one the message would wait for the suspension's end. */
async function notifyElsewhere(
  tables: AlertTables,
  message: TokenMessage,
  dependencies: SuspensionDependencies,
): Promise<void> {
  const { newId } = dependencies;
  const batch = new OutboxBatch();
  for (const destination of recipients(dependencies).filter(({ platform }) => platform !== message.platform)) {
    batch.deliveries.push({ id: newId(), destination, phase: "bot", message });
  }
  await writeBatch(tables, batch, toMillis(timeFromText(message.at)), newId);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function textOf(millis: Milliseconds): string {
  return timeToText(fromMillis(millis));
}
