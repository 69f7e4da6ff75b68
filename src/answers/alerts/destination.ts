import { isDeepStrictEqual } from "node:util";

import type { Person } from "../../alerts/judge/rules/episode.ts";
import { type Destination, destinationFromKey, destinationKey, type Platforms } from "../../alerts/destination.ts";
import type { Subscription } from "../../alerts/route/subscription.ts";
import { tokenScope } from "../../alerts/route/suspension.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import { channelName } from "../../alerts/words/phrases.ts";
import { type Caller, managerRemedy, type Target, type Visibility } from "../../bot/invocation.ts";
import { quoteTyped } from "../../bot/nearest.ts";
import { ignoreUserError, UserError } from "../../errors.ts";
import { listWords } from "../../reply/enum-words.ts";
import { code, text, type Text, toText } from "../../reply/text.ts";

/** The caller, and the target of the command. */
export interface CallerContext {
  readonly here: Target;
  readonly caller: Caller;
  readonly platforms: Platforms;
}

/** The caller, and the alerts of the bot. */
export interface AlertsContext extends CallerContext {
  readonly alerts: AlertService;
}

/** The terminal and the console are open to operators alone: no further permission is checked. */
export function isOperator({ here, platforms }: Pick<CallerContext, "here" | "platforms">): boolean {
  return platforms.isOperators(here.platform);
}

/** The default destination: the channel, in direct messages the person, for operators the console. */
export function destinationHere(context: CallerContext): Destination {
  const { platform, channel, workspace } = context.here;
  if (isOperator(context) || channel === undefined) return directMessages(context);
  const here = { channel, ...(workspace === undefined ? {} : { workspace }) };
  const direct = context.platforms.chat(platform)?.isDirect(here) !== false;
  return direct ? directMessages(context) : context.platforms.destination(context.here, channel);
}

/**
 * Whether the bot may serve workspaces that have nothing to do with the caller's: some platform has a destination for each
 * workspace, and the caller is no operator.
 */
export function isAmongMany(context: CallerContext): boolean {
  return !isOperator(context) && context.platforms.chats.some((one) => one.destinationsPerWorkspace === true);
}

/** The server or workspace of a destination, where the caller is in it: earlier versions did not store it. */
export function workspaceOf(destination: Destination, context: CallerContext): { readonly workspace?: string } {
  const { workspace } = context.here;
  return workspace !== undefined && isSameDestination(destination, destinationHere(context)) ? { workspace } : {};
}

/** The caller's own destination: direct messages, for operators the console. */
export function directMessages(context: CallerContext): Destination {
  return isOperator(context)
    ? context.platforms.console
    : context.platforms.destination(context.here, `user:${context.caller.id}`);
}

/** What a channel's own people ask the bot there. */
const SUBSCRIBING = "subscribe this channel";

/**
 * A destination as it is typed: `me`. Operators also type `console`, or a platform's id and a channel's, as in
 * `platform:<channel id>`; with the workspace's before the channel's where a destination names it.
 */
export function parseDestination(typed: string, context: AlertsContext): Destination {
  if (/^\s*me\s*$/iu.test(typed)) return directMessages(context);
  if (!isOperator(context)) {
    throw new UserError(`Alerts for ${quoteTyped(typed)} are not asked for here.`, {
      option: "to",
      remedy: `Ask in that channel: “${SUBSCRIBING}”. For alerts to you alone, write me instead of its name.`,
    });
  }
  return parseAnyDestination(typed.trim(), context);
}

function parseAnyDestination(wanted: string, context: AlertsContext): Destination {
  const { chats, console: shown } = context.platforms;
  const served = context.alerts.platforms();
  if (wanted.toLowerCase() === shown.channel) return shown;
  const match = /^(\w+):(?:(\w+)\/)?(user:)?#?(.+)$/iu.exec(wanted);
  const platform = context.platforms.chat(match?.[1]?.toLowerCase() ?? "");
  const workspace = match?.[2];
  const id = match?.[4] ?? "";
  const kind = platform?.kindOfId(id);
  const isPlaced = (workspace !== undefined) === (platform?.destinationsPerWorkspace === true);
  if (platform === undefined || kind === undefined || !isPlaced) {
    const open = chats.filter(({ id: one }) => served.length === 0 || served.includes(one));
    const forms = open.map((one) => {
      const place = one.destinationsPerWorkspace === true ? `<${one.workspace} id>/` : "";
      return `to:${one.id}:${place}<channel id> as in to:${one.id}:${one.exampleChannel}`;
    });
    const asked = open.length === 0 ? "" : ` Or ask in that channel: “${SUBSCRIBING}”.`;
    throw new UserError(`Alerts cannot go to ${quoteTyped(wanted)}.`, {
      option: "to",
      remedy: `Write ${listWords([`to:${shown.channel}`, ...forms], ", or ")}.${asked}`,
    });
  }
  if (served.length > 0 && !served.includes(platform.id)) {
    throw new UserError(`This bot does not run on ${platform.name}.`, {
      option: "to",
      remedy: "Set its token in the environment and start it again, or tell the console.",
    });
  }
  const person = match?.[3] !== undefined || kind === "person";
  const place = { platform: platform.id, ...(workspace === undefined ? {} : { workspace }) };
  return context.platforms.destination(place, person ? `user:${id}` : id);
}

/** Whether the caller may change this channel's alerts; everybody may change their own direct messages. */
export function isManager(context: CallerContext): boolean {
  return context.caller.mayManageChannel || isSameDestination(destinationHere(context), directMessages(context));
}

/**
 * Whether buttons that change this channel's alerts are offered: to all who see the answer with the caller, as some of them
 * may; else only where the caller may.
 */
export function offersChanges(context: CallerContext & { readonly audience: Visibility }): boolean {
  return context.audience === "channel" || isManager(context);
}

/** The same of a right that is looked up: `required` throws UserError where the caller has it not. */
export async function offersWhere(
  { audience }: { readonly audience: Visibility },
  required: () => Promise<unknown>,
): Promise<boolean> {
  return audience === "channel" || (await required().then(() => true, ignoreUserError)) === true;
}

/** Throws UserError unless the caller may change this channel's alerts. */
export function requireManager(context: CallerContext, what: string): void {
  if (!isManager(context)) throw notAllowed(context, `Only people who manage this channel can ${what}.`);
}

/**
 * Throws UserError unless the caller may change the alerts of a place, or an active subscription of the place mentions
 * the caller or one of their groups. Returns which of the two it is. Without a place, a mention at any place counts.
 */
export async function requireManagerOrMentioned(
  context: AlertsContext,
  what: string,
  place?: Destination,
): Promise<"manager" | "mentioned"> {
  if (isManager(context)) return "manager";
  const subscriptions = await context.alerts.subscriptions();
  const isMentioned = subscriptions.some(
    (one) =>
      one.state === "active" &&
      one.mention !== undefined &&
      one.destination.platform === context.here.platform &&
      (place === undefined || isSameDestination(one.destination, place)) &&
      isMention(one.mention, context.caller),
  );
  if (isMentioned) return "mentioned";
  throw notAllowed(context, `Only people who manage this channel, or whom its alerts mention, can ${what}.`);
}

/** The caller, as they are stored with what they do. */
export function callerPerson(context: CallerContext): Person {
  return { ...tokenScope(destinationHere(context)), platform: context.here.platform, id: context.caller.id };
}

/** Whether a stored person is the caller. */
export function isCaller(person: Person | undefined, context: CallerContext): boolean {
  return isDeepStrictEqual(person, callerPerson(context));
}

/** Whether a mention notifies a person. */
function isMention(mention: string, { id, groups = [] }: Caller): boolean {
  return mention === `user:${id}` || groups.includes(mention);
}

function notAllowed(context: CallerContext, message: string): UserError {
  return new UserError(message, { remedy: managerRemedy(context, context.platforms) });
}

/** Whether an action in direct messages affects the caller alone: not where managers keep their rights there. */
export function affectsCallerOnly(context: CallerContext): boolean {
  const { here, caller, platforms } = context;
  if (isOperator(context) || !isSameDestination(destinationHere(context), directMessages(context))) return false;
  return platforms.chat(here.platform)?.managersInDirectMessages !== true || !caller.mayManageChannel;
}

export function isSameDestination(a: Destination, b: Destination): boolean {
  return destinationKey(a) === destinationKey(b);
}

/** Whether a subscription tells the caller alone: their watch, or elsewhere what they are told by direct message. */
export function isOwnSubscription({ destination, personal }: Subscription, context: CallerContext): boolean {
  if (!isSameDestination(destination, directMessages(context))) return false;
  return personal === true || !isSameDestination(destination, destinationHere(context));
}

/** A destination in words, relative to the caller's. */
export function destinationWords(destination: Destination, context: CallerContext): Text {
  const { platform, workspace, channel } = destination;
  const noun = context.platforms.workspaceNoun(platform);
  const where = workspace === undefined ? [] : text` in the ${noun} ${code(workspace)}`;
  const place = text`${context.platforms.nameOf(platform)}${where}`;
  if (isSameDestination(destination, context.platforms.console)) return toText(place);
  if (isSameDestination(destination, directMessages(context))) return text`your direct messages`;
  if (isSameDestination(destination, destinationHere(context))) return text`this channel`;
  return channel.startsWith("user:")
    ? text`direct messages of ${code(channel.slice(5))} on ${place}`
    : text`channel ${channelName(destination, context.platforms, context.here)} on ${place}`;
}

/** Words a destination's key; the caller's own is `here`. */
export function destinationKeyWords(context: CallerContext): (key: string | null) => Text {
  const here = isOperator(context) ? undefined : destinationKey(destinationHere(context));
  const { console: shown } = context.platforms;
  return (key) => {
    if (key === null) return toText("–");
    if (key === here) return toText("here");
    if (key === destinationKey(shown)) return toText(shown.channel);
    const destination = destinationFromKey(key);
    const { platform, workspace, channel } = destination;
    const isNear = workspace === undefined || workspace === context.here.workspace;
    return text`${platform} ${isNear ? channelName(destination, context.platforms, context.here) : code(`${workspace}/${channel}`)}`;
  };
}
