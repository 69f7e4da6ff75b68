// The markets of a simulated network and their prices. `market-phase.ts` gives their state at a height,
// `market-records.ts` their records, `orders.ts` the orders on them.

import type { Asset, Assets } from "../assets/assets.ts";
import type { SeededRandom } from "../seeded-random.ts";

export interface Market {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly asset: Asset;
  readonly decimalPlaces: number;
  readonly positionDecimalPlaces: number;
  /** In the market's smallest unit. */
  readonly basePrice: number;
  /** Numbers the markets of a network, and seeds their random values. */
  readonly index: number;
  /** The market whose price this one follows, a future its underlying; its own number otherwise. */
  readonly priceIndex: number;
  /** How far its price is from the one it follows, in parts per million. */
  readonly basis: number;
  readonly lifecycle: MarketLifecycle;
}

/**
 * The lifecycle of a market. `trades`: goes in and out of auctions; `jumpy` does so every few minutes, so that there is
 * always something to see. `halted`: stays in one state for ever,
 * `since` that height. `expiring`: is proposed, trades, expires and is settled.
 */
type MarketLifecycle =
  | { readonly kind: "trades"; readonly jumpy: boolean }
  | {
      readonly kind: "halted";
      readonly since: number;
      readonly state: string;
      readonly mode: string;
      readonly trigger: string;
    }
  | { readonly kind: "expiring"; readonly cycle: number; readonly cycleBlocks: number };

type Underlying = readonly [code: string, price: number, decimals: number, positionDecimals: number];

const UNDERLYINGS: readonly [Underlying, ...Underlying[]] = [
  ["BTC/USDT", 97_250, 5, 4],
  ["ETH/USDT", 3_310, 4, 3],
  ["SOL/USDT", 188, 4, 2],
  ["LINK/USDC", 17, 5, 1],
  ["AAVE/USDC", 164, 4, 2],
  ["ETH/BTC", 0.034_05, 8, 3],
  ["EUR/USD", 1.0712, 5, 0],
  ["GOLD/USDT", 2_655, 2, 3],
  ["OIL*BRENT*", 74, 3, 0],
  ["APPLE.SIM", 229, 3, 1],
  ["TSLA/EURo", 344, 2, 1],
  ["DOGE/USDT", 0.39, 6, -2],
  ["PEPE/USDT", 0.000_019, 10, -6],
  ["AVAX/USDC", 35, 4, 1],
  ["DOT/USDC", 6, 5, 1],
  ["ATOM/USDC", 6, 5, 1],
];
const RESTING: readonly [state: string, mode: string, trigger: string, code: string, like: string][] = [
  ["SETTLED", "MONITORING_AUCTION", "LIQUIDITY", "BTC/USDT-230331", "BTC/USDT"],
  ["SETTLED", "NO_TRADING", "UNSPECIFIED", "ETH/USDT-230331", "ETH/USDT"],
  ["SETTLED", "OPENING_AUCTION", "OPENING", "UNIDAI.MF21", "DOT/USDC"],
  ["PROPOSED", "OPENING_AUCTION", "OPENING", "MOON/USDT", "DOGE/USDT"],
  ["PENDING", "OPENING_AUCTION", "OPENING", "XMR/USDT", "SOL/USDT"],
  ["REJECTED", "OPENING_AUCTION", "OPENING", "<script>/USDT", "DOGE/USDT"],
  ["CANCELLED", "OPENING_AUCTION", "OPENING", "@everyone/USDT", "DOGE/USDT"],
  ["CLOSED", "NO_TRADING", "UNSPECIFIED", "CORN-2023", "OIL*BRENT*"],
  ["TRADING_TERMINATED", "NO_TRADING", "UNSPECIFIED", "BTC/USDT-230630", "BTC/USDT"],
  ["SUSPENDED", "MONITORING_AUCTION", "UNABLE_TO_DEPLOY_LP_ORDERS", "RICE/USDC", "LINK/USDC"],
];
/** States of a market that is not over: its auction is one to look at. */
const UNDER_WAY = new Set(["PROPOSED", "PENDING", "SUSPENDED"]);
/** The height from which the first of those that are over stood still, and how far the next ones are apart. */
const FIRST_HALT = 7000;
const HALTS_APART = 60;
const SETTLEMENTS = ["USDT", "USDC", "DAI", "EURo"] as const;
const ROLLS_KEPT = 3;

/** All markets of a network: 12 to 40 of them, expiring ones included. */
export class MarketCatalogue {
  readonly #random: SeededRandom;
  readonly #assets: Assets;
  readonly #fixed: readonly Market[];
  readonly #rollBlocks: number;

  /** `began`: the height at which the process began. */
  constructor(random: SeededRandom, assets: Assets, { rollBlocks, began }: { rollBlocks: number; began: number }) {
    this.#random = random;
    this.#assets = assets;
    this.#rollBlocks = rollBlocks;
    const trading = UNDERLYINGS.slice(0, random.int(8, UNDERLYINGS.length, "market-count")).map((_, index) =>
      this.#market(index, index, "", { kind: "trades", jumpy: index === 1 || index === 3 }),
    );
    const underlyingOf = (like: string): number => UNDERLYINGS.findIndex(([code]) => code === like);
    const resting = RESTING.map(([state, mode, trigger, code, like], index) => ({
      ...this.#market(100 + index, underlyingOf(like), code.startsWith(`${like}-`) ? code.slice(like.length) : "", {
        kind: "halted",
        since: UNDER_WAY.has(state) ? began : FIRST_HALT + index * HALTS_APART,
        state: `STATE_${state}`,
        mode: `TRADING_MODE_${mode}`,
        trigger: `AUCTION_TRIGGER_${trigger}`,
      }),
      code,
      name: `${code} futures`,
    }));
    this.#fixed = [...trading, ...resting];
  }

  /** The market that other records refer to: it always trades. */
  get first(): Market {
    const [market] = this.#fixed;
    if (market === undefined) throw new RangeError("a network has at least eight markets");
    return market;
  }

  /** The markets that trade for ever. */
  get trading(): readonly Market[] {
    return this.#fixed.filter((market) => market.lifecycle.kind === "trades");
  }

  at(height: number): readonly Market[] {
    const current = Math.floor(height / this.#rollBlocks);
    const expiring: Market[] = [];
    for (let cycle = Math.max(0, current - ROLLS_KEPT); cycle <= current; cycle++) {
      const lifecycle: MarketLifecycle = { kind: "expiring", cycle, cycleBlocks: this.#rollBlocks };
      expiring.push(this.#market(10_000 + cycle, 0, `-R${cycle}`, lifecycle));
    }
    return [...this.#fixed, ...expiring];
  }

  byId(id: string, height: number): Market | undefined {
    return this.at(height).find((market) => market.id === id);
  }

  #market(index: number, underlying: number, suffix: string, fate: MarketLifecycle): Market {
    const [code, price, decimalPlaces, positionDecimalPlaces] = UNDERLYINGS[underlying] ?? UNDERLYINGS[0];
    // A future's code is its underlying's with a date behind it.
    const dated = suffix.startsWith("-");
    const quote = SETTLEMENTS.find((symbol) => code.endsWith(symbol)) ?? "USDT";
    return {
      id: this.#random.hex(32, "market", index),
      code: `${code}${suffix}`,
      name: `${code}${suffix} ${suffix === "" ? "perpetual-like future" : "rolling future"}`,
      asset: this.#assets.bySymbol(quote),
      decimalPlaces,
      positionDecimalPlaces,
      basePrice: Math.round(price * 10 ** decimalPlaces),
      index,
      priceIndex: dated ? underlying : index,
      basis: dated ? this.#random.int(-2000, 6000, "basis", index) : 0,
      lifecycle: fate,
    };
  }
}

/** Waves that are added up: each has a new level, within so many parts per million, every so many blocks, and is linear in between. */
export type Waves = readonly (readonly [everyBlocks: number, partsPerMillion: number])[];

const PRICE: Waves = [
  [7, 90],
  [43, 260],
  [210, 700],
  [1_050, 1_700],
  [5_200, 4_200],
  [26_000, 11_000],
  [130_000, 30_000],
  [900_000, 90_000],
];

/** The fair price of a market at a height, in its smallest unit. It looks like a random walk, but needs no earlier price. */
export function priceAt(market: Market, height: number, random: SeededRandom): bigint {
  const swing = swingAt(PRICE, "price", market.priceIndex, height, random) + market.basis;
  return (BigInt(market.basePrice) * BigInt(1_000_000 + swing)) / 1_000_000n;
}

/** How far such waves are from their middle at a height, in parts per million. */
export function swingAt(waves: Waves, tag: string, index: number, height: number, random: SeededRandom): number {
  let swing = 0;
  for (const [everyBlocks, partsPerMillion] of waves) {
    const step = Math.floor(height / everyBlocks);
    const part = (height - step * everyBlocks) / everyBlocks;
    const from = random.unit(tag, index, everyBlocks, step) * 2 - 1;
    const to = random.unit(tag, index, everyBlocks, step + 1) * 2 - 1;
    swing += partsPerMillion * (from + (to - from) * part);
  }
  return Math.round(swing);
}

/** `part` parts per million of a price, at least one of its smallest units. */
export function millionths(price: bigint, part: number): bigint {
  const share = (price * BigInt(part)) / 1_000_000n;
  return share > 0n ? share : 1n;
}
