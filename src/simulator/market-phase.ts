import type { Chance } from "./chance.ts";
import type { Market } from "./market-catalogue.ts";

/** What a market does at a height. Heights of an auction are undefined outside one. */
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

export function phaseOf(market: Market, height: number, chance: Chance): Phase {
  switch (market.fate.kind) {
    case "rests":
      return {
        state: market.fate.state,
        mode: market.fate.mode,
        trigger: market.fate.trigger,
        extension: NO_TRIGGER,
        ...(market.fate.mode.endsWith("AUCTION") ? { auctionFrom: 1000 + market.index * 60 } : {}),
      };
    case "rolls":
      return rollingPhase(market.fate.cycle, market.fate.cycleBlocks, height);
    case "trades":
      return tradingPhase(market, market.fate.jumpy ? JUMPY_SLOT_BLOCKS : CALM_SLOT_BLOCKS, height, chance);
  }
}

function tradingPhase(market: Market, slotBlocks: number, height: number, chance: Chance): Phase {
  const slot = Math.floor(height / slotBlocks);
  const jumpy = slotBlocks === JUMPY_SLOT_BLOCKS;
  const happens = jumpy ? slot % 2 === 0 : chance.int(0, 2, "auction", market.index, slot) === 0;
  const from = slot * slotBlocks + chance.int(50, slotBlocks / 2, "auction-from", market.index, slot);
  const to = from + chance.int(90, Math.min(430, slotBlocks / 3), "auction-length", market.index, slot);
  if (!happens || height < from || height >= to) {
    return { state: "STATE_ACTIVE", mode: "TRADING_MODE_CONTINUOUS", trigger: NO_TRIGGER, extension: NO_TRIGGER };
  }
  const kind = chance.int(0, 3, "auction-trigger", market.index, slot);
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

function rollingPhase(cycle: number, cycleBlocks: number, height: number): Phase {
  const start = cycle * cycleBlocks;
  const part = (height - start) / cycleBlocks;
  const openingTo = start + Math.floor(cycleBlocks * 0.08);
  if (part < 0.08) {
    return {
      state: part < 0.03 ? "STATE_PROPOSED" : "STATE_PENDING",
      mode: "TRADING_MODE_OPENING_AUCTION",
      trigger: "AUCTION_TRIGGER_OPENING",
      extension: NO_TRIGGER,
      auctionFrom: start,
      auctionTo: openingTo,
    };
  }
  const trades = part < 0.95;
  return {
    state: trades ? "STATE_ACTIVE" : part < 0.98 ? "STATE_TRADING_TERMINATED" : "STATE_SETTLED",
    mode: trades ? "TRADING_MODE_CONTINUOUS" : "TRADING_MODE_NO_TRADING",
    trigger: NO_TRIGGER,
    extension: NO_TRIGGER,
  };
}
