import type { Answer, CallOptions, Operations } from "../api-client.ts";
import * as requests from "../model/model.ts";
import type { ApiRequest } from "../model/model.ts";

/** Gets the answer to one request. */
export type Call = <T>(request: ApiRequest<T>, options: CallOptions | undefined) => Promise<Answer<T>>;

type PlainOperations = Pick<
  Operations,
  | "getNetworkTime"
  | "getNodeInfo"
  | "getMarketsData"
  | "getOrder"
  | "getPartiesStake"
  | "getKeyRotations"
  | "getSnapshots"
  | "getCheckpoints"
  | "getAssetLimitsBundle"
>;

/** The plain operations, over one node or several with fail-over. */
export function operations(call: Call): PlainOperations {
  // An invalid request rejects, like every other failure.
  const later = async <T>(make: () => ApiRequest<T>, options: CallOptions | undefined): Promise<Answer<T>> =>
    call(make(), options);
  return {
    getNetworkTime: (options) => call(requests.networkTime, options),
    getNodeInfo: (options) => call(requests.nodeInfo, options),
    getMarketsData: (options) => call(requests.marketsData, options),
    getOrder: (orderId, version, options) => later(() => requests.order(orderId, version), options),
    getPartiesStake: (party, options) => later(() => requests.partiesStake(party), options),
    getKeyRotations: (query = {}, options) => later(() => requests.keyRotations(query), options),
    getSnapshots: (query = {}, options) => later(() => requests.snapshots(query), options),
    getCheckpoints: (query = {}, options) => later(() => requests.checkpoints(query), options),
    getAssetLimitsBundle: (proposalId, options) => later(() => requests.assetLimitsBundle(proposalId), options),
  };
}
