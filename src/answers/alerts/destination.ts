import { destinationKey, type Subscription } from "../../alerts/routing/subscription.ts";
import type { Destination } from "../../alerts/sender.ts";
import { type AlertService, CONSOLE_DESTINATION } from "../../alerts/service/service.ts";
import type { Caller, Target } from "../../bot/invocation.ts";
import { quoteTyped } from "../../bot/nearest.ts";
import { UserError } from "../../errors.ts";
import { code, text, type Text } from "../../reply/text.ts";

/** Who asks from where. */
export interface CallerContext {
  readonly here: Target;
  readonly caller: Caller;
}

/** Whoever reaches the terminal or the console runs the bot, and is asked for nothing more. */
export function isOperator({ here }: Pick<CallerContext, "here">): boolean {
  return here.platform === "terminal" || here.platform === "web";
}

/**
 * Where alerts of this place are owed: the channel, in direct messages the person, for operators the console. Channels
 * are named by their id alone: Discord's are unique everywhere, and on Slack the bot lives in one workspace.
 */
export function destinationHere(context: CallerContext): Destination {
  const { platform, channel, workspace } = context.here;
  if (isOperator(context)) return CONSOLE_DESTINATION;
  const direct = channel === undefined || (platform === "slack" ? channel.startsWith("D") : workspace === undefined);
  return direct ? directMessages(context) : { platform, channel };
}

/** Where somebody is told for themselves alone. */
export function directMessages(context: CallerContext): Destination {
  return isOperator(context)
    ? CONSOLE_DESTINATION
    : { platform: context.here.platform, channel: `user:${context.caller.id}` };
}

/** What operators may type for a destination: `console`, `discord:<channel id>`, `slack:<channel id>`. */
export function parseDestination(
  typed: string,
  context: CallerContext,
  desk: Pick<AlertService, "platforms">,
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
  const right = platform === "discord" ? /^\d{15,20}$/u : /^[A-Z][A-Z0-9]{5,}$/u;
  if (platform === undefined || !right.test(id)) {
    throw new UserError(`${quoteTyped(typed)} is no place that alerts can go to.`, {
      option: "to",
      remedy:
        "Write console, discord:<channel id> as in discord:1122334455667788990, or slack:<channel id> as in slack:C0123ABCD.",
    });
  }
  const able = desk.platforms();
  if (able.length > 0 && !able.includes(platform)) {
    throw new UserError(`This bot does not run on ${platform === "slack" ? "Slack" : "Discord"}.`, {
      option: "to",
      remedy: "Set its token in the environment and start it again, or tell the console.",
    });
  }
  const person = match?.[2] !== undefined || (platform === "slack" && /^[UW]/u.test(id));
  return { platform, channel: person ? `user:${id}` : id };
}

/** Throws UserError unless the caller may change what this channel is told; their direct messages are their own. */
export function requireManager(context: CallerContext, what: string): void {
  const own = isSameDestination(destinationHere(context), directMessages(context));
  if (own || context.caller.mayManageChannel) return;
  throw new UserError(`Only people who manage this channel can ${what}.`, {
    remedy: context.caller.mayNotManage ?? "Ask one of them, or a server administrator.",
  });
}

/**
 * Whether what somebody does here bears on themselves alone. Discord gives rights in channels, and none to anybody in
 * direct messages; on Slack they are the person's own, who has them there, too, or has not.
 */
export function affectsCallerOnly(context: CallerContext): boolean {
  const { here, caller } = context;
  if (isOperator(context) || !isSameDestination(destinationHere(context), directMessages(context))) return false;
  return here.platform === "discord" || !caller.mayManageChannel;
}

export function isSameDestination(a: Destination, b: Destination): boolean {
  return destinationKey(a) === destinationKey(b);
}

/** Whether a subscription is the caller's own: told to them alone. */
export function isOwnSubscription(
  subscription: Pick<Subscription, "destination" | "personal">,
  context: CallerContext,
): boolean {
  return subscription.personal === true && isSameDestination(subscription.destination, directMessages(context));
}

/** A destination in words, as the one who asks sees it. */
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
