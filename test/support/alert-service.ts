import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { type AlertEngine, createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { type AlertService, createAlertService } from "../../src/alerts/service/service.ts";
import { type Clock, systemClock } from "../../src/api/clock.ts";
import type { Verdict } from "../../src/api/verdict/verdict.ts";
import { silentLog } from "../../src/log.ts";
import type { Store } from "../../src/store/store.ts";
import { withoutUndefined } from "../../src/units/without-undefined.ts";

interface AlertServiceOptions {
  readonly clock?: Clock;
  readonly platforms?: readonly string[];
  /** The last verdicts of the watchers; without them, nothing is watched. */
  readonly verdict?: (network: string) => Verdict | undefined;
  readonly marketsWithoutLooks?: (network: string) => readonly string[];
  readonly processes?: NonNullable<AlertService["processes"]>;
  /** Ids of deliveries; default: random. */
  readonly newId?: () => string;
  /** Tries rules on kept looks; without it, there are none. */
  readonly trial?: AlertService["trial"];
}

/** Alerts on a store, without watchers or a dispatcher; a test may record observations in the engine. */
export function alertsOn(
  store: Pick<Store, "transaction">,
  {
    clock = systemClock,
    platforms = [],
    verdict,
    marketsWithoutLooks,
    processes,
    trial,
    ...more
  }: AlertServiceOptions = {},
): { readonly service: AlertService; readonly engine: AlertEngine } {
  const config = DEFAULT_ALERTS_CONFIG;
  const engine = createAlertEngine({ store, config, clock, log: silentLog(), simulated: new Set(), ...more });
  const told = withoutUndefined({ verdict, marketsWithoutLooks, processes, trial });
  return { engine, service: createAlertService(engine, config, { platforms: () => platforms, ...told }) };
}

/** The service alone. */
export function alertService(store: Pick<Store, "transaction">, more: AlertServiceOptions = {}): AlertService {
  return alertsOn(store, more).service;
}

/** For tests that never use alerts. */
export function noAlertService(): AlertService {
  return alertService({ transaction: () => Promise.reject(new Error("no alerts are asked for here")) });
}
