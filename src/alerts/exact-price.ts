import type { MarketNames } from "../api/names.ts";
import { decimal, formatDecimal } from "../units/decimal.ts";

/** A price in its market's units, as thresholds are compared with it; undefined where its decimals are not known. */
export function exactPrice(units: bigint, market: Pick<MarketNames, "decimalPlaces"> | undefined): string | undefined {
  const places = market?.decimalPlaces;
  if (places === undefined || places < 0) return undefined;
  return formatDecimal(decimal(units, places), { group: false, trim: false });
}
