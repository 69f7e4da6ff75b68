import type { Verdict } from "../api/verdict.ts";
import type { AlertEngine } from "./alert-engine.ts";
import type { AlertsConfig } from "./alerts-config.ts";

/** What people may do with alerts: all of the engine but what its watchers tell it. */
export interface AlertDesk extends Omit<AlertEngine, "record" | "upkeep"> {
  readonly config: AlertsConfig;
  /** The platforms on which this process delivers; none while it only answers a question. */
  platforms(): readonly string[];
  /**
   * The watchers' last verdict on a network, undefined before their first look of this process. Absent where this
   * process watches nothing: what is kept may then be old.
   */
  readonly verdict?: (network: string) => Verdict | undefined;
}

/** Where the console's alerts are owed. */
export const CONSOLE = { platform: "web", channel: "console" } as const;

export function createAlertDesk(
  engine: AlertEngine,
  config: AlertsConfig,
  platforms: () => readonly string[] = () => [],
  verdict?: AlertDesk["verdict"],
): AlertDesk {
  return { ...engine, config, platforms, ...(verdict === undefined ? {} : { verdict }) };
}
