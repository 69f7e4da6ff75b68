import type { MarketNames } from "../../../api/model/names.ts";
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimal,
  formatDecimal,
  parseDecimal,
} from "../../../units/decimal.ts";

/** The thresholds of a price. */
interface PriceThresholds {
  readonly low?: string;
  readonly high?: string;
  readonly when: "beyond" | "within";
}

/** Whether a price meets the thresholds; undefined if the price cannot be read. */
export function isPriceBad(thresholds: PriceThresholds, shown: string | undefined): boolean | undefined {
  const side = priceSide(thresholds, shown);
  return side === undefined ? undefined : (thresholds.when === "within") === (side === "between");
}

/** Where a price is relative to the thresholds; on one of them it is between. Undefined if the price cannot be read. */
export function priceSide(
  { low: lower, high: upper }: Pick<PriceThresholds, "low" | "high">,
  shown: string | undefined,
): "below" | "between" | "above" | undefined {
  const price = parseDecimal(shown ?? "");
  if (price === undefined) return undefined;
  const low = parseDecimal(lower ?? "");
  const high = parseDecimal(upper ?? "");
  if (low !== undefined && compareDecimals(price, low) < 0) return "below";
  return high !== undefined && compareDecimals(price, high) > 0 ? "above" : "between";
}

/** How far a price is beyond the nearer threshold; undefined between them, and where it cannot be read. */
export function priceBeyond(given: PriceThresholds, shown: string | undefined): Decimal | undefined {
  const { low, high, when } = given;
  const price = parseDecimal(shown ?? "");
  const side = priceSide(given, shown);
  const limit = parseDecimal((side === "above" ? high : low) ?? "");
  if (price === undefined || limit === undefined || when === "within") return undefined;
  const past = addDecimals(price, { ...limit, units: -limit.units });
  return past.units < 0n ? { ...past, units: -past.units } : past;
}

/** A price in its market's units, to be compared with thresholds; undefined if its decimals are not known. */
export function exactPrice(units: bigint, market: Pick<MarketNames, "decimalPlaces"> | undefined): string | undefined {
  const places = market?.decimalPlaces;
  if (places === undefined || places < 0) return undefined;
  return formatDecimal(decimal(units, places), { group: false, trim: false });
}
