import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { DRILL_NETWORK } from "../alerts/judge/rules/episode.ts";
import { createAlertEngine } from "../alerts/engine/engine.ts";
import { type AlertService, createAlertService } from "../alerts/service/service.ts";
import { systemClock } from "../api/clock.ts";
import type { Bot } from "../bot/bot.ts";
import type { BotDependencies } from "../bot/setup.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { createTrials } from "./alerting/trials.ts";
import { createPast } from "./past.ts";
import type { Networks } from "./networks.ts";
import { withSampleIds } from "./seen-ids.ts";

interface AssemblyOptions extends Omit<BotDependencies, "commands" | "clients" | "seen" | "parties" | "past"> {
  readonly networks: Networks;
  readonly store: Pick<Store, "seen" | "parties" | "read">;
}

/** The bot with all its commands: the only place that joins commands with clients, store and exports. */
export async function assembleBot({ networks, store, ...more }: AssemblyOptions): Promise<Bot> {
  const [{ createBot }, { commands }] = await Promise.all([import("../bot/bot.ts"), import("../../commands/index.ts")]);
  return createBot({
    ...more,
    commands,
    clients: networks.clients,
    seen: networks.samples === undefined ? store.seen : withSampleIds(store.seen, networks.samples),
    parties: store.parties,
    past: createPast(store),
  });
}

/** The alert service of a process that neither watches nor delivers: another process delivers its changes. */
export function createPassiveAlertService(
  store: Pick<Store, "transaction" | "read">,
  networks: Pick<Networks, "clients" | "simulated">,
  config: AlertsConfig,
  log: Log,
  keepsLooks: boolean,
): AlertService {
  const simulated = new Set(
    networks.simulated ? [...networks.clients.map(({ network }) => network), DRILL_NETWORK] : [],
  );
  const engine = createAlertEngine({ store, config, clock: systemClock, log, simulated });
  return createAlertService(engine, config, { trial: createTrials(store, config), keepsLooks });
}
