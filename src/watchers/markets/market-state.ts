import { z } from "zod";

import { DecimalText, TimeText } from "../../alerts/judge/kinds/json-fields.ts";
import { exactPrice } from "../../alerts/judge/kinds/price.ts";
import type { MarketData } from "../../api/model/market.ts";
import type { MarketNames } from "../../api/model/names.ts";
import { compareDecimals, decimal, type Decimal, formatDecimal, percentOf } from "../../units/decimal.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { observationCounter } from "../snapshot-schema.ts";

/** A market as it was last seen. Prices in the market's units, where its decimals are known. */
const marketRecord = z.object({
  label: z.string().exactOptional(),
  state: z.string().exactOptional(),
  tradingMode: z.string().exactOptional(),
  trigger: z.string().exactOptional(),
  auctionStart: TimeText.exactOptional(),
  auctionEnd: TimeText.exactOptional(),
  price: DecimalText.exactOptional(),
  /** The bound of price monitoring that is nearest to the price. */
  nearest: z
    .object({
      bound: DecimalText.exactOptional(),
      side: z.enum(["lower", "upper"]),
      distancePercent: DecimalText,
    })
    .exactOptional(),
  /** The market is not listed any more; this is its last state. */
  absent: z.literal(true).exactOptional(),
});
export type MarketRecord = z.infer<typeof marketRecord>;

/**
 * The markets of a network, by id. Stored as it is: for 20,000 markets, converting them takes longer than the rest of an
 * observation.
 */
export const MarketsState = z.object({
  ...observationCounter,
  node: z.string(),
  /** The network's time that the answer is as of. */
  time: TimeText.exactOptional(),
  /** The node is behind an earlier answer, so that nothing in its own is new. */
  behind: z.boolean(),
  markets: z.record(z.string(), marketRecord),
});
export type MarketsState = z.infer<typeof MarketsState>;

/** Digits behind the point of a distance in percent. */
const DISTANCE_DIGITS = 6;

/** The watched fields of one market. */
export function marketRecordOf(data: MarketData, names: MarketNames | undefined): MarketRecord {
  const { markPrice, marketState, marketTradingMode, trigger, auctionStart, auctionEnd } = data;
  const label = names?.code ?? names?.name;
  const price = markPrice === undefined || markPrice <= 0n ? undefined : markPrice;
  const shown = price === undefined ? undefined : exactPrice(price, names);
  const nearest = price === undefined ? undefined : nearestBound(data, price);
  return withoutUndefined({
    label,
    state: marketState,
    tradingMode: marketTradingMode,
    trigger,
    auctionStart: auctionStart?.toString(),
    auctionEnd: auctionEnd?.toString(),
    price: shown,
    nearest: nearest && {
      ...withoutUndefined({ bound: exactPrice(nearest.bound, names) }),
      side: nearest.side,
      distancePercent: formatDecimal(nearest.distance, { group: false }),
    },
  });
}

interface NearestBound {
  readonly bound: bigint;
  readonly side: "lower" | "upper";
  /** In percent of the price; 0 at the bound and beyond it. */
  readonly distance: Decimal;
}

function nearestBound({ priceMonitoringBounds }: MarketData, price: bigint): NearestBound | undefined {
  let nearest: NearestBound | undefined;
  const consider = (side: NearestBound["side"], bound: bigint | undefined): void => {
    if (bound === undefined || bound <= 0n) return;
    const gap = side === "lower" ? price - bound : bound - price;
    const distance = percentOf(decimal(gap < 0n ? 0n : gap), decimal(price), DISTANCE_DIGITS);
    if (distance === undefined) return;
    if (nearest === undefined || compareDecimals(distance, nearest.distance) < 0) nearest = { bound, side, distance };
  };
  for (const { minValidPrice, maxValidPrice } of priceMonitoringBounds) {
    consider("lower", minValidPrice);
    consider("upper", maxValidPrice);
  }
  return nearest;
}
