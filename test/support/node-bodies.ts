// A whole answer of every operation of a node, and ways to spoil it.

export const ID = "ab".repeat(32);
const TIME = `${Date.UTC(2026, 0, 15, 12)}000000`;

const linking = {
  id: ID,
  party: ID,
  amount: "1",
  ethereumAddress: "0x1",
  txHash: "0x2",
  logIndex: "1",
  blockHeight: "2",
  blockTime: "3",
  finalizedAt: "4",
  ts: "5",
  status: "STATUS_PENDING",
  type: "TYPE_LINK",
};
const page = (node: object) => ({
  edges: [
    { cursor: "c", node },
    { cursor: "d", node },
  ],
  pageInfo: { startCursor: "c", endCursor: "d", hasNextPage: true, hasPreviousPage: true },
});
const market = {
  market: ID,
  timestamp: TIME,
  markPrice: "100",
  midPrice: "100",
  staticMidPrice: "1",
  lastTradedPrice: "",
  indicativePrice: "0",
  indicativeVolume: "0",
  bestBidPrice: "99",
  bestBidVolume: "1",
  bestOfferPrice: "101",
  bestOfferVolume: "2",
  bestStaticBidPrice: "99",
  bestStaticBidVolume: "1",
  bestStaticOfferPrice: "101",
  bestStaticOfferVolume: "1",
  auctionStart: "0",
  auctionEnd: TIME,
  nextMarkToMarket: "-6795364578871345152",
  openInterest: "-5",
  marketValueProxy: "7",
  suppliedStake: "8",
  targetStake: "9",
  marketState: "STATE_ACTIVE",
  marketTradingMode: "TRADING_MODE_MONITORING_AUCTION",
  trigger: "AUCTION_TRIGGER_PRICE",
  extensionTrigger: "AUCTION_TRIGGER_UNSPECIFIED",
  liquidityProviderFeeShare: [{ party: ID, equityLikeShare: "0.5", averageEntryValuation: "12.5", averageScore: "1" }],
  priceMonitoringBounds: [
    {
      minValidPrice: "90",
      maxValidPrice: "110",
      referencePrice: "100.5",
      trigger: { horizon: "3600", probability: "0.99", auctionExtension: "300" },
    },
  ],
};
const order = {
  id: ID,
  batchId: "1",
  marketId: ID,
  partyId: ID,
  liquidityProvisionId: "",
  reference: "x",
  createdAt: TIME,
  updatedAt: TIME,
  expiresAt: "0",
  price: "5",
  size: "6",
  remaining: "2",
  version: "3",
  postOnly: true,
  reduceOnly: false,
  peggedOrder: { offset: "1", reference: "PEGGED_REFERENCE_MID" },
  side: "SIDE_BUY",
  status: "STATUS_STOPPED",
  timeInForce: "TIME_IN_FORCE_IOC",
  type: "TYPE_LIMIT",
  reason: "ORDER_ERROR_SELF_TRADING",
};
const bundle = {
  assetSource: "0x1",
  lifetimeLimit: "1",
  nonce: "2",
  signatures: "0x3",
  threshold: "4",
  networkAssetId: ID,
};
const names = {
  "/api/v2/markets": {
    markets: page({
      id: ID,
      decimalPlaces: "5",
      positionDecimalPlaces: "-2",
      tradableInstrument: { instrument: { code: "X", name: "Y", future: { settlementAsset: ID } } },
    }),
  },
  "/api/v2/assets": { assets: page({ id: ID, details: { name: "A", symbol: "B", decimals: "18", erc20: {} } }) },
  "/api/v2/nodes": { nodes: page({ id: ID, name: "N" }) },
};

/** A command of every operation, and its answer. */
export const cases: { line: string; path: string; body: object }[] = [
  { line: "time", path: "/api/v2/network/time", body: { timestamp: TIME } },
  { line: "info", path: "/api/v2/info", body: { version: "v0.71.4", commitHash: "c" } },
  { line: "market list", path: "/api/v2/markets/data", body: { marketsData: [market, market] } },
  { line: `market show ${ID}`, path: "/api/v2/markets/data", body: { marketsData: [market] } },
  { line: `order ${ID}`, path: `/api/v2/order/${ID}`, body: { order } },
  {
    line: "stake",
    path: "/parties/stake",
    body: { partiesStake: [{ party: ID, currentStakeAvailable: "1", stakeLinkings: [linking] }] },
  },
  {
    line: `stake ${ID}`,
    path: "/parties/stake",
    body: { partiesStake: [{ party: ID, currentStakeAvailable: "1", stakeLinkings: [linking] }] },
  },
  {
    line: "rotations",
    path: "/api/v2/network/keys/ethereum/rotations",
    body: { keyRotations: page({ nodeId: ID, oldAddress: "0x1", newAddress: "0x2", blockHeight: "3" }) },
  },
  {
    line: "snapshots",
    path: "/api/v2/snapshots",
    body: { coreSnapshots: page({ blockHash: "a", blockHeight: "1", coreVersion: "v1", protocolUpgradeBlock: false }) },
  },
  {
    line: "checkpoints",
    path: "/api/v2/checkpoints",
    body: { checkpoints: page({ atBlock: "1", blockHash: "A", hash: "b" }) },
  },
  { line: `bundle list-asset ${ID}`, path: "/api/v2/erc20/asset/list/bundle", body: bundle },
  { line: `bundle asset-limits ${ID}`, path: "/api/v2/erc20/asset/limits/bundle", body: bundle },
  ...Object.entries(names).map(([path, body]) => ({
    line: path.endsWith("nodes") ? "rotations" : "market list",
    path,
    body,
  })),
];

/** Every path in a value, as its keys. */
export function pathsIn(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (value === null || typeof value !== "object") return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...at, key]))];
}

export function replaced(value: unknown, [key, ...rest]: readonly string[], put: unknown): unknown {
  if (key === undefined) return put;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, put);
  return copy;
}
