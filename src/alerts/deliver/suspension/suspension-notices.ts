import type { AlertTables } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import { timeToText } from "../../judge/kinds/json-fields.ts";
import type { TokenMessage } from "../../message/message.ts";
import { enqueue } from "../outbox/outbox.ts";
import type { Platforms } from "../../platform.ts";
import type { Subscription } from "../../route/subscription.ts";
import { isOfToken, type Suspension, suspensionKey, type Suspensions, tokenScope } from "../../route/suspension.ts";
import { type Destination, destinationKey } from "../../destination.ts";

/** Who is notified of suspensions. */
export interface SuspensionDependencies {
  readonly newId: () => string;
  readonly operators?: Destination;
  readonly console?: Destination;
  /** To tell people by direct message; without it they are not told. */
  readonly platforms?: Platforms;
}

/** The keys of the destinations that are notified of suspensions. */
export function recipientKeys(dependencies: SuspensionDependencies): string[] {
  return recipients(dependencies).map((one) => destinationKey(one));
}

/** Notifies the operators and whoever subscribed: a suspension begins, or its subscriptions have ended. */
export async function notifySuspended(
  tables: AlertTables,
  suspensions: Suspensions,
  suspension: Suspension,
  change: Extract<TokenMessage["change"], { what: "refused" | "revoked" }>,
  subscribers: readonly string[],
  at: Milliseconds,
  dependencies: SuspensionDependencies,
): Promise<void> {
  const to = [
    ...operatorsFor(suspensions, suspension, dependencies),
    ...peopleFor(suspension, subscribers, dependencies),
  ];
  await send(tables, suspension, to, change, at, dependencies);
}

/** Notifies the operators that it is over, and the channels that alerts arrive there again. */
export async function notifyResumed(
  tables: AlertTables,
  suspensions: Suspensions,
  suspension: Suspension,
  resumed: {
    readonly waiting: number;
    /** Messages that were dead-lettered, by destination. */
    readonly lost: ReadonlyMap<string, number>;
    /** How many subscriptions came back, and the active ones among them. */
    readonly back: number;
    readonly active: readonly Subscription[];
  },
  at: Milliseconds,
  dependencies: SuspensionDependencies,
): Promise<void> {
  const { waiting, lost, back, active } = resumed;
  const unsent = [...lost.values()].reduce((sum, count) => sum + count, 0);
  const known = isOfToken(suspension) ? recipients(dependencies) : operatorsFor(suspensions, suspension, dependencies);
  const keys = new Set(known.map((one) => destinationKey(one)));
  await send(tables, suspension, known, { what: "accepted", waiting, unsent, subscriptions: back }, at, dependencies);
  const places = new Map(active.map(({ destination }) => [destinationKey(destination), destination]));
  if (suspension.destination !== undefined) places.set(suspensionKey(suspension), suspension.destination);
  for (const [key, destination] of places) {
    if (keys.has(key)) continue;
    const subscriptions = active.filter((one) => destinationKey(one.destination) === key).length;
    const change = { what: "back", unsent: lost.get(key) ?? 0, subscriptions } as const;
    await send(tables, suspension, [destination], change, at, dependencies);
  }
}

function recipients({ operators, console: shown }: SuspensionDependencies): Destination[] {
  return [shown, operators].filter((one) => one !== undefined);
}

/**
 * The operators, where they can be reached: with the refused token the notice would wait for the suspension's end. A
 * reason that only they can mend, and that may hold for hundreds of channels, is told them once.
 */
function operatorsFor(
  suspensions: Suspensions,
  suspension: Suspension,
  dependencies: SuspensionDependencies,
): Destination[] {
  const all = recipients(dependencies);
  const own = suspensionKey(suspension);
  if (isOfToken(suspension)) return all.filter((one) => !destinationKey(one).startsWith(`${own}/`));
  const isAlike = (other: Suspension): boolean =>
    suspensionKey(other) !== own &&
    other.operator === true &&
    other.platform === suspension.platform &&
    other.why === suspension.why;
  if (suspension.operator === true && suspensions.all().some(isAlike)) return [];
  return all.filter((one) => destinationKey(one) !== own);
}

/** The direct messages of those who subscribed a lost channel. */
function peopleFor(
  { platform, destination, operator }: Suspension,
  subscribers: readonly string[],
  { platforms }: SuspensionDependencies,
): Destination[] {
  if (destination === undefined || operator === true) return [];
  const people = new Set(subscribers.map((id) => `user:${id}`));
  people.delete(destination.channel);
  // Who subscribed it at the console or the terminal is nobody on the platform.
  const known = [...people].filter((person) => platforms?.chat(platform)?.parseMention(person, undefined) === person);
  return known.map((channel) => ({ ...tokenScope(destination), channel }));
}

async function send(
  tables: AlertTables,
  { platform, destination: channel, workspace = channel?.workspace, since, why, operator }: Suspension,
  to: readonly Destination[],
  change: TokenMessage["change"],
  at: Milliseconds,
  { newId }: SuspensionDependencies,
): Promise<void> {
  const message = {
    type: "token",
    platform,
    ...(workspace === undefined ? {} : { workspace }),
    ...(channel === undefined ? {} : { channel: channel.channel }),
    ...(operator === undefined ? {} : { operator }),
    why,
    since: textOf(since),
    at: textOf(at),
    change,
  } as const;
  const deliveries = to.map((destination) => ({ id: newId(), destination, phase: "bot", message }) as const);
  await enqueue(tables, { deliveries }, at);
}

function textOf(millis: Milliseconds): string {
  return timeToText(fromMillis(millis));
}
