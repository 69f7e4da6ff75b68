import type { MarketData } from "../../../api/model/market.ts";
import type { MarketNames } from "../../../api/model/names.ts";
import {
  compareDecimals,
  decimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  percentOf,
} from "../../../units/decimal.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { exactPrice, type MarketFacts, PERCENT_DIGITS } from "./market-measure.ts";
import type { AlertsConfig } from "../../alerts-config.ts";

type MarketDecimals = Pick<MarketNames, "decimalPlaces" | "positionDecimalPlaces">;

/** What alerts compare, in the market's units or in per cent; values that are missing, or zero prices, are left out. */
export function marketFactsOf(
  data: MarketData,
  names: MarketDecimals | undefined,
  nearest = data.markPrice === undefined ? undefined : nearestBound(data, data.markPrice),
): MarketFacts {
  const { bestBidPrice: bid, bestOfferPrice: offer, openInterest } = data;
  const priceOf = (units: bigint | undefined): string | undefined =>
    units === undefined || units <= 0n ? undefined : exactPrice(units, names);
  const spread = bid === undefined || offer === undefined || bid <= 0n || offer < bid ? undefined : offer - bid;
  const doubleMid = (bid ?? 0n) + (offer ?? 0n);
  const percent = (part: Decimal | undefined, whole: Decimal | undefined): string | undefined => {
    const share = part && whole && percentOf(part, whole, PERCENT_DIGITS);
    return share && formatDecimal(share, { group: false });
  };
  return withoutUndefined({
    mark: priceOf(data.markPrice),
    last: priceOf(data.lastTradedPrice),
    mid: priceOf(data.midPrice),
    bid: priceOf(bid),
    offer: priceOf(offer),
    indicative: priceOf(data.indicativePrice),
    spread: spread === undefined ? undefined : exactPrice(spread, names),
    "spread%": spread === undefined ? undefined : percent(decimal(spread * 2n), decimal(doubleMid)),
    "open-interest":
      openInterest === undefined
        ? undefined
        : exactPrice(openInterest, { decimalPlaces: names?.positionDecimalPlaces }),
    "stake-ratio": percent(parseDecimal(data.suppliedStake ?? ""), parseDecimal(data.targetStake ?? "")),
    bound: nearest && formatDecimal(nearest.distance, { group: false }),
  });
}

interface NearestBound {
  readonly bound: bigint;
  readonly side: "lower" | "upper";
  /** In percent of the price; 0 at the bound and beyond it. */
  readonly distance: Decimal;
}

/** The bound of price monitoring that is nearest to a price. */
export function nearestBound({ priceMonitoringBounds }: MarketData, price: bigint): NearestBound | undefined {
  let nearest: NearestBound | undefined;
  const consider = (side: NearestBound["side"], bound: bigint | undefined): void => {
    if (bound === undefined || bound <= 0n) return;
    const gap = side === "lower" ? price - bound : bound - price;
    const distance = percentOf(decimal(gap < 0n ? 0n : gap), decimal(price), PERCENT_DIGITS);
    if (distance === undefined) return;
    if (nearest === undefined || compareDecimals(distance, nearest.distance) < 0) nearest = { bound, side, distance };
  };
  for (const { minValidPrice, maxValidPrice } of priceMonitoringBounds) {
    consider("lower", minValidPrice);
    consider("upper", maxValidPrice);
  }
  return nearest;
}

/** How long the answer with all markets may be, so that it is asked for so often where its values are watched. */
const MARKET_PACES: readonly (readonly [bytes: number, every: Milliseconds])[] = [
  [100_000, 5000],
  [400_000, 15_000],
];

/** How often the values of markets are looked at that subscriptions name: a node answers all markets at once, or none. */
export function marketPace({ poll }: Pick<AlertsConfig, "poll">, bytes: number): Milliseconds {
  const [, every = poll.rest] = MARKET_PACES.find(([below]) => bytes < below) ?? [];
  return Math.min(every, poll.rest);
}
