import { entityFailure, entityNotFound, NodeCrash, readInt32, WireFailure } from "../gateway/gateway.ts";
import { type Page, type PagedList, pageOf } from "../gateway/pages.ts";
import type { NodeView, SimulatedNode } from "./node.ts";

export interface OperationRequest {
  readonly node: SimulatedNode;
  readonly view: NodeView;
  readonly query: URLSearchParams;
  /** The last part of the path, where the route has one. */
  readonly id: string;
}

type Answer = (question: OperationRequest) => Record<string, unknown>;

interface Route {
  readonly path: string;
  readonly answer: Answer;
  /** Whether a node of this dialect or setting serves the path at all. */
  readonly when?: (node: SimulatedNode) => boolean;
}

const ID = /^[\da-fA-F]{64}$/u;

const contract = (node: SimulatedNode): boolean => node.profile.dialect === "contract";
const older = (node: SimulatedNode): boolean => node.profile.dialect === "v0.71";
const names = (node: SimulatedNode): boolean => node.profile.names;

const networkTime: Answer = ({ view }) => ({ timestamp: view.time.toString() });

const rotations: Answer = ({ node, view, query }) => {
  const nodeId = query.get("nodeId") ?? "";
  const list = node.network.validators.rotations(view.moment, view.deviation, nodeId === "" ? undefined : nodeId);
  return { keyRotations: listed(list, { node, view, query }) };
};

/** A page of what the chain recorded, as the node lists it. */
function listed<Row>(list: PagedList<Row>, { node, view, query }: Omit<OperationRequest, "id">): Page {
  const page = pageOf(list, query, node.cursors);
  if (view.fault("disorder") === undefined) return page;
  const round = node.nextRound();
  const place = new Map(page.edges.map((edge, index) => [edge, node.network.random.unit("disorder", round, index)]));
  const edges = page.edges.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
  return { ...page, edges: [...edges, ...edges.slice(0, 1)] };
}

const order: Answer = ({ node, view, query, id }) => {
  const version = readInt32(query, "version");
  if (!ID.test(id)) throw entityFailure("invalidArgument", "not a valid order id", id);
  if (version !== undefined && version <= 0) {
    throw entityFailure("invalidArgument", "order version must be a positive integer");
  }
  const found = node.network.orders.find(id.toLowerCase(), version, view.moment);
  if (found === undefined) throw entityFailure("notFound", "order not found", id);
  return { order: found };
};

const orders: Answer = ({ node, view, query }) => {
  const list = node.network.orders.list(query.get("filter.partyIds"), query.get("filter.statuses"), view.moment);
  return { orders: pageOf(list, query, node.cursors) };
};

const listBundle: Answer = ({ node, query }) => {
  const assetId = query.get("assetId") ?? "";
  if (assetId === "") throw entityFailure("invalidArgument", "missing asset ID");
  const asset = node.network.assets.byId(assetId);
  // Older releases take every asset for a token of Ethereum, and fall over.
  if (asset !== undefined && asset.contract === undefined && older(node)) throw new NodeCrash("not an ERC20 asset");
  return node.network.bundles.listAsset(assetId, assetField(node));
};

const limitsBundle: Answer = ({ node, view, query }) => {
  const proposalId = query.get("proposalId") ?? "";
  if (proposalId === "") throw entityFailure("invalidArgument", "missing proposal ID");
  return node.network.bundles.limits(proposalId, assetField(node), view.moment);
};

const market: Answer = ({ node, view, id }) => {
  const found = node.network.markets.byId(id, view.moment);
  if (found === undefined) throw entityNotFound("market");
  return { market: node.network.markets.market(found, view.moment) };
};

const asset: Answer = ({ node, id }) => {
  const found = node.network.assets.byId(id);
  if (found === undefined) throw entityNotFound("asset");
  return { asset: node.network.assets.record(found) };
};

const partiesStake: Answer = ({ node, view, query }) => {
  const party = query.get("party") ?? "";
  return { partiesStake: node.network.stake.partiesStake(view.moment, party === "" ? undefined : party) };
};

/** Every operation that answers with one JSON document; `:id` stands for one part of the path. */
const ROUTES: readonly Route[] = [
  { path: "/api/v2/network/time", answer: networkTime, when: contract },
  { path: "/api/v2/vega/time", answer: networkTime, when: older },
  { path: "/api/v2/network/keys/ethereum/rotations", answer: rotations, when: contract },
  { path: "/api/v2/vega/keys/ethereum/rotations", answer: rotations, when: older },
  { path: "/api/v2/info", answer: ({ view }) => ({ version: view.version, commitHash: view.commitHash }) },
  { path: "/api/v2/order/:id", answer: order },
  {
    path: "/api/v2/markets/data",
    answer: ({ node, view }) => ({ marketsData: node.network.markets.marketsData(view.moment, node.nextRound()) }),
  },
  { path: "/api/v2/erc20/asset/limits/bundle", answer: limitsBundle },
  { path: "/api/v2/erc20/asset/list/bundle", answer: listBundle },
  {
    path: "/api/v2/snapshots",
    answer: ({ node, view, query }) => ({
      coreSnapshots: listed(node.network.blocks.snapshots(view.moment, view.deviation), { node, view, query }),
    }),
  },
  {
    path: "/api/v2/checkpoints",
    answer: ({ node, view, query }) => ({
      checkpoints: listed(node.network.blocks.checkpoints(view.moment, view.deviation), { node, view, query }),
    }),
  },
  { path: "/parties/stake", answer: partiesStake, when: (node) => node.profile.stake },
  {
    path: "/api/v2/markets",
    answer: ({ node, view, query }) => ({
      markets: pageOf(node.network.markets.markets(view.moment), query, node.cursors),
    }),
    when: names,
  },
  { path: "/api/v2/orders", answer: orders, when: names },
  { path: "/api/v2/market/:id", answer: market, when: names },
  {
    path: "/api/v2/assets",
    answer: ({ node, query }) => ({ assets: pageOf(node.network.assets.page(), query, node.cursors) }),
    when: names,
  },
  { path: "/api/v2/asset/:id", answer: asset, when: names },
  {
    path: "/api/v2/nodes",
    answer: ({ node, view, query }) => ({
      nodes: pageOf(node.network.validators.nodes(view.moment), query, node.cursors),
    }),
    when: names,
  },
];

/** The core node serves this alone, and without the headers of a data node. */
const CORE_ROUTES: readonly Route[] = [{ path: "/parties/stake", answer: partiesStake }];

/** Returns the document for a request. Throws WireFailure if a node would refuse it. */
export function answerOperation(
  asked: Omit<OperationRequest, "id">,
  path: string,
  at: "node" | "core",
): Record<string, unknown> {
  for (const route of at === "core" ? CORE_ROUTES : ROUTES) {
    if (route.when !== undefined && !route.when(asked.node)) continue;
    const id = matched(route.path, path);
    if (id !== undefined) return route.answer({ ...asked, id });
  }
  // Without details, unlike an entity that is not found.
  throw new WireFailure("notFound");
}

/** The part of the path that stands at `:id`, empty where the route has none; undefined where the path is another. */
function matched(route: string, path: string): string | undefined {
  const cut = route.indexOf(":id");
  if (cut === -1) return route === path ? "" : undefined;
  if (!path.startsWith(route.slice(0, cut))) return undefined;
  const id = path.slice(cut);
  return id === "" || id.includes("/") ? undefined : id;
}

/** The two documents disagree on the name of one field. */
function assetField(node: SimulatedNode): string {
  return node.profile.dialect === "contract" ? "networkAssetId" : "vegaAssetId";
}
