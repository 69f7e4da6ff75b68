import { z } from "zod";

import { textField } from "./fields.ts";

// What a real node offers beyond the contract: names and decimals. All of it is optional;
// where it does not answer, ids and raw integers are shown.

/** A market's name and decimals. */
export interface MarketNames {
  readonly id: string;
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly decimalPlaces: number | undefined;
  readonly positionDecimalPlaces: number | undefined;
  readonly settlementAsset: string | undefined;
}

export interface AssetNames {
  readonly id: string;
  readonly name: string | undefined;
  readonly symbol: string | undefined;
  readonly decimals: number | undefined;
  /** False where the node says it is no ERC20 token, undefined where nothing is known. */
  readonly erc20: boolean | undefined;
}

export const NodeNames = z.looseObject({ id: textField, name: textField });
export interface NodeNames {
  readonly id: string;
  readonly name: string | undefined;
}
