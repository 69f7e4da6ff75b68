import { onTestFinished } from "vitest";

import { AlertsConfig } from "../../src/alerts/alerts-config.ts";
import type { ApiClient } from "../../src/api/api-client.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";
import type { Watcher } from "../../src/watchers/watcher.ts";
import { clientOf } from "../api/client-under-test.ts";
import { VirtualClock } from "../api/virtual-clock.ts";
import { ManualObserver } from "./manual-observer.ts";

export interface SimulatedNetwork {
  readonly simulator: Simulator;
  readonly clock: VirtualClock;
  readonly api: ApiClient;
  readonly network: "mainnet" | "testnet";
  readonly config: AlertsConfig;
  readonly pass: (seconds: number) => Promise<void>;
  readonly watch: <Snapshot>(watcher: Watcher<Snapshot>) => ManualObserver<Snapshot>;
}

/** A simulated network and the real client, both on one clock that stands still until the test moves it. */
export async function simulatedNetwork(
  options: SimulatorOptions & { network?: "mainnet" | "testnet" } = {},
): Promise<SimulatedNetwork> {
  const { network = "testnet", ...rest } = options;
  const clock = new VirtualClock();
  const simulator = await startSimulator({ now: () => clock.wallClock(), rateLimit: false, ...rest });
  onTestFinished(() => simulator.close());
  const api = clientOf(
    simulator.networks[network].map(({ url }) => url),
    { clock, network, limits: { retryMillis: 0 } },
  );
  return {
    simulator,
    clock,
    api,
    network,
    config: AlertsConfig.parse({}),
    pass: (seconds) => clock.advance(seconds * 1000),
    watch: (watcher) => new ManualObserver(watcher, api, () => clock.wallClock()),
  };
}
