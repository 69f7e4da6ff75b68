// Whether the bot is well. This module names problems of watching and delivering; `readiness.ts` reports them at
// `/readyz`, `dead-man-switch.ts` does not ping while there is a problem.

import type { Store } from "../../store/store.ts";
import { formatDuration, type Milliseconds } from "../../units/time.ts";
import type { Alerting, AlertingHealth, LastObservation } from "../alerting/alerting.ts";
import { isOfPlatform } from "../../alerts/route/suspension.ts";
import type { Platforms } from "../../alerts/destination.ts";

/** An observation may take three intervals, and this long on top. */
const GRACE: Milliseconds = 30_000;
/** A queue with an older delivery is stuck. */
const STUCK_AFTER: Milliseconds = 600_000;

/** The platforms that this process delivers to. */
export interface DeliveredPlatforms extends Pick<Platforms, "nameOf"> {
  readonly senders: readonly string[];
}

/**
 * The watcher whose observation is overdue, as a clause; undefined where none is. Observations count once they are
 * stored, so this also covers failing writes. Times in Unix milliseconds.
 */
export function lateWatcher(
  observations: readonly LastObservation[],
  startedAt: Milliseconds,
  now: Milliseconds,
): string | undefined {
  if (observations.length === 0) return now - startedAt > GRACE ? "no watcher has looked yet" : undefined;
  const late = observations.find(({ at, every }) => now - at > 3 * every + GRACE);
  if (late === undefined) return undefined;
  return `the watcher ${late.watcher} of ${late.network} has kept nothing for ${formatDuration(now - late.at)}`;
}

/** The platform whose deliveries are stuck, as a clause; undefined where none are. Only platforms this process serves. */
function stuckQueue(
  queue: AlertingHealth["queue"],
  { senders }: DeliveredPlatforms,
  now: Milliseconds,
): string | undefined {
  const stuck = queue.find(({ platform, oldest }) => senders.includes(platform) && now - oldest > STUCK_AFTER);
  if (stuck === undefined) return undefined;
  return `${stuck.owed} messages wait on ${stuck.platform}, the oldest for ${formatDuration(now - stuck.oldest)}`;
}

/** The platform that refuses the bot's token, as a clause; undefined where none does. Only platforms this process serves. */
function suspendedPlatform(
  suspensions: AlertingHealth["suspensions"],
  { senders, nameOf }: DeliveredPlatforms,
  now: Milliseconds,
): string | undefined {
  const suspended = suspensions.filter(isOfPlatform).find(({ platform }) => senders.includes(platform));
  if (suspended === undefined) return undefined;
  const { platform, since, why, retired } = suspended;
  const so = retired === undefined ? "" : ", and its subscriptions have ended";
  return `${nameOf(platform)} has refused the bot's token for ${formatDuration(Math.max(0, now - since))} (${why})${so}`;
}

/** The channels that cannot be reached, the last one by name, as a clause; undefined where there are none. */
export function channelsOutOfReach(
  suspensions: AlertingHealth["suspensions"],
  { senders, nameOf }: DeliveredPlatforms,
): string | undefined {
  const lost = suspensions.flatMap(({ destination, platform, retired, ...rest }) =>
    destination === undefined || retired !== undefined || !senders.includes(platform)
      ? []
      : [{ ...rest, platform, channel: destination.channel }],
  );
  const [last, ...others] = lost.toSorted((a, b) => b.since - a.since);
  if (last === undefined) return undefined;
  const more = others.length === 0 ? "" : `, and ${others.length === 1 ? "1 other" : `${others.length} others`}`;
  return `${last.channel} on ${nameOf(last.platform)} cannot be reached (${last.why})${more}`;
}

/** How long a refused message is reported. */
const REFUSED_FOR: Milliseconds = 86_400_000;

/** The last message that was given up or sent as plain text, as a clause; undefined where there was none within a day. */
export function refusedMessage(
  refused: AlertingHealth["refused"],
  { nameOf }: Pick<DeliveredPlatforms, "nameOf">,
  now: Milliseconds,
): string | undefined {
  const [last] = refused.map((one) => ({ ...one, ...one.last })).toSorted((a, b) => b.at - a.at);
  if (last === undefined || now - last.at > REFUSED_FOR) return undefined;
  const { platform, at, place } = last;
  const came = place.dead > 0 ? "was given up" : "was sent as plain text";
  return `a message to ${place.channel} on ${nameOf(platform)} ${came} ${formatDuration(Math.max(0, now - at))} ago (${place.why})`;
}

/** The first problem that keeps deliveries back, as a clause; undefined where there is none. */
export function deliveryProblem(
  { suspensions, sendable }: Pick<AlertingHealth, "suspensions" | "sendable">,
  platforms: DeliveredPlatforms,
  now: Milliseconds,
): string | undefined {
  return (
    suspendedPlatform(suspensions, platforms, now) ??
    // Only the operator can open such a channel: the bot lacks a scope, for instance.
    channelsOutOfReach(
      suspensions.filter(({ operator }) => operator === true),
      platforms,
    ) ??
    stuckQueue(sendable, platforms, now)
  );
}

export interface HealthDependencies {
  readonly store: Pick<Store, "ping">;
  readonly alerting: Pick<Alerting, "health" | "service">;
  readonly platforms: Pick<Platforms, "nameOf">;
  /** When this process began, in Unix milliseconds. */
  readonly startedAt: Milliseconds;
  readonly now: () => Milliseconds;
}

/** The first problem of watching and delivering, as a clause; undefined where there is none. Rejects where the database fails. */
export async function healthProblem(dependencies: HealthDependencies): Promise<string | undefined> {
  const { alerting, platforms, startedAt, now } = dependencies;
  await dependencies.store.ping();
  const health = await alerting.health();
  const [damage] = health.damaged;
  if (damage !== undefined) return damage;
  if (health.observations.length === 0) return "no watcher has looked yet";
  const delivered = { senders: alerting.service.platforms(), nameOf: platforms.nameOf };
  return lateWatcher(health.observations, startedAt, now()) ?? deliveryProblem(health, delivered, now());
}
