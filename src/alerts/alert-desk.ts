import type { AlertEngine } from "./alert-engine.ts";
import type { AlertsConfig } from "./alerts-config.ts";

/** What people may do with alerts: all of the engine but what its watchers tell it. */
export interface AlertDesk extends Omit<AlertEngine, "record" | "upkeep"> {
  readonly config: AlertsConfig;
  /** The platforms on which this process delivers; none while it only answers a question. */
  platforms(): readonly string[];
}

/** Where the console's alerts are owed. */
export const CONSOLE = { platform: "web", channel: "console" } as const;

export function createAlertDesk(
  engine: AlertEngine,
  config: AlertsConfig,
  platforms: () => readonly string[] = () => [],
): AlertDesk {
  return { ...engine, config, platforms };
}
