import { createAlertDesk, type AlertDesk } from "../../src/alerts/alert-desk.ts";
import { createAlertEngine } from "../../src/alerts/alert-engine.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { systemClock, type Clock } from "../../src/api/clock.ts";
import { silentLog } from "../../src/log.ts";
import type { Store } from "../../src/store/store.ts";

/** The alerts on a store, with nobody who watches or delivers. */
export function alertDesk(
  store: Pick<Store, "transaction">,
  more: { readonly clock?: Clock; readonly platforms?: readonly string[] } = {},
): AlertDesk {
  const { clock = systemClock, platforms = [] } = more;
  const config = DEFAULT_ALERTS_CONFIG;
  const engine = createAlertEngine({ store, config, clock, log: silentLog(), simulated: new Set() });
  return createAlertDesk(engine, config, () => platforms);
}

/** For what never comes near them. */
export function noAlertDesk(): AlertDesk {
  return alertDesk({ transaction: () => Promise.reject(new Error("no alerts are asked for here")) });
}
