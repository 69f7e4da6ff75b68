import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import type { Nanoseconds } from "../../src/units/time.ts";
import { checkpointsWatcher } from "../../src/watchers/history/lists.ts";
import {
  type Claim,
  compareHistories,
  comparison,
  type Comparison,
} from "../../src/watchers/history/compare-histories.ts";
import { nodeHistoriesWatcher } from "../../src/watchers/history/node-histories.ts";
import { type MarketRecord, type MarketsState, marketsWatcher } from "../../src/watchers/markets/markets.ts";
import type { Watcher } from "../../src/watchers/watcher.ts";
import { BEGAN } from "../verdicts/chain.ts";
import type { SideWatcher } from "../verdicts/delivery.ts";
import { nodeName, type Round } from "../verdicts/world.ts";

const NODES = 3;
const OPTIONS = { network: "mainnet", nodes: NODES, config: DEFAULT_ALERTS_CONFIG };

/** A watcher that judges snapshots as `snapshotAt` makes them, at its own interval. */
function judging<Snapshot>(
  watcher: Watcher<Snapshot>,
  snapshotAt: (round: Round, before: Snapshot | undefined) => Snapshot,
): SideWatcher {
  const { name, every } = watcher;
  let before: Snapshot | undefined;
  let due = 0;
  return {
    name,
    every,
    look(round) {
      if (round.at < due) return undefined;
      due += every * Math.max(1, Math.ceil((round.at - due) / every));
      const snapshot = snapshotAt(round, before);
      const findings = watcher.judge(before, snapshot, round.wallClock as Nanoseconds);
      before = snapshot;
      return { ...findings, snapshot };
    },
  };
}

/** The markets of a network, as `recordAt` gives each at a moment; they are numbered from 0. */
export function markets(count: number, recordAt: (at: number, market: number) => MarketRecord): SideWatcher {
  return judging<MarketsState>(marketsWatcher(OPTIONS), ({ at, wallClock }, before) => {
    const all = Array.from({ length: count }, (_, index) => {
      const label = count === 1 ? "BTC/USDT" : `M${index + 1}/USDT`;
      return [`m${index + 1}`, { label, ...recordAt(at, index) }] as const;
    });
    return {
      since: before?.since ?? wallClock.toString(),
      looks: (before?.looks ?? 0) + 1,
      node: nodeName(0),
      behind: false,
      markets: Object.fromEntries(all),
    };
  });
}

/** A market that trades at a price. */
export function trading(price: string): MarketRecord {
  return { state: "STATE_ACTIVE", tradingMode: "TRADING_MODE_CONTINUOUS", price };
}

/** A market in an auction that began at a moment. */
export function inAuction(from: number): MarketRecord {
  return {
    state: "STATE_SUSPENDED",
    tradingMode: "TRADING_MODE_MONITORING_AUCTION",
    trigger: "AUCTION_TRIGGER_PRICE",
    auctionStart: nanosOf(from),
    price: "92000",
  };
}

/** Checkpoints made at these moments; those an hour before the world began are known. */
export function checkpoints(spacing: number, made: readonly number[]): SideWatcher {
  const before = Array.from({ length: 10 }, (_, index) => (index - 10) * spacing);
  const rowOf = (at: number) => ({ key: `${blockAt(at)}/h${blockAt(at)}`, block: blockAt(at), at: nanosOf(at) });
  return judging(checkpointsWatcher(OPTIONS), ({ at, wallClock }, last) => {
    const rows = [...before, ...made.filter((one) => one <= at)].map(rowOf);
    const known = new Set(last?.history.recent.map(({ key }) => key));
    const fresh = last === undefined ? [] : rows.filter(({ key }) => !known.has(key));
    return {
      history: {
        recent: rows,
        point: { height: blockAt(at), time: nanosOf(at) },
        node: nodeName(0),
        receivedAt: wallClock.toString(),
        behind: false,
      },
      fresh: fresh.map(({ key, block }) => ({ key, node: nodeName(0), atBlock: block, hash: `h${block}` })),
    };
  });
}

/** The checkpoints of three nodes, of which the first says other hashes in this span. */
export function otherHistory(from: number, to: number): SideWatcher {
  const claimsOf = (hash: string): Claim[] =>
    Array.from({ length: 5 }, (_, index) => {
      const block = BigInt(1000 * (index + 1));
      return { what: "checkpoints", block, field: "hash", values: [`${hash}${block}`] };
    });
  return judging(nodeHistoriesWatcher(OPTIONS), ({ at }, before) => {
    const answers = Array.from({ length: NODES }, (_, node) => ({
      node: nodeName(node),
      lists: new Set(["checkpoints" as const]),
      claims: claimsOf(node === 0 && from <= at && at < to ? "other" : "ours"),
    }));
    const known: Comparison | undefined = before === undefined ? undefined : comparison.decode(before);
    return comparison.encode(compareHistories(answers, known));
  });
}

function nanosOf(at: number): string {
  return `${BEGAN + Math.round(at)}000000`;
}

/** Blocks come every second here. */
function blockAt(at: number): string {
  return String(5_000_000 + Math.floor(at / 1000));
}
