import type { NodeAddress } from "../../src/api/client/client.ts";
import type { NetworkName } from "../../src/simulator/network.ts";
import type { Samples } from "../../src/simulator/samples.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";
import { NOON, talk, type Talk, type TalkOptions } from "./talk.ts";

export type SimulatorTalkOptions = Partial<TalkOptions> & {
  readonly simulator?: SimulatorOptions;
  readonly nodes?: number;
};

export type SimulatorTalk = Talk & { readonly simulator: Simulator; readonly samples: Samples };

/** A conversation with the simulated networks at a Thursday noon; whoever opens it closes it, and so both. */
export async function openSimulatorTalk(options: SimulatorTalkOptions = {}): Promise<SimulatorTalk> {
  const { nodes = 1 } = options;
  let now = (): typeof NOON => NOON;
  const simulator = await startSimulator({
    now: () => now(),
    rateLimit: false,
    nodesPerNetwork: nodes,
    ...options.simulator,
  });
  const core = simulator.coreUrls;
  const addresses = (name: NetworkName): NodeAddress[] =>
    simulator.networks[name].map((node) => ({ url: node.url, name: node.name, coreUrl: core[name] }));
  const conversation = await talk({
    networks: { mainnet: addresses("mainnet"), testnet: addresses("testnet") },
    ...options,
  });
  now = () => conversation.now();
  const close = conversation[Symbol.asyncDispose];
  return Object.assign(conversation, {
    simulator,
    samples: simulator.samples.mainnet,
    [Symbol.asyncDispose]: async () => {
      await close();
      await simulator.close();
    },
  });
}
