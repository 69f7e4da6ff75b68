import { type Arbitrary, array, boolean, constantFrom, integer, oneof, record, tuple } from "fast-check";

import type { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import type { Verdict } from "../../../src/api/verdict/verdict.ts";
import { type Doing, play, type Script } from "../../api/verdict/watch.ts";
import { ASSET, PARTY } from "../../export/ledger-csv.ts";
import { auction, blind, down, stalled } from "../../alerts/readings.ts";

// Worlds in which commands are asked: the nodes and the watchers' verdict on them, markets, an order, stake, lists, and
// alerts in each state.

export const MARKET = "ab".repeat(32);
export const ORDER = "ef".repeat(32);
export const NODES = ["node-1", "node-2", "node-3"];

/** The rounds in which the watchers see the conditions of a world. */
export const ROUNDS = 14;

const doing = constantFrom<Doing>("on", "still", "off", "-90", "-400", "+20");
const parts = array(tuple(integer({ min: 0, max: 60 }), doing), { maxLength: 3 }).map((all) =>
  all.toSorted(([a], [b]) => a - b),
);
const nodes = array(
  record({
    parts,
    version: constantFrom("v0.71.4", "v0.71.4", "v0.72.0", undefined),
    commit: constantFrom("c1", "c2"),
  }),
  { minLength: 1, maxLength: NODES.length },
);

const amounts = oneof(
  integer({ min: 0, max: 5 }).map(BigInt),
  constantFrom(0n, 1n, 10n ** 18n, 123_456n * 10n ** 18n, 10n ** 40n),
);
const count = constantFrom(0, 0, 1, 2, 14, 15, 16, 1500);

const market = record({
  marketState: constantFrom(
    "ACTIVE",
    "ACTIVE",
    "SUSPENDED",
    "SUSPENDED_VIA_GOVERNANCE",
    "PENDING",
    "PROPOSED",
    "SETTLED",
    "CANCELLED",
    "NEW",
  ),
  marketTradingMode: constantFrom("CONTINUOUS", "CONTINUOUS", "MONITORING_AUCTION", "OPENING_AUCTION", "NO_TRADING"),
  trigger: constantFrom("PRICE", "LIQUIDITY_TARGET_NOT_MET", "OPENING"),
  markPrice: amounts,
  bestBidPrice: amounts,
  bestOfferPrice: amounts,
  openInterest: amounts,
});

const order = record({
  status: constantFrom(
    "ACTIVE",
    "EXPIRED",
    "CANCELLED",
    "STOPPED",
    "FILLED",
    "REJECTED",
    "PARTIALLY_FILLED",
    "PARKED",
    "NEW",
  ),
  size: integer({ min: 1, max: 100_000 }),
  remaining: integer({ min: 0, max: 1 }),
  reason: constantFrom(undefined, "ORDER_ERROR_SELF_TRADING", "ORDER_ERROR_MARGIN_CHECK_FAILED"),
});

const linking = record({
  amount: amounts,
  status: constantFrom("STATUS_PENDING", "STATUS_ACCEPTED", "STATUS_REJECTED"),
  type: constantFrom("TYPE_LINK", "TYPE_UNLINK"),
});
const party = record({ own: amounts, linkings: array(linking, { maxLength: 3 }) });

/** How a condition was in the rounds that the watchers saw. */
type Course = "good" | "suspicious" | "firing" | "recovering" | "over";
const course = constantFrom<Course>("good", "good", "good", "suspicious", "firing", "recovering", "over");

export const world = record({
  nodes,
  until: integer({ min: 0, max: 50 }).map((rounds) => rounds * 5),
  isWatched: boolean(),
  markets: array(market, { maxLength: 6 }),
  manyMarkets: constantFrom(0, 0, 0, 300),
  order,
  stake: array(party, { maxLength: 4 }),
  manyParties: constantFrom(0, 0, 0, 1200),
  rows: count,
  upgrades: integer({ min: 0, max: 3 }),
  courses: record({ stalled: course, blind: course, down: course, auction: course }),
  /** In long rounds what lasts becomes critical. */
  roundMillis: constantFrom(5000, 5000, 60_000),
  isSubscribed: boolean(),
  silences: array(constantFrom("node.down 2h", "all 1h", "market.auction 30m"), { maxLength: 2 }),
  isAcknowledged: boolean(),
  isSigned: boolean(),
  parties: integer({ min: 0, max: 3 }),
});
export type World = typeof world extends Arbitrary<infer W> ? W : never;

/** The verdict of the watchers at the end, and so where each node stands. */
export function verdictOf({ nodes: drawn, until }: World): Verdict {
  const script: Script = Object.fromEntries(drawn.map((one, index) => [NODES[index]!, one.parts]));
  return play(script, until).get(until)!;
}

/** What the watchers read in a round. */
export function readingsOf({ courses }: World, round: number): Reading[] {
  return [
    stalled(stateAt(courses.stalled, round)),
    blind(stateAt(courses.blind, round)),
    down(stateAt(courses.down, round), "node-1"),
    auction(stateAt(courses.auction, round), MARKET),
  ];
}

function stateAt(course: Course, round: number): Reading["state"] {
  const [from, to] = { good: [0, 0], suspicious: [13, 14], firing: [1, 14], recovering: [1, 13], over: [1, 5] }[
    course
  ] as [number, number];
  return round >= from && round < to ? "bad" : "good";
}

/** The bodies of a node's answers, by path. */
export function bodiesOf(drawn: World, node: number, now: bigint): Record<string, unknown> {
  const one = drawn.nodes[node];
  const row = <T>(build: (index: number) => T): T[] => Array.from({ length: drawn.rows }, (_, index) => build(index));
  const parties = [...drawn.stake, ...Array.from({ length: drawn.manyParties }, () => ({ own: 7n, linkings: [] }))];
  return {
    "/api/v2/info": { version: one?.version, commitHash: one?.commit },
    "/api/v2/markets/data": { marketsData: marketsOf(drawn) },
    [`/api/v2/order/${ORDER}`]: { order: orderOf(drawn, now) },
    "/parties/stake": {
      partiesStake: parties.map(({ own, linkings }, index) => ({
        party: index === 0 ? PARTY : index.toString(16).padStart(64, "0"),
        currentStakeAvailable: String(own),
        stakeLinkings: linkings.map((given, at) => ({
          ...given,
          id: `${at}`,
          amount: String(given.amount),
          ts: String(now),
        })),
      })),
    },
    "/api/v2/network/keys/ethereum/rotations": {
      keyRotations: page(
        row((index) => ({ nodeId: PARTY, oldAddress: "0x1", newAddress: "0x2", blockHeight: blockAt(index) })),
      ),
    },
    "/api/v2/snapshots": {
      coreSnapshots: page(
        row((index) => ({
          blockHash: "a",
          blockHeight: blockAt(index),
          coreVersion: `v0.71.${index < 3 ? drawn.upgrades : 0}`,
          protocolUpgradeBlock: false,
        })),
      ),
    },
    "/api/v2/checkpoints": {
      checkpoints: page(row((index) => ({ atBlock: blockAt(index), blockHash: "A", hash: `${index}` }))),
    },
    "/api/v2/erc20/asset/list/bundle": bundleOf(drawn),
    "/api/v2/erc20/asset/limits/bundle": { ...bundleOf(drawn), lifetimeLimit: "10", threshold: "4" },
    "/api/v2/markets": {
      markets: page([
        {
          id: MARKET,
          decimalPlaces: "2",
          positionDecimalPlaces: "1",
          tradableInstrument: { instrument: { code: "X/Y", name: "X in Y", future: { settlementAsset: ASSET } } },
        },
      ]),
    },
    "/api/v2/assets": { assets: page([{ id: ASSET, details: { name: "A", symbol: "B", decimals: "2", erc20: {} } }]) },
    "/api/v2/nodes": { nodes: page([{ id: PARTY, name: "validator-1" }]) },
  };
}

const blockAt = (index: number): string => String(9000 - 3 * index);

function marketsOf({ markets, manyMarkets }: World) {
  const [usual] = markets;
  const many = usual === undefined ? [] : Array.from({ length: manyMarkets }, () => usual);
  return [...markets, ...many].map(({ marketState, marketTradingMode, trigger, ...figures }, index) => ({
    market: index === 0 ? MARKET : index.toString(16).padStart(64, "9"),
    ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)])),
    midPrice: String((figures.bestBidPrice + figures.bestOfferPrice) / 2n),
    bestBidVolume: "1",
    bestOfferVolume: "1",
    auctionEnd: "0",
    marketState: `STATE_${marketState}`,
    marketTradingMode: `TRADING_MODE_${marketTradingMode}`,
    trigger: `AUCTION_TRIGGER_${trigger}`,
    liquidityProviderFeeShare: [],
    priceMonitoringBounds: [],
  }));
}

function orderOf({ order: { status, size, remaining, reason } }: World, now: bigint) {
  return {
    id: ORDER,
    marketId: MARKET,
    partyId: PARTY,
    createdAt: String(now),
    price: "500",
    version: "1",
    side: "SIDE_BUY",
    timeInForce: "TIME_IN_FORCE_GTC",
    type: "TYPE_LIMIT",
    reason,
    status: `STATUS_${status}`,
    size: String(size),
    remaining: String(remaining * size),
  };
}

function bundleOf({ isSigned }: World) {
  const signed = isSigned ? { signatures: `0x${"a".repeat(260)}` } : {};
  return { assetSource: "0x1", nonce: "2", networkAssetId: ASSET, ...signed };
}

function page(all: readonly object[]) {
  const edges = all.slice(0, 15).map((node, index) => ({ cursor: String(index), node }));
  return {
    edges,
    pageInfo: { startCursor: "0", endCursor: "14", hasNextPage: all.length > 15, hasPreviousPage: false },
  };
}

/** A world in which every command has something to say. */
export const FULL: World = {
  nodes: [
    { parts: [], version: "v0.71.4", commit: "c1" },
    { parts: [], version: "v0.71.4", commit: "c1" },
  ],
  until: 50,
  isWatched: true,
  markets: [
    {
      marketState: "ACTIVE",
      marketTradingMode: "CONTINUOUS",
      trigger: "PRICE",
      markPrice: 100n,
      bestBidPrice: 99n,
      bestOfferPrice: 101n,
      openInterest: 5n,
    },
  ],
  manyMarkets: 0,
  order: { status: "ACTIVE", size: 10, remaining: 1, reason: undefined },
  stake: [{ own: 5n, linkings: [{ amount: 5n, status: "STATUS_ACCEPTED", type: "TYPE_LINK" }] }],
  manyParties: 0,
  rows: 16,
  upgrades: 1,
  courses: { stalled: "good", blind: "good", down: "firing", auction: "recovering" },
  roundMillis: 5000,
  isSubscribed: true,
  silences: ["market.auction 30m"],
  isAcknowledged: true,
  isSigned: true,
  parties: 2,
};
