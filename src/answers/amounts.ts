import type { AssetNames, MarketNames } from "../api/model/names.ts";
import { STAKE_DECIMALS } from "../api/model/stake.ts";
import { decimal, type Decimal, formatDecimal, parseDecimal, type RoundedPercent } from "../units/decimal.ts";

/** More decimals than any token or market has: a node that says more is not believed. */
const MAX_DECIMALS = 100;

/** Formats the numbers of one market: in units where its decimals are known, else as sent, marked raw. */
export interface MarketAmounts {
  /** A price, with all decimals of the market. */
  readonly price: (units: bigint | Decimal | undefined) => string;
  /** A size, a volume or an open interest. */
  readonly size: (units: bigint | undefined) => string;
  /** An amount of the settlement asset, as the node's text. */
  readonly amount: (units: string | undefined) => string;
  /** Whether prices are in units. */
  readonly known: boolean;
}

export function marketAmounts(market: MarketNames | undefined, asset?: AssetNames): MarketAmounts {
  const priceDecimals = validDecimals(market?.decimalPlaces, 0);
  const sizeDecimals = validDecimals(market?.positionDecimalPlaces, -MAX_DECIMALS);
  const symbol = asset?.symbol === undefined ? "" : ` ${asset.symbol}`;
  const assetDecimals = validDecimals(asset?.decimals, 0);
  return {
    known: priceDecimals !== undefined,
    price: (units) => {
      if (units === undefined) return "–";
      const exact = typeof units === "bigint" ? decimal(units) : units;
      if (priceDecimals === undefined) return `${formatDecimal(exact, { group: false })} raw`;
      const shown = shifted(exact, priceDecimals);
      return formatDecimal(shown, { trim: shown.scale > priceDecimals });
    },
    size: (units) => {
      if (units === undefined) return "–";
      return sizeDecimals === undefined ? `${units} raw` : formatDecimal(shifted(decimal(units), sizeDecimals));
    },
    amount: (units) => {
      const exact = units === undefined ? undefined : parseDecimal(units);
      if (exact === undefined) return units ?? "–";
      if (assetDecimals === undefined) return `${formatDecimal(exact, { group: false, trim: false })} raw`;
      return `${formatDecimal(shifted(exact, assetDecimals))}${symbol}`;
    },
  };
}

/** An amount of an asset: in units with its symbol where its decimals are known, else the integer, marked raw. */
export function assetAmount(units: bigint | undefined, asset: AssetNames | undefined): string {
  if (units === undefined) return "–";
  const decimals = validDecimals(asset?.decimals, 0);
  if (decimals === undefined) return `${units} raw`;
  const symbol = asset?.symbol === undefined ? "" : ` ${asset.symbol}`;
  return `${formatDecimal(decimal(units, decimals))}${symbol}`;
}

/** The smallest units in one of an asset, `1,000,000`; undefined where its decimals are unknown. */
export function smallestUnits(asset: AssetNames | undefined): string | undefined {
  const decimals = validDecimals(asset?.decimals, 0);
  return decimals === undefined ? undefined : formatDecimal(decimal(10n ** BigInt(decimals)));
}

/** Stake in whole tokens. */
export function stakeAmount(units: bigint | undefined): string {
  return units === undefined ? "–" : formatDecimal(decimal(units, STAKE_DECIMALS));
}

/** A fraction (`0.0375`) as percent (`3.75 %`), exactly. */
export function percentOfFraction(fraction: Decimal | undefined): string {
  if (fraction === undefined) return "–";
  return `${formatDecimal({ units: fraction.units * 100n, scale: fraction.scale })} %`;
}

const BESIDE_SIGNS = { below: "< ", above: "> " } as const;

/** A share in percent: `1.25 %`, `> 99.99 %` where it is not quite the whole. */
export function percentWords(percent: RoundedPercent | undefined): string {
  if (percent === undefined) return "–";
  const sign = percent.beside === undefined ? "" : BESIDE_SIGNS[percent.beside];
  return `${sign}${formatDecimal(percent, { trim: false })} %`;
}

function shifted(value: Decimal, decimals: number): Decimal {
  if (decimals >= 0) return { units: value.units, scale: value.scale + decimals };
  return { units: value.units * 10n ** BigInt(-decimals), scale: value.scale };
}

function validDecimals(places: number | undefined, least: number): number | undefined {
  return places !== undefined && Number.isInteger(places) && places >= least && places <= MAX_DECIMALS
    ? places
    : undefined;
}
