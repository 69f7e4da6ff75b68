import type { Answer, CallOptions, Operations } from "../api-client.ts";
import * as requests from "../model/model.ts";
import type { ApiRequest } from "../model/model.ts";

/** Gets the answer to one request. */
export type Call = <T>(request: ApiRequest<T>, options: CallOptions | undefined) => Promise<Answer<T>>;

/** The plain operations, over one node or several with fail-over. An invalid request rejects, like every other failure. */
export function operations(call: Call) {
  return {
    getNetworkTime: (options) => call(requests.networkTime, options),
    getNodeInfo: (options) => call(requests.nodeInfo, options),
    getMarketsData: (options) => call(requests.marketsData, options),
    getOrder: async (orderId, version, options) => call(requests.order(orderId, version), options),
    getPartiesStake: async (party, options) => call(requests.partiesStake(party), options),
    getKeyRotations: async (query = {}, options) => call(requests.keyRotations(query), options),
    getSnapshots: async (query = {}, options) => call(requests.snapshots(query), options),
    getCheckpoints: async (query = {}, options) => call(requests.checkpoints(query), options),
    getAssetLimitsBundle: async (proposalId, options) => call(requests.assetLimitsBundle(proposalId), options),
  } satisfies Partial<Operations>;
}
