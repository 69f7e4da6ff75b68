import type { Verdict } from "../../api/verdict/verdict.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { isDrill } from "../drill.ts";
import type { AlertEngine } from "../engine/engine.ts";

/** What people may do with alerts: all of the engine but what its watchers tell it. Its lists leave drills out. */
export interface AlertService extends Omit<AlertEngine, "record" | "upkeep" | "closeUnwatched"> {
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
export const CONSOLE_DESTINATION = { platform: "web", channel: "console" } as const;

export function createAlertService(
  engine: AlertEngine,
  config: AlertsConfig,
  platforms: () => readonly string[] = () => [],
  verdict?: AlertService["verdict"],
): AlertService {
  const real = <T extends { readonly network: string }>(all: readonly T[]): T[] => all.filter((one) => !isDrill(one));
  return {
    ...engine,
    subscriptions: async () => real(await engine.subscriptions()),
    openEpisodes: async (network) => real(await engine.openEpisodes(network)),
    lastEpisodes: async (limit, network) => real(await engine.lastEpisodes(limit, network)),
    config,
    platforms,
    ...(verdict === undefined ? {} : { verdict }),
  };
}
