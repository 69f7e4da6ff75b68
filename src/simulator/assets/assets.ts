// The assets of a simulated network. `bundles.ts` are the signed bundles about them, `stake.ts` holds stakes and
// `ledger.ts` their movements.

import type { PagedList } from "../gateway/pages.ts";
import type { SeededRandom } from "../seeded-random.ts";

export interface Asset {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** The contract on Ethereum, or undefined for an asset that is not ERC20. */
  readonly contract: string | undefined;
  readonly status: "STATUS_ENABLED" | "STATUS_PENDING_LISTING";
}

const KINDS: readonly { symbol: string; name: string; decimals: number; builtin?: true; pending?: true }[] = [
  { symbol: "USDT", name: "Tether USD", decimals: 6 },
  { symbol: "USDC", name: "USD Coin", decimals: 6 },
  { symbol: "VEGA", name: "Vega", decimals: 18 },
  { symbol: "WETH", name: "Wrapped Ether", decimals: 18 },
  { symbol: "DAI", name: "Dai Stablecoin", decimals: 18 },
  { symbol: "EURo", name: "Euro & Søn @here", decimals: 5 },
  { symbol: "tDAI", name: "tDAI TEST (built in)", decimals: 5, builtin: true },
  { symbol: "NEW", name: "Newly proposed token", decimals: 18, pending: true },
];

export class Assets {
  readonly list: readonly Asset[];
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.list = KINDS.map((kind, index) => ({
      id: random.hex(32, "asset", index),
      symbol: kind.symbol,
      name: kind.name,
      decimals: kind.decimals,
      contract: kind.builtin ? undefined : `0x${random.hex(20, "asset-contract", index)}`,
      status: kind.pending ? "STATUS_PENDING_LISTING" : "STATUS_ENABLED",
    }));
  }

  byId(id: string): Asset | undefined {
    return this.list.find((asset) => asset.id === id);
  }

  /** The asset of this symbol; the list above holds every symbol that other parts name. */
  bySymbol(symbol: string): Asset {
    const asset = this.list.find((one) => one.symbol === symbol);
    if (asset === undefined) throw new RangeError(`no simulated asset is called ${symbol}`);
    return asset;
  }

  page(): PagedList<Asset> {
    return {
      rows: this.list,
      keyOf: (asset) => asset.id,
      compareKeys: (a, b) => this.#indexOf(a) - this.#indexOf(b),
      render: (asset) => this.record(asset),
    };
  }

  /** As `/api/v2/asset/{id}` gives it. */
  record(asset: Asset): Record<string, unknown> {
    const { id, name, symbol, decimals, contract, status } = asset;
    const kind =
      contract === undefined
        ? { builtinAsset: { maxFaucetAmountMint: `1${"0".repeat(decimals + 2)}` } }
        : { erc20: { contractAddress: contract, ...this.limits(asset) } };
    return { id, details: { name, symbol, decimals: String(decimals), quantum: "1", ...kind }, status };
  }

  limits(asset: Asset): { lifetimeLimit: string; withdrawThreshold: string } {
    const thousands = this.#random.int(5, 900, "asset-limit", this.#indexOf(asset.id));
    return {
      lifetimeLimit: `${thousands}000${"0".repeat(asset.decimals)}`,
      withdrawThreshold: `${this.#random.int(1, 9, "asset-threshold", this.#indexOf(asset.id))}${"0".repeat(asset.decimals)}`,
    };
  }

  #indexOf(id: string): number {
    return this.list.findIndex((asset) => asset.id === id);
  }
}
