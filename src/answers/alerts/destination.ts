import { destinationKey, type Subscription } from "../../alerts/routing/subscription.ts";
import type { Destination } from "../../alerts/sender.ts";
import { type AlertService, CONSOLE_DESTINATION } from "../../alerts/service/service.ts";
import type { Caller, Target } from "../../bot/invocation.ts";
import { quoteTyped } from "../../bot/nearest.ts";
import { UserError } from "../../errors.ts";
import { code, text, type Text, toText } from "../../reply/text.ts";

/** The caller, and the target of the command. */
export interface CallerContext {
  readonly here: Target;
  readonly caller: Caller;
}

/** The terminal and the console are open to operators alone: no further permission is checked. */
export function isOperator({ here }: Pick<CallerContext, "here">): boolean {
  return here.platform === "terminal" || here.platform === "web";
}

/**
 * The default destination: the channel, in direct messages the person, for operators the console. A channel's id alone
 * identifies it: Discord's are globally unique, and on Slack the bot serves one workspace.
 */
export function destinationHere(context: CallerContext): Destination {
  const { platform, channel, workspace } = context.here;
  if (isOperator(context)) return CONSOLE_DESTINATION;
  const direct = channel === undefined || (platform === "slack" ? channel.startsWith("D") : workspace === undefined);
  return direct ? directMessages(context) : { platform, channel };
}

/** The caller's own destination: direct messages, for operators the console. */
export function directMessages(context: CallerContext): Destination {
  return isOperator(context)
    ? CONSOLE_DESTINATION
    : { platform: context.here.platform, channel: `user:${context.caller.id}` };
}

/** A destination as operators type it: `console`, `discord:<channel id>`, `slack:<channel id>`. */
export function parseDestination(
  typed: string,
  context: CallerContext,
  alerts: Pick<AlertService, "platforms">,
): Destination {
  if (!isOperator(context)) {
    throw new UserError("Only the terminal and the console can tell another place than their own.", {
      option: "to",
      remedy: "Type the command in that channel instead.",
    });
  }
  const wanted = typed.trim();
  if (/^console$/iu.test(wanted)) return CONSOLE_DESTINATION;
  const match = /^(discord|slack):(user:)?#?(\w+)$/iu.exec(wanted);
  const platform = match?.[1]?.toLowerCase();
  const id = match?.[3] ?? "";
  const pattern = platform === "discord" ? /^\d{15,20}$/u : /^[A-Z][A-Z0-9]{5,}$/u;
  if (platform === undefined || !pattern.test(id)) {
    throw new UserError(`${quoteTyped(typed)} is no place that alerts can go to.`, {
      option: "to",
      remedy:
        "Write console, discord:<channel id> as in discord:1122334455667788990, or slack:<channel id> as in slack:C0123ABCD.",
    });
  }
  const served = alerts.platforms();
  if (served.length > 0 && !served.includes(platform)) {
    throw new UserError(`This bot does not run on ${platform === "slack" ? "Slack" : "Discord"}.`, {
      option: "to",
      remedy: "Set its token in the environment and start it again, or tell the console.",
    });
  }
  const person = match?.[2] !== undefined || (platform === "slack" && /^[UW]/u.test(id));
  return { platform, channel: person ? `user:${id}` : id };
}

/** Throws UserError unless the caller may change this channel's alerts; everybody may change their own direct messages. */
export function requireManager(context: CallerContext, what: string): void {
  const own = isSameDestination(destinationHere(context), directMessages(context));
  if (own || context.caller.mayManageChannel) return;
  throw new UserError(`Only people who manage this channel can ${what}.`, {
    remedy: context.caller.mayNotManage ?? "Ask one of them, or a server administrator.",
  });
}

/**
 * Whether an action in direct messages affects the caller alone. Discord grants rights per channel, so nobody has any
 * there; on Slack rights are the person's own and hold there, too.
 */
export function affectsCallerOnly(context: CallerContext): boolean {
  const { here, caller } = context;
  if (isOperator(context) || !isSameDestination(destinationHere(context), directMessages(context))) return false;
  return here.platform === "discord" || !caller.mayManageChannel;
}

export function isSameDestination(a: Destination, b: Destination): boolean {
  return destinationKey(a) === destinationKey(b);
}

/** Whether a subscription is the caller's personal one. */
export function isOwnSubscription(
  subscription: Pick<Subscription, "destination" | "personal">,
  context: CallerContext,
): boolean {
  return subscription.personal === true && isSameDestination(subscription.destination, directMessages(context));
}

/** A destination in words, relative to the caller's. */
export function destinationWords(destination: Destination, context?: CallerContext): Text {
  const { platform, channel } = destination;
  if (isSameDestination(destination, CONSOLE_DESTINATION)) return text`the console`;
  if (context !== undefined && isSameDestination(destination, directMessages(context)))
    return text`your direct messages`;
  if (context !== undefined && isSameDestination(destination, destinationHere(context))) return text`this channel`;
  const named = platform === "discord" ? "Discord" : platform === "slack" ? "Slack" : platform;
  return channel.startsWith("user:")
    ? text`direct messages of ${code(channel.slice(5))} on ${named}`
    : text`channel ${code(channel)} on ${named}`;
}

/** A destination's key in words. */
export function destinationKeyWords(key: string | null, here?: string): Text {
  if (key === null) return toText("–");
  if (key === here) return toText("here");
  if (key === destinationKey(CONSOLE_DESTINATION)) return toText("console");
  const [platform = "", , channel = ""] = key.split("/").map((part) => decodeURIComponent(part));
  return text`${platform} ${code(channel)}`;
}
