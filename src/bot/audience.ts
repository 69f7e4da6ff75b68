import { UserError } from "../errors.ts";
import type { AudienceSettings } from "./audience-settings.ts";
import type { AnyCommand } from "./command.ts";
import type { Target, Visibility } from "./invocation.ts";
import type { OptionValue } from "./options/options.ts";

/**
 * The audience that overrides a command's default: everybody if it announces a change, else the choice of the server or
 * workspace. Undefined if neither applies.
 */
export function presetAudience(command: AnyCommand, here: Target, settings: AudienceSettings): Visibility | undefined {
  if (command.announced === true) return "channel";
  return command.workspaceChooses === true ? settings.of(here)?.markets : undefined;
}

/**
 * The audience of an answer. The option `private` has precedence. @throws UserError if an announced change is requested
 * privately.
 */
export function audienceOf(
  command: AnyCommand,
  given: { readonly private?: unknown },
  parsed: OptionValue | undefined,
  preset: Visibility | undefined,
): Visibility {
  if (given.private === undefined) return preset ?? command.audience;
  if (parsed !== true) return "channel";
  if (command.announced === true) {
    throw new UserError(`${command.name} always tells the whole channel.`, {
      option: "private",
      remedy: "Leave private out.",
    });
  }
  return "caller";
}
