import type { Answer, CallOptions, Operations } from "../api-client.ts";
import * as questions from "../model/requests.ts";
import type { ApiRequest } from "../model/requests.ts";

/** How a client gets one question answered. */
export type Call = <T>(asked: ApiRequest<T>, options: CallOptions | undefined) => Promise<Answer<T>>;

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

/** The plain operations, over whatever answers questions: one node, or several in turn. */
export function operations(call: Call): PlainOperations {
  // What is wrong with a question rejects, like every other failure.
  const later = async <T>(make: () => ApiRequest<T>, options: CallOptions | undefined): Promise<Answer<T>> =>
    call(make(), options);
  return {
    getNetworkTime: (options) => call(questions.networkTime, options),
    getNodeInfo: (options) => call(questions.nodeInfo, options),
    getMarketsData: (options) => call(questions.marketsData, options),
    getOrder: (orderId, version, options) => later(() => questions.order(orderId, version), options),
    getPartiesStake: (party, options) => later(() => questions.partiesStake(party), options),
    getKeyRotations: (query = {}, options) => later(() => questions.keyRotations(query), options),
    getSnapshots: (query = {}, options) => later(() => questions.snapshots(query), options),
    getCheckpoints: (query = {}, options) => later(() => questions.checkpoints(query), options),
    getAssetLimitsBundle: (proposalId, options) => later(() => questions.assetLimitsBundle(proposalId), options),
  };
}
