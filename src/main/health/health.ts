import { platformName } from "../../alerts/wording/phrases.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import type { Alerting, AlertingHealth, LastObservation } from "../alerting/alerting.ts";

/** A look may take three times as long as the pause between two of them, and at least this. */
const GRACE: Milliseconds = 30_000;
/** What waits longer on a platform waits for more than its turn. */
const STUCK_AFTER: Milliseconds = 600_000;

/**
 * Which watcher has not looked in time, as a clause; undefined where all have. Looks are noted once they are kept, so
 * that this also says whether the database takes what is written. Times in Unix milliseconds.
 */
export function lateWatcher(
  looks: readonly LastObservation[],
  startedAt: Milliseconds,
  now: Milliseconds,
): string | undefined {
  if (looks.length === 0) return now - startedAt > GRACE ? "no watcher has looked yet" : undefined;
  const late = looks.find(({ at, every }) => now - at > 3 * every + GRACE);
  if (late === undefined) return undefined;
  return `the watcher ${late.watcher} of ${late.network} has kept nothing for ${formatDuration(now - late.at)}`;
}

/**
 * Which platform's messages are stuck, as a clause; undefined where none are. What is owed on a platform that this
 * process does not serve is not its to deliver.
 */
export function stuckQueue(
  queue: AlertingHealth["queue"],
  platforms: readonly string[],
  now: Milliseconds,
): string | undefined {
  const stuck = queue.find(({ platform, oldest }) => platforms.includes(platform) && now - oldest > STUCK_AFTER);
  if (stuck === undefined) return undefined;
  return `${stuck.owed} messages wait on ${stuck.platform}, the oldest for ${formatDuration(now - stuck.oldest)}`;
}

/**
 * Which platform refuses the bot's own token, as a clause; undefined where none does. One that this process does not
 * serve is not its to mend.
 */
export function suspendedPlatform(
  refusals: AlertingHealth["refusals"],
  platforms: readonly string[],
  now: Milliseconds,
): string | undefined {
  const refused = refusals.find(({ platform }) => platforms.includes(platform));
  if (refused === undefined) return undefined;
  const { platform, since, why, retired } = refused;
  const so = retired === undefined ? "" : ", and its subscriptions have ended";
  return `${platformName(platform)} has refused the bot's token for ${formatDuration(Math.max(0, now - since))} (${why})${so}`;
}

/**
 * Why not all is well with watching and delivering, as a clause; undefined where all is. Rejects where the database
 * does not answer.
 */
export async function healthProblem(
  alerting: Pick<Alerting, "health" | "desk">,
  startedAt: Milliseconds,
  now: () => Milliseconds,
): Promise<string | undefined> {
  const { looks, queue, refusals } = await alerting.health();
  if (looks.length === 0) return "no watcher has looked yet";
  const platforms = alerting.desk.platforms();
  return (
    lateWatcher(looks, startedAt, now()) ??
    suspendedPlatform(refusals, platforms, now()) ??
    stuckQueue(queue, platforms, now())
  );
}
