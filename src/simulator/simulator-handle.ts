import type { FaultList } from "./faults/faults.ts";
import type { NetworkName } from "./network.ts";
import type { NodeProfile } from "./node/node-profile.ts";
import type { FreshSamples, Samples } from "./samples.ts";

export interface Simulator {
  readonly seed: string;
  /** The server's own URL; its root is the first node of mainnet. */
  readonly url: string;
  readonly networks: Record<NetworkName, { name: string; url: string }[]>;
  /** Base URLs of core nodes, which serve `/parties/stake` alone. */
  readonly coreUrls: Record<NetworkName, string>;
  readonly faults: FaultList;
  readonly samples: Record<NetworkName, Samples>;
  freshSamples(network: NetworkName): FreshSamples;
  /** Changes the profile of a running node. */
  configure(network: NetworkName, node: number, changes: Partial<NodeProfile>): void;
  close(): Promise<void>;
}
