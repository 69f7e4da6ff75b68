// The alert service for commands, the console and the home tab: the engine without the methods that watchers call.
// Read ../engine/engine.ts next; feed.ts is the console's list, downtime-report.ts the report after a restart.
import type { Verdict } from "../../api/verdict/verdict.ts";
import type { LiveProcess } from "../../store/store.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { isDrill } from "../judge/rules/episode.ts";
import { NO_TRIAL, type TrialAnswer, type TrialRequest } from "../trial/trial.ts";
import type { AlertEngine } from "../engine/engine.ts";

export type { LogEntry } from "../deliver/outbox/alert-log.ts";
export type { Announcement, EpisodeHistory, Told } from "../engine/engine.ts";

/** The engine without the methods that watchers call. Its lists leave drills out. */
export interface AlertService extends Omit<AlertEngine, "processObservation" | "upkeep" | "closeUnwatched"> {
  readonly config: AlertsConfig;
  /** The platforms on which this process delivers; none in a process that only answers a question. */
  platforms(): readonly string[];
  /**
   * The watchers' last verdict on a network, undefined before their first observation in this process. Absent if this
   * process watches nothing: what is stored may then be old.
   */
  readonly verdict?: (network: string) => Verdict | undefined;
  /** The markets beyond those of which this process keeps looks. */
  readonly marketsWithoutLooks?: (network: string) => readonly string[];
  /** Whether looks are kept; left out, that is not known. */
  readonly keepsLooks?: boolean;
  /** The processes that share the database, and live; none where no other one can share it. */
  readonly processes?: () => Promise<readonly LiveProcess[]>;
  /**
   * Tries rules on what was seen. `asker` names who asks, who may ask for one trial at a time.
   *
   * @throws UserError where too many trials are running; the signal's reason.
   */
  readonly trial: (request: TrialRequest, asker: string, signal: AbortSignal) => Promise<TrialAnswer>;
}

export function createAlertService(
  engine: AlertEngine,
  config: AlertsConfig,
  more: Partial<
    Pick<AlertService, "platforms" | "verdict" | "marketsWithoutLooks" | "keepsLooks" | "processes" | "trial">
  > = {},
): AlertService {
  const real = <T extends { readonly network: string }>(all: readonly T[]): T[] => all.filter((one) => !isDrill(one));
  return {
    ...engine,
    subscriptions: async () => real(await engine.subscriptions()),
    openEpisodes: async (network) => real(await engine.openEpisodes(network)),
    lastEpisodes: async (limit) => real(await engine.lastEpisodes(limit)),
    config,
    platforms: () => [],
    trial: async ({ tried }) => ({ trials: tried.map(() => NO_TRIAL), seen: undefined, gaps: [], damaged: 0 }),
    ...more,
  };
}
