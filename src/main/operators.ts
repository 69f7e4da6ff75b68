import type { Destination } from "../alerts/sender.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../log.ts";

/** Where operators are told. What is owed on a platform that is not set up would wait for a day and then be given up. */
export function reachableOperators(
  { alerting: { operators }, discord, slack }: Pick<Config, "alerting" | "discord" | "slack">,
  log: Log,
): Destination | undefined {
  if (operators === undefined || (operators.platform === "slack" ? slack : discord) !== undefined) return operators;
  log.warn("OPERATOR_CHANNEL names a channel on a platform that is not set up: nobody is told there");
  return undefined;
}
