// A platform that refuses the bot's token is suspended: its deliveries wait, and none is lost. After a day, or
// at once if the bot was removed, its subscriptions end; the first accepted token brings them back.
// Read platform-suspension.ts (the stored state) and token-probe.ts (how a platform is asked about the token) next.
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis, toMillis } from "../../units/nanoseconds.ts";
import { isDrill } from "../drill.ts";
import { timeFromText, timeToText } from "../kinds/json-fields.ts";
import type { Decision } from "../outbox/batch.ts";
import type { TokenMessage } from "../outbox/message.ts";
import { enqueue } from "../outbox/outbox.ts";
import { unsentOn, waitingOn } from "../outbox/queries.ts";
import { deadLetterPlatform } from "../outbox/record.ts";
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
): Promise<readonly Decision[]> {
  const before = suspensions.get(platform);
  // A clock that was set back must not make the day longer.
  const since = Math.min(before?.since ?? at, at);
  const suspension: PlatformSuspension = { ...before, platform, since, why: error.message };
  const begins = before === undefined ? [{ what: "token refused", detail: `${platform}: ${error.message}` }] : [];
  if (suspension.retired === undefined && (error.revoked || at >= revokedAt(suspension))) {
    const { lost, decisions } = await endSubscriptions(tables, suspension, error.revoked, at, dependencies);
    await suspensions.put({ ...suspension, retired: { at, ...lost } }, at);
    return [...begins, ...decisions];
  }
  if (before?.why !== suspension.why || before.since !== since) await suspensions.put(suspension, at);
  if (before === undefined) {
    const waiting = await waitingOn(tables, platform, dependencies.newId);
    const change = { what: "refused", waiting, until: textOf(revokedAt(suspension)) } as const;
    await notifyElsewhere(tables, tokenMessage(suspension, at, change), dependencies);
  }
  return begins;
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
): Promise<readonly Decision[]> {
  const { newId } = dependencies;
  const suspension = suspensions.get(platform);
  if (suspension === undefined) return [];
  await suspensions.drop(platform, at);
  const waiting = gone + (await waitingOn(tables, platform, newId));
  const lost = await unsentOn(tables, platform, suspension.since);
  const unsent = sumOf([...lost.values()]);
  const back = (await subscriptionsOn(tables, platform))
    .filter(({ state }) => state === "retired")
    .flatMap(restoredSubscription);
  await tables.subscriptions.put(back.map(({ after }) => subscriptionRow(after, at)));
  const change = { what: "accepted", waiting, unsent, subscriptions: back.length } as const;
  const known = recipients(dependencies);
  const keys = new Set(known.map((one) => destinationKey(one)));
  const active = back.flatMap(({ after }) => (after.state === "active" ? [after] : []));
  const notified = [
    ...known.map((destination) => ({ destination, change })),
    ...[...Map.groupBy(active, ({ destination }) => destinationKey(destination))].flatMap(([key, all]) => {
      const [first] = all;
      if (first === undefined || keys.has(key)) return [];
      const shown = { what: "back", unsent: lost.get(key) ?? 0, subscriptions: all.length } as const;
      return [{ destination: first.destination, change: shown }];
    }),
  ];
  const deliveries = notified.map(({ destination, change: shown }) => {
    return { id: newId(), destination, phase: "bot", message: tokenMessage(suspension, at, shown) } as const;
  });
  await enqueue(tables, { deliveries }, at, newId);
  return [
    { what: "token accepted", detail: `${platform}; subscriptions that came back: ${back.length}` },
    ...back.map(({ before, after }) => ({
      what: "subscription",
      network: after.network,
      destination: destinationKey(after.destination),
      detail: subscriptionLogLine(before, after, "Bellwether"),
    })),
  ];
}

async function endSubscriptions(
  tables: AlertTables,
  { platform, since, why: words }: PlatformSuspension,
  revoked: boolean,
  at: Milliseconds,
  dependencies: SuspensionDependencies,
): Promise<{
  readonly lost: { readonly subscriptions: number; readonly unsent: number };
  readonly decisions: readonly Decision[];
}> {
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
  await deadLetterPlatform(tables, platform, at, why, dependencies.newId);
  // During a downtime, some of it may have expired.
  const unsent = sumOf([...(await unsentOn(tables, platform, since)).values()]);
  const lost = { subscriptions: retired.length, unsent };
  const change = { what: "revoked", ...(revoked ? { removed: true as const } : {}), ...lost } as const;
  await notifyElsewhere(tables, tokenMessage({ platform, since, why: words }, at, change), dependencies);
  const places = new Set(retired.map(({ destination }) => destinationKey(destination)));
  const counts = `subscriptions ended: ${retired.length}; messages given up: ${unsent}`;
  const decisions = [
    { what: "platform lost", detail: `${platform}: ${why}; ${counts}` },
    ...[...places].map((destination) => ({ what: "destination lost", destination, detail: why })),
  ];
  return { lost, decisions };
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
  const elsewhere = recipients(dependencies).filter(({ platform }) => platform !== message.platform);
  const deliveries = elsewhere.map((destination) => ({ id: newId(), destination, phase: "bot", message }) as const);
  await enqueue(tables, { deliveries }, toMillis(timeFromText(message.at)), newId);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function textOf(millis: Milliseconds): string {
  return timeToText(fromMillis(millis));
}
