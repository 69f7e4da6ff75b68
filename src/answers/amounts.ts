import type { MarketData } from "../api/model/market.ts";
import type { AssetNames, MarketNames } from "../api/model/names.ts";
import { STAKE_DECIMALS } from "../api/model/stake.ts";
import { type Inline, number } from "../reply/text.ts";
import {
  decimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  readPlaces,
  roundDecimal,
  type RoundedPercent,
  wholeDigits,
} from "../units/decimal.ts";

/** Significant digits that people read of a percentage. */
const READ_PERCENT_DIGITS = 3;

/** More decimals than any token or market has: a larger number counts as unknown. */
const MAX_DECIMALS = 100;

export type MarketAmounts = ReturnType<typeof marketAmounts>;

/** Words for the numbers of one market, exact and short: in units where its decimals are known, else as sent, marked raw. */
export function marketAmounts(market: MarketNames | undefined, asset?: AssetNames) {
  const priceDecimals = validDecimals(market?.decimalPlaces, 0);
  const sizeDecimals = validDecimals(market?.positionDecimalPlaces, -MAX_DECIMALS);
  const symbol = asset?.symbol === undefined ? "" : ` ${asset.symbol}`;
  const assetDecimals = decimalsOf(asset);
  return {
    /** Whether prices are in units. */
    known: priceDecimals !== undefined,
    /** A price as people would type it, with no more digits than they read; undefined where prices are not in units, and for 0. */
    typedPrice: (units: bigint): string | undefined => {
      if (priceDecimals === undefined) return undefined;
      const exact = shifted(decimal(units), priceDecimals);
      const typed = formatDecimal(roundDecimal(exact, readPlaces(exact)), { group: false });
      return typed === "0" ? undefined : typed;
    },
    /** A price, with all decimals of the market. */
    price: (units: bigint | Decimal | undefined): Inline => {
      if (units === undefined) return NOTHING;
      const exact = typeof units === "bigint" ? decimal(units) : units;
      if (priceDecimals === undefined) return plain(`${formatDecimal(exact, { group: false })} raw`);
      const shown = shifted(exact, priceDecimals);
      return readable(shown, { trim: shown.scale > priceDecimals });
    },
    /** A size, a volume or an open interest. */
    size: (units: bigint | undefined): Inline => {
      if (units === undefined) return NOTHING;
      return sizeDecimals === undefined ? plain(`${units} raw`) : readable(shifted(decimal(units), sizeDecimals));
    },
    /** The open interest at the mark price, to compare markets by; 0 where it is unknown. */
    activity: ({ openInterest = 0n, markPrice = 0n }: Pick<MarketData, "openInterest" | "markPrice">): Decimal =>
      shifted(decimal(openInterest * markPrice), (priceDecimals ?? 0) + (sizeDecimals ?? 0)),
    /** An amount of the settlement asset, as the node's text. */
    amount: (units: string | undefined): Inline => {
      const exact = units === undefined ? undefined : parseDecimal(units);
      if (exact === undefined) return units === undefined ? NOTHING : plain(units);
      if (assetDecimals === undefined) return plain(`${formatDecimal(exact, { group: false, trim: false })} raw`);
      return readable(shifted(exact, assetDecimals), { unit: symbol });
    },
  };
}

/** An amount of an asset: in units with its symbol where its decimals are known, else the integer, marked raw. */
export function assetAmount(units: bigint | undefined, asset: AssetNames | undefined): Inline {
  if (units === undefined) return NOTHING;
  const decimals = decimalsOf(asset);
  if (decimals === undefined) return plain(`${units} raw`);
  return readable(decimal(units, decimals), { unit: asset?.symbol === undefined ? "" : ` ${asset.symbol}` });
}

/**
 * Words for amounts of an asset that people add up: with so many digits that each of the sums, whose members add up to
 * zero, also does as it is shown. Sums that are not zero exactly are left out of account.
 */
export function summedAmounts(
  asset: AssetNames | undefined,
  sums: readonly (readonly bigint[])[],
): (units: bigint) => Inline {
  const decimals = decimalsOf(asset);
  if (decimals === undefined) return (units) => assetAmount(units, asset);
  const exact = sums.filter((members) => members.reduce((sum, one) => sum + one, 0n) === 0n);
  const rounded = (units: bigint, places: number): bigint => roundDecimal(decimal(units, decimals), places).units;
  const agree = (places: number): boolean =>
    exact.every((members) => members.reduce((sum, one) => sum + rounded(one, places), 0n) === 0n);
  let places = Math.max(0, ...exact.flat().map((units) => readPlaces(decimal(units, decimals))));
  while (places < decimals && !agree(places)) places += 1;
  const unit = asset?.symbol === undefined ? "" : ` ${asset.symbol}`;
  return (units) => {
    const value = decimal(units, decimals);
    return number(`${formatDecimal(value)}${unit}`, `${formatDecimal(roundDecimal(value, places))}${unit}`);
  };
}

/** The smallest units in one of an asset, `1,000,000`; undefined where its decimals are unknown. */
export function smallestUnits(asset: AssetNames | undefined): string | undefined {
  const decimals = decimalsOf(asset);
  return decimals === undefined ? undefined : formatDecimal(decimal(10n ** BigInt(decimals)));
}

/** Stake in whole tokens. */
export function stakeAmount(units: bigint | undefined): Inline {
  return units === undefined ? NOTHING : readable(decimal(units, STAKE_DECIMALS));
}

/** A fraction (`0.0375`) as percent (`3.75 %`), exactly. */
export function percentOfFraction(fraction: Decimal | undefined): Inline {
  if (fraction === undefined) return NOTHING;
  const percent = { units: fraction.units * 100n, scale: fraction.scale };
  return number(`${formatDecimal(percent)} %`, `${shortPercent(percent)} %`);
}

const BESIDE_SIGNS = { below: "< ", above: "> " } as const;

/** A share in percent: `1.25 %`, `> 99.99 %` where it is not quite the whole; in a column all with one precision. */
export function percentWords(percent: RoundedPercent | undefined, place?: "column"): Inline {
  if (percent === undefined) return NOTHING;
  const sign = percent.beside === undefined ? "" : BESIDE_SIGNS[percent.beside];
  const exact = `${sign}${formatDecimal(percent, { trim: percent.units === 0n })} %`;
  return place === "column" ? plain(exact) : number(exact, `${sign}${shortPercent(percent)} %`);
}

/** A share that is not the whole is never rounded to it. */
function shortPercent(percent: Decimal): string {
  const rounded = roundDecimal(percent, Math.max(0, READ_PERCENT_DIGITS - wholeDigits(percent)));
  const becameWhole = formatDecimal(rounded) === "100" && formatDecimal(percent) !== "100";
  return formatDecimal(becameWhole ? percent : rounded);
}

const NOTHING = plain("–");

function plain(shown: string): Inline {
  return { kind: "text", text: shown };
}

/** A number with all its decimals, and with those that people read. Without `trim`, the exact one keeps its zeros. */
function readable(value: Decimal, { unit = "", trim = true }: { unit?: string; trim?: boolean } = {}): Inline {
  const short = roundDecimal(value, readPlaces(value));
  return number(`${formatDecimal(value, { trim })}${unit}`, `${formatDecimal(short)}${unit}`);
}

function shifted(value: Decimal, decimals: number): Decimal {
  if (decimals >= 0) return { units: value.units, scale: value.scale + decimals };
  return { units: value.units * 10n ** BigInt(-decimals), scale: value.scale };
}

/** The decimals of an asset; undefined where the node gives none, or an impossible number. */
export function decimalsOf(asset: AssetNames | undefined): number | undefined {
  return validDecimals(asset?.decimals, 0);
}

function validDecimals(places: number | undefined, least: number): number | undefined {
  return places !== undefined && Number.isInteger(places) && places >= least && places <= MAX_DECIMALS
    ? places
    : undefined;
}
