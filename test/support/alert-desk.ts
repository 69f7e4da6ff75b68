import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { type AlertEngine, createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { type AlertService, createAlertService } from "../../src/alerts/service/service.ts";
import { type Clock, systemClock } from "../../src/api/clock.ts";
import type { Verdict } from "../../src/api/verdict/verdict.ts";
import { silentLog } from "../../src/log.ts";
import type { Store } from "../../src/store/store.ts";

interface DeskOptions {
  readonly clock?: Clock;
  readonly platforms?: readonly string[];
  /** The last verdicts of those who watch; without, nobody does. */
  readonly verdict?: (network: string) => Verdict | undefined;
}

/** The alerts on a store, with nobody who watches or delivers; a test may tell the engine what is seen. */
export function alertsOn(
  store: Pick<Store, "transaction">,
  { clock = systemClock, platforms = [], verdict }: DeskOptions = {},
): { readonly desk: AlertService; readonly engine: AlertEngine } {
  const config = DEFAULT_ALERTS_CONFIG;
  const engine = createAlertEngine({ store, config, clock, log: silentLog(), simulated: new Set() });
  return { engine, desk: createAlertService(engine, config, () => platforms, verdict) };
}

/** The same for what only asks. */
export function alertDesk(store: Pick<Store, "transaction">, more: DeskOptions = {}): AlertService {
  return alertsOn(store, more).desk;
}

/** For what never comes near them. */
export function noAlertDesk(): AlertService {
  return alertDesk({ transaction: () => Promise.reject(new Error("no alerts are asked for here")) });
}
