import { LRUCache } from "lru-cache";

import type { Log } from "../../log.ts";
import type { Answer, ApiClient, CallOptions, ClientLimits, NodeClient, Operations } from "../api-client.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { HttpDispatcher } from "../http/http.ts";
import { nodeFailure } from "../http/node-failure.ts";
import { openLedgerExport } from "../ledger/ledger.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { AssetNames } from "../model/names.ts";
import * as questions from "../model/requests.ts";
import type { ApiRequest } from "../model/requests.ts";
import { firstNotBehind } from "../node/last-seen-block.ts";
import { type AttemptOptions, type ClientContext, NodeEndpoint, type NodeRequest } from "../node/node.ts";
import { SingleFlight } from "../node/single-flight.ts";
import { requestWithFailOver } from "./fail-over.ts";
import { assetNamesCache, marketNamesCache, type NamesCache, nodeNamesCache } from "./names-cache.ts";
import { type Call, operations } from "./operations.ts";
import { assessNodes } from "./poll-nodes.ts";

export type { NodeRequest } from "../node/node.ts";

/** Where one node is reached. */
export interface NodeAddress {
  /** Base URL; may carry a path and credentials. */
  readonly url: string;
  /** How people see it; default is the URL's host, port and path. */
  readonly name?: string;
  /** Base URL of `/parties/stake`, which real networks serve from their core node. Default is `url`. */
  readonly coreUrl?: string;
  /** Left out: the core's host. */
  readonly coreName?: string;
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
  /** Takes the place of the connection pools; stays its owner's to close. */
  readonly dispatcher?: HttpDispatcher;
  /** False: every question goes to a node, though identical ones still share a request. Default true. */
  readonly cache?: boolean;
  /** Told of every HTTP request, once it has ended; an export, once it has begun. */
  readonly onRequest?: (request: NodeRequest) => void;
}

/** Cursors whose giver is remembered. */
const MAX_CURSORS = 5000;

/** One node's base URLs; equal ones are one endpoint, with one budget. */
interface NodeEndpoints {
  readonly data: NodeEndpoint;
  readonly core: NodeEndpoint;
}

/** The client of one network. Throws TypeError for a base URL that is none. */
export function createApiClient(config: ApiClientConfig): ApiClient {
  const around: ClientContext = {
    network: config.network,
    simulated: config.simulated,
    log: config.log,
    limits: { ...DEFAULT_LIMITS, ...config.limits },
    clock: config.clock ?? systemClock,
    random: config.random ?? Math.random,
    cache: config.cache ?? true,
    ...(config.dispatcher === undefined ? {} : { dispatcher: config.dispatcher }),
    ...(config.onRequest === undefined ? {} : { onRequest: config.onRequest }),
  };
  const endpoints = new Map<string, NodeEndpoint>();
  const endpointAt = (url: string, name?: string): NodeEndpoint => {
    const known = endpoints.get(url);
    if (known !== undefined) return known;
    const opened = new NodeEndpoint(url, name, around);
    endpoints.set(url, opened);
    return opened;
  };
  const places = config.nodes.map(({ url, name, coreUrl, coreName }): NodeEndpoints => {
    const data = endpointAt(url, name);
    return { data, core: coreUrl === undefined ? data : endpointAt(coreUrl, coreName) };
  });
  if (places.length === 0) throw new TypeError("a network has at least one node");
  const nodes = places.map((place): NodeClient => ({
    name: place.data.name,
    get health() {
      return place.data.breaker.health;
    },
    ...operationsOver([place], around, { waits: false }),
  }));
  return {
    network: config.network,
    simulated: config.simulated,
    nodes,
    ...operationsOver(places, around, { waits: true }),
    assess: assessNodes(nodes, around),
    close: async () => {
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
    },
  };
}

function operationsOver(
  places: readonly NodeEndpoints[],
  around: ClientContext,
  manner: Pick<AttemptOptions, "waits">,
): Operations {
  const call = callOver(places, around, manner);
  const markets = marketNamesCache(call, around.clock);
  const assets = assetNamesCache(call, around.clock);
  const validators = nodeNamesCache(call, around.clock);
  return {
    ...operations(call),
    getListAssetBundle: listAssetBundleCall(call, assets, places[0]?.data.name ?? "", around),
    exportLedger: (query, options) =>
      openLedgerExport(
        places.map((place) => place.data),
        query,
        options,
        around,
      ),
    getMarketNames: (options) => markets.get(options),
    getAssetNames: (options) => assets.get(options),
    getNodeNames: (options) => validators.get(options),
  };
}

/** How questions are answered over these nodes, in their order of preference. */
function callOver(
  places: readonly NodeEndpoints[],
  around: ClientContext,
  manner: Pick<AttemptOptions, "waits">,
): Call {
  const data = places.map((place) => place.data);
  const core = [...new Set(places.map((place) => place.core))];
  const flights = new SingleFlight();
  const givers = new LRUCache<string, NodeEndpoint>({ max: MAX_CURSORS });
  const byName = new Map(data.map((endpoint) => [endpoint.name, endpoint]));

  return <T>(asked: ApiRequest<T>, options: CallOptions = {}): Promise<Answer<T>> => {
    const { signal, lane = "people", fresh = false } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const kept =
      fresh || asked.core === true ? undefined : firstNotBehind(data, around.clock.monotonicMillis())?.cached(asked);
    if (kept !== undefined) return Promise.resolve(kept);
    return flights.run(lane, asked.path, signal, (shared) => {
      const attempt: AttemptOptions = {
        ...manner,
        lane,
        fresh,
        deadlineMillis: around.clock.monotonicMillis() + around.limits.callMillis,
        signal: shared,
      };
      const giver = asked.cursor === undefined ? undefined : givers.get(asked.cursor);
      const inTurn = asked.core === true ? core : giver === undefined ? data : [giver];
      const answer = requestWithFailOver(inTurn, asked, attempt, around);
      return asked.pages === true ? answer.then(rememberGiver) : answer;
    });
  };

  function rememberGiver<T>(answer: Answer<T>): Answer<T> {
    const giver = byName.get(answer.asOf.node);
    const { rows = [] } = answer.value as { rows?: readonly { readonly cursor: string | undefined }[] };
    if (giver === undefined || data.length === 1) return answer;
    for (const { cursor } of rows) if (cursor !== undefined) givers.set(cursor, giver);
    return answer;
  }
}

/** Asks for the list-asset bundle, but not of an asset that is known to be no ERC20 token: some nodes crash on it. */
function listAssetBundleCall(
  call: Call,
  assets: NamesCache<AssetNames>,
  node: string,
  around: ClientContext,
): Operations["getListAssetBundle"] {
  return async (assetId, options = {}) => {
    const asked = questions.listAssetBundle(assetId);
    const { fresh: _, ...gently } = options;
    const names = await assets.get(gently);
    const known = names.find((asset) => asset.id.toLowerCase() === assetId.toLowerCase());
    if (known?.erc20 === false) {
      const named = known.symbol ?? known.name;
      const why = `was not asked, since it lists the asset${named === undefined ? "" : ` ${named}`} as no ERC20 token, and only those have such a bundle`;
      throw nodeFailure("invalid", why, { network: around.network, node, what: asked.what });
    }
    return call(asked, options);
  };
}
