import { createNetwork } from "../../src/simulator/network.ts";
import { samplesOf, type Samples } from "../../src/simulator/samples.ts";

/** The samples of a seed without a simulator running. */
export function sampleIds(seed: string): Record<"mainnet" | "testnet", Samples> {
  return {
    mainnet: samplesOf(createNetwork("mainnet", seed)),
    testnet: samplesOf(createNetwork("testnet", seed)),
  };
}
