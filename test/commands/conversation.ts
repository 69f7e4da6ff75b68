import { onTestFinished } from "vitest";

import type { NodeAddress } from "../../src/api/client/client.ts";
import type { NetworkName } from "../../src/simulator/network.ts";
import type { Samples } from "../../src/simulator/samples.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";
import { NOON, talk, type Talk, type TalkOptions } from "../support/talk.ts";

/** A conversation with the simulated networks at a Thursday noon; both end with the test. */
export async function talkToSimulator(
  options: Partial<TalkOptions> & { simulator?: SimulatorOptions; nodes?: number } = {},
): Promise<Talk & { simulator: Simulator; samples: Samples }> {
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
  onTestFinished(async () => {
    await conversation[Symbol.asyncDispose]();
    await simulator.close();
  });
  return Object.assign(conversation, { simulator, samples: simulator.samples.mainnet });
}
