import { UserError } from "../errors.ts";
import type { AudienceSettings } from "./audience-settings.ts";
import type { AnyCommand } from "./command.ts";
import type { Target, Visibility } from "./invocation.ts";
import type { OptionValue } from "./options/parse-options.ts";

/**
 * Who sees an answer by more than a command's own default: everybody where it announces a change, else whom the server
 * or workspace chose. Undefined where neither says anything.
 */
export function presetAudience(command: AnyCommand, here: Target, chosen: AudienceSettings): Visibility | undefined {
  if (command.announced === true) return "channel";
  return command.workspaceChooses === true ? chosen.of(here)?.markets : undefined;
}

/**
 * Who will see the answer to a question. What it says itself comes first.
 * @throws UserError where a change that everybody is told of is asked for in private.
 */
export function audienceOf(
  command: AnyCommand,
  given: { readonly private?: unknown },
  parsed: OptionValue | undefined,
  settled: Visibility | undefined,
): Visibility {
  if (given.private === undefined) return settled ?? command.audience;
  if (parsed !== true) return "channel";
  if (command.announced === true) {
    throw new UserError(`What ${command.name} changes is told to everybody in the channel.`, {
      option: "private",
      remedy: "Leave private out.",
    });
  }
  return "caller";
}
