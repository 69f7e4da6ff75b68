// createApiClient: the client of one network. A call is answered from the cache, joins an identical one under way, or
// goes through fail-over.ts (the one retry layer) to a node (../node/node.ts).
// Read next: fail-over.ts (which node is next, and whether to retry), poll-nodes.ts (the network's state).
import { LRUCache } from "lru-cache";
import type { z } from "zod";

import { compareIntegers } from "../../units/decimal.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { Answer, ApiClient, CallOptions, NodeClient, Operations } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import { type Clock, systemClock } from "../clock.ts";
import { nodeFailure } from "../http/node-failure.ts";
import { openLedgerExport } from "../ledger/ledger.ts";
import { BODY_BYTES, type ClientLimits, DEFAULT_LIMITS } from "../limits.ts";
import * as requests from "../model/model.ts";
import { type ApiRequest, defineRequest, partiesStake } from "../model/model.ts";
import { assetNames, Assets, marketNames, Markets, NetworkNodes, nodeNames } from "../model/names.ts";
import type { Page } from "../model/page.ts";
import { firstNotBehind } from "../node/last-seen-block.ts";
import { type AttemptOptions, type ClientContext, NodeEndpoint } from "../node/node.ts";
import { SingleFlight } from "../node/single-flight.ts";
import { requestWithFailOver } from "./fail-over.ts";
import { assessNodes } from "./poll-nodes.ts";

export type { NodeRequest } from "../node/node.ts";

export interface NodeAddress {
  /** Base URL; may carry a path and credentials. */
  readonly url: string;
  /** The displayed name; default: the URL's host, port and path. */
  readonly name?: string;
  /** Base URL of `/parties/stake`, which real networks serve from their core node. Default is `url`. */
  readonly coreUrl?: string;
  /** Default: the core's host. */
  readonly coreName?: string;
  /** See LedgerStream. */
  readonly ledgerDays?: number;
}

/** The system's clock and Math.random by default; the cache is on by default. */
export interface ApiClientConfig
  extends Omit<ClientContext, Defaulted | "limits">, Partial<Pick<ClientContext, Defaulted>> {
  /** In order of preference, one or more. */
  readonly nodes: readonly NodeAddress[];
  readonly limits?: Partial<ClientLimits>;
}

type Defaulted = "clock" | "random" | "cache";

/** The number of cursors whose node is remembered. */
const MAX_CURSORS = 5000;

/** One node's base URLs; equal ones are one endpoint, with one budget. */
interface NodeEndpoints {
  readonly data: NodeEndpoint;
  readonly core: NodeEndpoint;
}

/** Gets the answer to one request. */
type Call = <T>(request: ApiRequest<T>, options: CallOptions | undefined) => Promise<Answer<T>>;

/** Names change rarely: when a market or an asset is proposed. */
const NAMES_CACHE_MILLIS: Milliseconds = 600_000;
/** A node without names is not asked again for this long. */
const NOT_OFFERED_CACHE_MILLIS: Milliseconds = 60_000;
const ROWS_PER_PAGE = 1000;
/** A safety bound, far beyond the number of markets: without its decimals, a market's prices cannot be watched. */
const MAX_PAGES = 50;

/** The client of one network. Throws TypeError for a base URL that is none. */
export function createApiClient({ nodes: addresses, limits, ...config }: ApiClientConfig): ApiClient {
  const context: ClientContext = {
    clock: systemClock,
    random: Math.random,
    cache: true,
    ...config,
    limits: { ...DEFAULT_LIMITS, ...limits },
  };
  const endpoints = new Map<string, NodeEndpoint>();
  const endpointAt = (url: string, name?: string, ledgerDays?: number): NodeEndpoint => {
    const known = endpoints.get(url);
    if (known !== undefined) return known;
    const opened = new NodeEndpoint(url, name, context, ledgerDays);
    endpoints.set(url, opened);
    return opened;
  };
  const nodeEndpoints = addresses.map(({ url, name, coreUrl, coreName, ledgerDays }): NodeEndpoints => {
    const data = endpointAt(url, name, ledgerDays);
    return { data, core: coreUrl === undefined ? data : endpointAt(coreUrl, coreName) };
  });
  if (nodeEndpoints.length === 0) throw new TypeError("a network has at least one node");
  const nodes = nodeEndpoints.map((one): NodeClient => ({
    name: one.data.name,
    get health() {
      return one.data.breaker.health;
    },
    ...operationsOver([one], context, { waits: false }),
  }));
  return {
    network: config.network,
    simulated: config.simulated,
    nodes,
    exportPauseMillis: context.limits.exportPauseMillis,
    ...operationsOver(nodeEndpoints, context, { waits: true }),
    assess: assessNodes(nodes, context),
    close: async () => {
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
    },
  };
}

function operationsOver(
  nodeEndpoints: readonly NodeEndpoints[],
  context: ClientContext,
  attemptDefaults: Pick<AttemptOptions, "waits">,
): Operations {
  const call = callOver(nodeEndpoints, context, attemptDefaults);
  const names = namesOperations(call, context.clock);
  return {
    ...names,
    // An invalid request rejects, like every other failure.
    getNetworkTime: (options) => call(requests.networkTime, options),
    getNodeInfo: (options) => call(requests.nodeInfo, options),
    getMarketsData: (options) => call(requests.marketsData, options),
    getOrder: async (orderId, version, options) => call(requests.order(orderId, version), options),
    getOrders: ordersCall(call, context.clock),
    getPartiesStake: async (party, options) => call(requests.partiesStake(party), options),
    getKeyRotations: async (query = {}, options) => call(requests.keyRotations(query), options),
    getSnapshots: async (query = {}, options) => call(requests.snapshots(query), options),
    getCheckpoints: async (query = {}, options) => call(requests.checkpoints(query), options),
    getAssetLimitsBundle: async (proposalId, options) => call(requests.assetLimitsBundle(proposalId), options),
    getListAssetBundle: listAssetBundleCall(call, names.getAssetNames, nodeEndpoints[0]?.data.name ?? "", context),
    exportLedger: (query, options) =>
      openLedgerExport(
        nodeEndpoints.map((one) => one.data),
        query,
        options,
        context,
      ),
  };
}

/** Sends requests to these nodes, in their order of preference. */
function callOver(
  nodeEndpoints: readonly NodeEndpoints[],
  context: ClientContext,
  attemptDefaults: Pick<AttemptOptions, "waits">,
): Call {
  const data = nodeEndpoints.map((one) => one.data);
  const core = [...new Set(nodeEndpoints.map((one) => one.core))];
  const singleFlight = new SingleFlight();
  // `max` would allocate the place of each cursor at once.
  const cursorOwners = new LRUCache<string, NodeEndpoint>({ maxSize: MAX_CURSORS, sizeCalculation: () => 1 });
  const byName = new Map(data.map((endpoint) => [endpoint.name, endpoint]));

  return <T>(request: ApiRequest<T>, options: CallOptions = {}): Promise<Answer<T>> => {
    const { signal, lane = "people", fresh = false, queueMillis } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const cached =
      fresh || request.core === true
        ? undefined
        : firstNotBehind(data, context.clock.monotonicMillis())?.cached(request);
    if (cached !== undefined) return Promise.resolve(cached);
    return singleFlight.run(lane, request.path, signal, (shared) => {
      const attempt: AttemptOptions = {
        ...attemptDefaults,
        lane,
        fresh,
        deadlineMillis: context.clock.monotonicMillis() + context.limits.callMillis,
        signal: shared,
        queueMillis,
      };
      const owner = request.cursor === undefined ? undefined : cursorOwners.get(request.cursor);
      const endpointsInOrder = request.core === true ? core : owner === undefined ? data : [owner];
      const answer = requestWithFailOver(endpointsInOrder, request, attempt, context);
      return request.pages === true ? answer.then(rememberOwner) : answer;
    });
  };

  function rememberOwner<T>(answer: Answer<T>): Answer<T> {
    const owner = byName.get(answer.asOf.node);
    const { rows = [] } = answer.value as { rows?: readonly { readonly cursor: string | undefined }[] };
    if (owner === undefined || data.length === 1) return answer;
    for (const { cursor } of rows) if (cursor !== undefined) cursorOwners.set(cursor, owner);
    return answer;
  }
}

/** Lists orders; none where the nodes fail, and they are left alone for a while where they offer no such list. */
function ordersCall(call: Call, clock: Clock): Operations["getOrders"] {
  let notOfferedUntilMillis = -1;
  return async (filter, options) => {
    if (clock.monotonicMillis() < notOfferedUntilMillis) return [];
    try {
      return (await call(requests.orderList(filter), options)).value;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.httpStatus === 404) notOfferedUntilMillis = clock.monotonicMillis() + NOT_OFFERED_CACHE_MILLIS;
      return [];
    }
  };
}

/** Gets the list-asset bundle, unless the asset is known to be no ERC20 token: some nodes crash on those. */
function listAssetBundleCall(
  call: Call,
  getAssetNames: Operations["getAssetNames"],
  node: string,
  context: ClientContext,
): Operations["getListAssetBundle"] {
  return async (assetId, options = {}) => {
    const request = requests.listAssetBundle(assetId);
    const { fresh: _, ...cachedOptions } = options;
    const names = await getAssetNames(cachedOptions);
    const known = names.find((asset) => asset.id.toLowerCase() === assetId.toLowerCase());
    if (known?.erc20 === false) {
      const named = known.symbol ?? known.name;
      const why = `was not asked, since it lists the asset${named === undefined ? "" : ` ${named}`} as no ERC20 token, and only those have such a bundle`;
      throw nodeFailure("invalid", why, { network: context.network, node, what: request.what });
    }
    return call(request, options);
  };
}

/** Keeps one kind of names for long: gets them, or the last known ones where the node fails. */
function cached<T>(clock: Clock, read: (options: CallOptions) => Promise<readonly T[]>) {
  let known: readonly T[] = [];
  let validUntilMillis = -1;
  return async (options: CallOptions = {}): Promise<readonly T[]> => {
    options.signal?.throwIfAborted();
    if (options.fresh !== true && clock.monotonicMillis() < validUntilMillis) return known;
    try {
      known = await read(options);
      validUntilMillis = clock.monotonicMillis() + NAMES_CACHE_MILLIS;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof ApiError)) throw error;
      validUntilMillis = clock.monotonicMillis() + NOT_OFFERED_CACHE_MILLIS;
    }
    return known;
  };
}

/** Reads a list of names, page after page, and keeps it. */
function cachedPages<S extends z.ZodType, Row, T>(
  call: Call,
  clock: Clock,
  list: string,
  schema: S,
  pick: (parsed: z.output<S>) => Page<Row>,
  namesOf: (row: Row) => T | undefined,
): (options?: CallOptions) => Promise<readonly T[]> {
  const requestFor = (after: string | undefined): ApiRequest<Page<Row>> => {
    const query = new URLSearchParams({ "pagination.first": String(ROWS_PER_PAGE) });
    if (after !== undefined) query.set("pagination.after", after);
    return defineRequest({
      path: `/api/v2/${list}?${query.toString()}`,
      what: `the ${list}' names`,
      schema,
      maxBytes: BODY_BYTES.names,
      pick,
      cacheMillis: 0,
      pages: true,
      ...(after === undefined ? {} : { cursor: after }),
    });
  };
  return cached(clock, async (options) => {
    const names: T[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const { value }: { value: Page<Row> } = await call(requestFor(after), options);
      names.push(...value.rows.map(({ node }) => namesOf(node)).filter((one) => one !== undefined));
      if (!value.hasNextPage || value.endCursor === undefined || value.endCursor === after) break;
      after = value.endCursor;
    }
    return names;
  });
}

/** The operations for names, of which each has its own cache. */
function namesOperations(call: Call, clock: Clock) {
  return {
    getMarketNames: cachedPages(call, clock, "markets", Markets, ({ markets }) => markets, marketNames),
    getAssetNames: cachedPages(call, clock, "assets", Assets, ({ assets }) => assets, assetNames),
    getNodeNames: cachedPages(call, clock, "nodes", NetworkNodes, ({ nodes }) => nodes, nodeNames),
    getStakers: cached(clock, async (options) => {
      const { value } = await call(partiesStake(undefined), options);
      return value
        .flatMap(({ party: id, currentStakeAvailable: stake = 0n }) => (id === undefined ? [] : [{ id, stake }]))
        .toSorted((a, b) => compareIntegers(b.stake, a.stake));
    }),
  } satisfies Partial<Operations>;
}
