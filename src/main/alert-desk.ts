import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { DRILL_NETWORK } from "../alerts/drill.ts";
import { createAlertEngine } from "../alerts/engine/engine.ts";
import { type AlertService, createAlertService } from "../alerts/service/service.ts";
import { systemClock } from "../api/clock.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import type { Networks } from "./networks.ts";

/** The alerts of a process that watches nothing and delivers nothing: what it changes is another process's to deliver. */
export function readingDesk(
  store: Pick<Store, "transaction">,
  networks: Pick<Networks, "clients" | "simulated">,
  config: AlertsConfig,
  log: Log,
): AlertService {
  const simulated = new Set(
    networks.simulated ? [...networks.clients.map(({ network }) => network), DRILL_NETWORK] : [],
  );
  return createAlertService(createAlertEngine({ store, config, clock: systemClock, log, simulated }), config);
}
