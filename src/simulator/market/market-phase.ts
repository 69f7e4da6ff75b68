import type { SeededRandom } from "../seeded-random.ts";
import type { Market } from "./market.ts";

/** The state of a market at a height. Heights of an auction are undefined outside one. */
export interface Phase {
  readonly state: string;
  readonly mode: string;
  readonly trigger: string;
  readonly extension: string;
  readonly auctionFrom?: number;
  readonly auctionTo?: number;
}

const NO_TRIGGER = "AUCTION_TRIGGER_UNSPECIFIED";
/** A jumpy market has an auction in every second slot of about 12 minutes; the others now and then in one of 2 hours. */
const JUMPY_SLOT_BLOCKS = 1000;
const CALM_SLOT_BLOCKS = 10_000;

/** Parts of its cycle at which an expiring market is pending, opens, stops trading and is settled. */
const PENDING_FROM = 0.03;
const OPEN_FROM = 0.08;
const OPEN_TO = 0.95;
const SETTLED_FROM = 0.98;
/** From there on the open interest is complete. */
const FULL_FROM = 0.3;
/** The halted markets stopped trading some nine days apart. */
const HALT_SPACING_BLOCKS = 1_100_000;

/** The last height, up to this one, at which a market traded: its price and its open interest do not change after it. */
export function lastTradedAt({ lifecycle, index }: Market, height: number): number {
  switch (lifecycle.kind) {
    case "trades":
      return height;
    case "halted":
      return lifecycle.state === "STATE_SUSPENDED" ? height : Math.min(height, (index % 100) * HALT_SPACING_BLOCKS);
    case "expiring":
      return Math.min(height, Math.floor((lifecycle.cycle + OPEN_TO) * lifecycle.cycleBlocks));
  }
}

/** How much of a market's usual open interest there is, from 0 to 1: that of an expiring market rises once it has opened. */
export function openInterestShare({ lifecycle }: Market, height: number): number {
  if (lifecycle.kind !== "expiring") return 1;
  const part = height / lifecycle.cycleBlocks - lifecycle.cycle;
  return Math.min(1, Math.max(0, (part - OPEN_FROM) / (FULL_FROM - OPEN_FROM)));
}

export function phaseOf(market: Market, height: number, random: SeededRandom): Phase {
  const { lifecycle } = market;
  switch (lifecycle.kind) {
    case "halted": {
      const { state, mode, trigger, since } = lifecycle;
      const auction = mode.endsWith("AUCTION") ? { auctionFrom: Math.min(height, since) } : {};
      return { state, mode, trigger, extension: NO_TRIGGER, ...auction };
    }
    case "expiring":
      return expiringPhase(lifecycle.cycle, lifecycle.cycleBlocks, height);
    case "trades":
      return tradingPhase(market, lifecycle.jumpy ? JUMPY_SLOT_BLOCKS : CALM_SLOT_BLOCKS, height, random);
  }
}

function tradingPhase(market: Market, slotBlocks: number, height: number, random: SeededRandom): Phase {
  const slot = Math.floor(height / slotBlocks);
  const jumpy = slotBlocks === JUMPY_SLOT_BLOCKS;
  const happens = jumpy ? slot % 2 === 0 : random.int(0, 2, "auction", market.index, slot) === 0;
  const from = slot * slotBlocks + random.int(50, slotBlocks / 2, "auction-from", market.index, slot);
  const to = from + random.int(90, Math.min(430, slotBlocks / 3), "auction-length", market.index, slot);
  if (!happens || height < from || height >= to) {
    return { state: "STATE_ACTIVE", mode: "TRADING_MODE_CONTINUOUS", trigger: NO_TRIGGER, extension: NO_TRIGGER };
  }
  const kind = random.int(0, 3, "auction-trigger", market.index, slot);
  // An extension becomes known only on the way.
  const extended = kind === 0 && height >= from + 45;
  return {
    state: "STATE_SUSPENDED",
    mode: "TRADING_MODE_MONITORING_AUCTION",
    trigger: kind === 3 ? "AUCTION_TRIGGER_LIQUIDITY_TARGET_NOT_MET" : "AUCTION_TRIGGER_PRICE",
    extension: extended ? "AUCTION_TRIGGER_LIQUIDITY" : NO_TRIGGER,
    auctionFrom: from,
    auctionTo: to,
  };
}

function expiringPhase(cycle: number, cycleBlocks: number, height: number): Phase {
  const start = cycle * cycleBlocks;
  const part = (height - start) / cycleBlocks;
  const openingTo = start + Math.floor(cycleBlocks * OPEN_FROM);
  if (part < OPEN_FROM) {
    return {
      state: part < PENDING_FROM ? "STATE_PROPOSED" : "STATE_PENDING",
      mode: "TRADING_MODE_OPENING_AUCTION",
      trigger: "AUCTION_TRIGGER_OPENING",
      extension: NO_TRIGGER,
      auctionFrom: start,
      auctionTo: openingTo,
    };
  }
  const trades = part < OPEN_TO;
  return {
    state: trades ? "STATE_ACTIVE" : part < SETTLED_FROM ? "STATE_TRADING_TERMINATED" : "STATE_SETTLED",
    mode: trades ? "TRADING_MODE_CONTINUOUS" : "TRADING_MODE_NO_TRADING",
    trigger: NO_TRIGGER,
    extension: NO_TRIGGER,
  };
}
