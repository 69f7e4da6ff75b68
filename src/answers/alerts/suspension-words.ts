import { type Destination, destinationKey, type Platforms, tokenKey } from "../../alerts/destination.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import { graceEndsAt, isOfPlatform, isOfToken, type Suspension, suspensionKey } from "../../alerts/route/suspension.ts";
import { isAlive, type Subscription } from "../../alerts/route/subscription.ts";
import { tokenRemedy } from "../../alerts/words/phrases.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import { code, strong, text, type Text, time } from "../../reply/text.ts";
import { formatDuration, fromMillis, type Milliseconds } from "../../units/time.ts";
import {
  type AlertsContext,
  type CallerContext,
  destinationHere,
  destinationWords,
  directMessages,
  isOperator,
  isSameDestination,
} from "./destination.ts";

/**
 * The refused tokens of platforms that this process serves; others may have been abandoned on purpose. A workspace's
 * token is shown to that workspace and to operators.
 */
export function servedSuspensions(suspensions: readonly Suspension[], context: AlertsContext): readonly Suspension[] {
  const served = context.alerts.platforms();
  const here = destinationHere(context);
  const all = suspensions.filter(
    (one) => isOfToken(one) && (isOfPlatform(one) || isOperator(context) || suspensionKey(one) === tokenKey(here)),
  );
  return served.length === 0 ? all : all.filter(({ platform }) => served.includes(platform));
}

/** The suspension of a destination that cannot be reached at the moment. */
export async function unreachable(alerts: AlertService, destination: Destination): Promise<Suspension | undefined> {
  const key = destinationKey(destination);
  return (await alerts.suspensions()).find(
    (one) => !isOfToken(one) && one.retired === undefined && suspensionKey(one) === key,
  );
}

/**
 * The destinations that cannot be reached, or were lost, as the caller may know: at the terminal and the console all of
 * them, elsewhere those of this server or workspace, and those that the caller subscribed.
 */
export function unreachablePlaces(
  subscriptions: readonly Subscription[],
  suspensions: readonly Suspension[],
  context: CallerContext,
): Text[] {
  const groups = Map.groupBy(
    subscriptions.filter((one) => isAlive(one) || one.state === "retired").filter((one) => mayKnow(one, context)),
    ({ destination }) => destinationKey(destination),
  );
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const place = destinationWords(first.destination, context);
    return unreachableWords(all, suspensions).map((words) => text`${place}: ${words}`);
  });
}

/** Why nothing arrives at the destination that these subscriptions have in common; empty where it can be reached. */
export function unreachableWords(all: readonly Subscription[], suspensions: readonly Suspension[]): Text[] {
  const [first] = all;
  const key = first && destinationKey(first.destination);
  const suspension = suspensions.find((one) => suspensionKey(one) === key);
  if (suspension !== undefined && suspension.retired === undefined) {
    const since = time(fromMillis(suspension.since));
    const until = time(fromMillis(graceEndsAt(suspension)));
    return [text`cannot be reached since ${since} (${suspension.why}). Its messages wait until ${until}.`];
  }
  // The words about a platform count the subscriptions that ended with its token.
  const ended = all.filter(
    ({ state, returns }) => state === "retired" && (returns === undefined || suspension !== undefined),
  );
  return ended.map((one) => text`subscription ${code(one.id)}, ${one.why ?? "gone"}`);
}

function mayKnow(subscription: Subscription, context: CallerContext): boolean {
  const { destination, workspace, by, personal } = subscription;
  const { here, caller } = context;
  if (isOperator(context) || isSameDestination(destination, destinationHere(context))) return true;
  if (destination.platform !== here.platform) return false;
  if (personal === true) return isSameDestination(destination, directMessages(context));
  return by.id === caller.id || (workspace !== undefined && workspace === here.workspace);
}

/** A refused token in words: since when, the effect on undelivered messages, and what to do. */
export function suspensionWords(suspension: Suspension, platforms: Platforms, now: Milliseconds): Text {
  const { platform, workspace, since, why, retired } = suspension;
  const where = workspace === undefined ? [] : text` of the ${platforms.workspaceNoun(platform)} ${workspace}`;
  const lasted = formatDuration(Math.max(0, now - since));
  const owed =
    retired === undefined
      ? text`Its messages wait until ${time(fromMillis(graceEndsAt(suspension)), "both")}.`
      : text`Its subscriptions (${retired.subscriptions}) have ended; they come back once a token is accepted.`;
  return text`${strong(`${platforms.nameOf(platform)} refuses the bot's token`)}${where} since ${time(fromMillis(since))} (${lasted}): ${code(why)}. ${owed} To mend it, ${tokenRemedy({ platform, workspace }, platforms)}`;
}

/** A note for a destination whose token is refused; empty for any other. */
export async function suspensionNote(
  context: AlertsContext,
  { platform, workspace }: Destination,
): Promise<readonly Block[]> {
  const isSuspended = servedSuspensions(await context.alerts.suspensions(), context).some(
    (one) => one.platform === platform && (one.workspace === undefined || one.workspace === workspace),
  );
  if (!isSuspended) return [];
  return [
    paragraph(
      `${context.platforms.nameOf(platform)} refuses the bot's token at the moment: nothing arrives there until it accepts one.`,
    ),
  ];
}
