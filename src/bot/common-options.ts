import type { AnyCommand } from "./command.ts";
import type { Option, Options } from "./option.ts";

/** A command with the two options that every one takes beside its own. */
export function withCommonOptions(command: AnyCommand): AnyCommand {
  const network: Option = { kind: "network", description: "Which network to ask" };
  const hidden: Option = {
    kind: "flag",
    description: "Answer so that only you can see it",
    default: command.audience === "caller",
  };
  const options: Options = { ...command.options, network, private: hidden };
  return { ...command, options };
}
