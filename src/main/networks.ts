import type { ApiClient } from "../api/api-client.ts";
import { type ApiClientConfig, createApiClient } from "../api/client/client.ts";
import type { Config } from "../config.ts";
import { type NetworkName, NETWORKS } from "../config/environment.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { withoutUndefined } from "../units/without-undefined.ts";

/** The networks that a process asks. */
export interface Networks {
  /** The default one first. */
  readonly clients: readonly ApiClient[];
  readonly simulated: boolean;
  /** Sample ids of simulated networks. */
  readonly samples?: Simulator["samples"];
  /** Fault injection of simulated networks. */
  readonly faults?: Simulator["faults"];
  close(): Promise<void>;
}

export type NetworkDependencies = Pick<ApiClientConfig, "log" | "onRequest" | "processes" | "exportSlots">;

/** The names of the networks that a process asks, the default one first. */
export function networkNames({ networks, defaultNetwork }: Pick<Config, "networks" | "defaultNetwork">): NetworkName[] {
  if (networks.length > 0) return networks.map(({ name }) => name);
  return NETWORKS.toSorted((a, b) => Number(b === defaultNetwork) - Number(a === defaultNetwork));
}

/** A client for each network of the configuration; without any, of an embedded simulator. */
export async function openNetworks(
  config: Pick<Config, "networks" | "defaultNetwork">,
  dependencies: NetworkDependencies,
): Promise<Networks> {
  return config.networks.length === 0 ? simulatedNetworks(config, dependencies) : realNetworks(config, dependencies);
}

function realNetworks(config: Pick<Config, "networks">, dependencies: NetworkDependencies): Networks {
  const clients = config.networks.map(({ name, urls, coreUrl, ledgerDays }) =>
    createApiClient({
      ...dependencies,
      network: name,
      simulated: false,
      nodes: urls.map((url, index) => ({ url, ...withoutUndefined({ coreUrl, ledgerDays: ledgerDays[index] }) })),
    }),
  );
  return { clients, simulated: false, close: () => closeAll(clients) };
}

async function simulatedNetworks(
  config: Pick<Config, "networks" | "defaultNetwork">,
  dependencies: NetworkDependencies,
): Promise<Networks> {
  const { startSimulator } = await import("../simulator/simulator.ts");
  const simulator = await startSimulator({ log: dependencies.log });
  const clients = networkNames(config).map((network) =>
    createApiClient({
      ...dependencies,
      network,
      simulated: true,
      nodes: simulator.networks[network].map((node) => ({
        ...node,
        coreUrl: simulator.coreUrls[network],
        coreName: "sim-core",
      })),
    }),
  );
  return {
    clients,
    simulated: true,
    samples: simulator.samples,
    faults: simulator.faults,
    async close() {
      await closeAll(clients);
      await simulator.close();
    },
  };
}

async function closeAll(clients: readonly ApiClient[]): Promise<void> {
  await Promise.allSettled(clients.map((client) => client.close()));
}
