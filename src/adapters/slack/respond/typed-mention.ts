import type { AnyCommand } from "../../../bot/command.ts";
import { quoteTyped } from "../../../bot/nearest.ts";
import { paragraph } from "../../../reply/block.ts";
import { type Ask, reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import type { WorkspaceUser } from "../../chat/home-data.ts";
import type { SlackContext } from "../context.ts";
import { commandOf } from "./invocation.ts";

/** How many groups a refusal names. */
const MAX_NAMED = 10;

/** A question without a typed `@name`, or the option at fault and the refusal of a name that is no single group's. */
type ResolvedMention = { readonly ask: Ask } | { readonly option: string; readonly refusal: Reply };

/** Whether an option names a user group or a person. */
export function isMention(command: AnyCommand | undefined, name: string | undefined): boolean {
  const option = name === undefined ? undefined : command?.options[name];
  return option?.kind === "text" && option.mention !== undefined;
}

/**
 * Puts a group's id in place of a typed `@name`, which Slack itself replaces only where it was picked. Where no group is
 * known, the command refuses the name.
 */
export async function resolveMention(slack: SlackContext, ask: Ask, asker: WorkspaceUser): Promise<ResolvedMention> {
  const command = commandOf(slack, ask);
  const option = Object.keys(ask.options).find((name) => isMention(command, name)) ?? "";
  const typed = ask.options[option];
  if (typeof typed !== "string" || !/^\s*@\w/u.test(typed)) return { ask };
  const found = await slack.userGroups.resolve(typed, asker);
  if (found === undefined) return { ask };
  if (typeof found === "string") return { ask: { ...ask, options: { ...ask.options, [option]: found } } };
  const items = found.slice(0, MAX_NAMED).map(({ label, value }) => text`${label}: ${code(value)}`);
  const more = found.length - items.length;
  const refusal = reply({
    tone: "warning",
    title: text`${quoteTyped(typed)} is not the name of one user group.`,
    blocks: [
      { kind: "list", items },
      paragraph(`${more > 0 ? `There are ${more} more. ` : ""}Give the id of one of them, or its whole handle.`),
    ],
    failure: "caller",
  });
  return { option, refusal };
}
