import type { Log } from "../log.ts";
import type { ApiClient, ClientLimits } from "./api-client.ts";
import type { Clock } from "./clock.ts";

/** Where one node is reached. */
export interface NodeAddress {
  /** Base URL; may carry a path and credentials. */
  readonly url: string;
  /** How people see it; default is the URL's host, port and path. */
  readonly name?: string;
  /** Base URL of `/parties/stake`, which real networks serve from their core node. Default is `url`. */
  readonly coreUrl?: string;
}

export interface ApiClientConfig {
  readonly network: string;
  /** In order of preference, one or more. */
  readonly nodes: readonly NodeAddress[];
  readonly simulated: boolean;
  readonly log: Log;
  readonly limits?: Partial<ClientLimits>;
  readonly clock?: Clock;
  /** Like Math.random: where jitter comes from. */
  readonly random?: () => number;
  /** False: every question goes to a node, though identical ones still share a request. Default true. */
  readonly cache?: boolean;
}
