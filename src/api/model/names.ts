import { z } from "zod";

import { bigintField, recordField, textField } from "./fields.ts";
import { page } from "./page.ts";

// Names and decimals, which real nodes serve beyond the contract. All of it is optional;
// where it does not answer, ids and raw integers are shown.

/** A party with its stake, in 10^-18 of the token. */
export interface Staker {
  readonly id: string;
  readonly stake: bigint;
}

const anything = z.unknown().optional();

const Market = z.looseObject({
  id: textField,
  state: textField,
  decimalPlaces: bigintField,
  positionDecimalPlaces: bigintField,
  tradableInstrument: recordField(
    z.looseObject({
      instrument: recordField(
        z.looseObject({
          code: textField,
          name: textField,
          future: recordField(z.looseObject({ settlementAsset: textField })),
        }),
      ),
    }),
  ),
});
export const Markets = z.looseObject({ markets: page(Market) });

const Asset = z.looseObject({
  id: textField,
  details: recordField(
    z.looseObject({
      name: textField,
      symbol: textField,
      decimals: bigintField,
      erc20: anything,
      builtinAsset: anything,
    }),
  ),
});
export const Assets = z.looseObject({ assets: page(Asset) });

const NetworkNode = z.looseObject({ id: textField, name: textField });
export const NetworkNodes = z.looseObject({ nodes: page(NetworkNode) });

/** A market's name and decimals. */
export type MarketNames = Readonly<NonNullable<ReturnType<typeof marketNames>>>;

export function marketNames(market: z.output<typeof Market>) {
  if (market.id === undefined) return undefined;
  const instrument = market.tradableInstrument?.instrument;
  return {
    id: market.id,
    code: instrument?.code,
    name: instrument?.name,
    decimalPlaces: places(market.decimalPlaces),
    positionDecimalPlaces: places(market.positionDecimalPlaces),
    settlementAsset: instrument?.future?.settlementAsset,
    /** `STATE_ACTIVE`; as old as the names are, so good for an order alone. */
    state: market.state,
  };
}

export type AssetNames = Readonly<NonNullable<ReturnType<typeof assetNames>>>;

export function assetNames(asset: z.output<typeof Asset>) {
  if (asset.id === undefined) return undefined;
  const { details } = asset;
  const otherwise = isThere(details?.builtinAsset) ? false : undefined;
  return {
    id: asset.id,
    name: details?.name,
    symbol: details?.symbol,
    decimals: places(details?.decimals),
    /** False where the node says it is no ERC20 token, undefined where nothing is known. */
    erc20: isThere(details?.erc20) || otherwise,
  };
}

export type NodeNames = Readonly<NonNullable<ReturnType<typeof nodeNames>>>;

export function nodeNames(node: z.output<typeof NetworkNode>) {
  return node.id === undefined ? undefined : { id: node.id, name: node.name };
}

/** Decimal places as a number where they make sense; a market's position may have negative ones, which count whole lots. */
function places(value: bigint | undefined): number | undefined {
  return value === undefined || value < -100n || value > 100n ? undefined : Number(value);
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
