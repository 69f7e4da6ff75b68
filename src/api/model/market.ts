import { z } from "zod";

import {
  bigintField,
  decimalField,
  listField,
  recordField,
  requiredListField,
  textField,
  timeField,
} from "./fields.ts";

export const PriceBound = z.looseObject({
  minValidPrice: bigintField,
  maxValidPrice: bigintField,
  referencePrice: textField,
  /** horizon and auctionExtension in seconds, probability as a fraction. */
  trigger: recordField(
    z.looseObject({ horizon: bigintField, probability: decimalField, auctionExtension: bigintField }),
  ),
});
export type PriceBound = z.infer<typeof PriceBound>;

export const LiquidityFeeShare = z.looseObject({
  party: textField,
  equityLikeShare: decimalField,
  averageEntryValuation: textField,
  averageScore: decimalField,
});
export type LiquidityFeeShare = z.infer<typeof LiquidityFeeShare>;

/** The latest state of a market. Prices / 10^decimalPlaces, volumes / 10^positionDecimalPlaces of the market. */
export const MarketData = z.looseObject({
  market: textField,
  timestamp: timeField,
  markPrice: bigintField,
  midPrice: bigintField,
  staticMidPrice: bigintField,
  lastTradedPrice: bigintField,
  indicativePrice: bigintField,
  indicativeVolume: bigintField,
  bestBidPrice: bigintField,
  bestBidVolume: bigintField,
  bestOfferPrice: bigintField,
  bestOfferVolume: bigintField,
  bestStaticBidPrice: bigintField,
  bestStaticBidVolume: bigintField,
  bestStaticOfferPrice: bigintField,
  bestStaticOfferVolume: bigintField,
  auctionStart: timeField,
  auctionEnd: timeField,
  nextMarkToMarket: timeField,
  openInterest: bigintField,
  /** In the settlement asset's smallest unit, like suppliedStake and targetStake. */
  marketValueProxy: textField,
  suppliedStake: textField,
  targetStake: textField,
  marketState: textField,
  marketTradingMode: textField,
  trigger: textField,
  extensionTrigger: textField,
  liquidityProviderFeeShare: listField(LiquidityFeeShare),
  priceMonitoringBounds: listField(PriceBound),
});
export type MarketData = z.infer<typeof MarketData>;

// Compiled with the first answer, since one answer holds thousands of records.
export const MarketsData = z.lazy(() => z.compile(z.looseObject({ marketsData: requiredListField(MarketData) })));

/** Nodes list settled and proposed markets, too; only those in these states can be traded, now or soon. */
export const LIVE_STATES: readonly string[] = ["STATE_ACTIVE", "STATE_SUSPENDED", "STATE_PENDING"];

export function isLiveState(state: string | undefined): boolean {
  return LIVE_STATES.includes(state ?? "");
}

/** Nothing is traded any more in these states, and prices stay as they are. */
const OVER_STATES: readonly string[] = [
  "STATE_TRADING_TERMINATED",
  "STATE_SETTLED",
  "STATE_CANCELLED",
  "STATE_REJECTED",
  "STATE_CLOSED",
];

export function isOverState(state: string | undefined): boolean {
  return OVER_STATES.includes(state ?? "");
}

/** Modes that a later release adds are auctions where they say so. */
export function isAuctionMode(mode: string | undefined): boolean {
  return mode?.endsWith("_AUCTION") === true;
}
