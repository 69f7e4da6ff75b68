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

/** The same within a transaction. */
export interface SuspensionContext extends SuspensionDependencies {
  readonly tables: AlertTables;
  readonly suspensions: Suspensions;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** The console and the operators' channel. */
export function recipients({ operators, console: shown }: SuspensionDependencies): Destination[] {
  return [shown, operators].filter((one) => one !== undefined);
}

/** Notifies the operators and whoever subscribed: a suspension begins, or its subscriptions (`alive`) have ended. */
export async function notifySuspended(
  suspension: Suspension,
  change: Extract<TokenMessage["change"], { what: "refused" | "revoked" }>,
  alive: readonly Subscription[],
  at: Milliseconds,
  context: SuspensionContext,
): Promise<void> {
  const to = [...operatorsFor(suspension, context), ...peopleFor(suspension, alive, context)];
  await send(suspension, to, change, at, context);
}

/** Notifies the operators that it is over, and the channels that alerts arrive there again. */
export async function notifyResumed(
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
  const unsent = [...lost.values()].reduce((sum, count) => sum + count, 0);
  const known = isOfToken(suspension) ? recipients(context) : operatorsFor(suspension, context);
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
  const all = recipients(context);
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
    ...(workspace === undefined ? {} : { workspace }),
    ...(channel === undefined ? {} : { channel: channel.channel }),
    ...(operator === undefined ? {} : { operator }),
    why,
    since: timeToText(fromMillis(since)),
    at: timeToText(fromMillis(at)),
    change,
  } as const;
  const deliveries = to.map((destination) => ({ id: newId(), destination, phase: "bot", message }) as const);
  await enqueue(tables, { deliveries }, at);
}
