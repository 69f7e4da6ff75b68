import type { Chance } from "./chance.ts";
import type { Market } from "./market-catalogue.ts";

/** Waves laid over each other: each has a new level every so many blocks, swings by parts per million, and runs straight between. */
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

/** The fair price of a market at a height, in its smallest unit: looks like a random walk, yet can be asked anywhere. */
export function priceAt(market: Market, height: number, chance: Chance): bigint {
  const swing = swingAt(PRICE, "price", market.priceIndex, height, chance) + market.basis;
  return (BigInt(market.basePrice) * BigInt(1_000_000 + swing)) / 1_000_000n;
}

/** How far such waves are from their middle at a height, in parts per million. */
export function swingAt(waves: Waves, tag: string, index: number, height: number, chance: Chance): number {
  let swing = 0;
  for (const [everyBlocks, partsPerMillion] of waves) {
    const step = Math.floor(height / everyBlocks);
    const part = (height - step * everyBlocks) / everyBlocks;
    const from = chance.unit(tag, index, everyBlocks, step) * 2 - 1;
    const to = chance.unit(tag, index, everyBlocks, step + 1) * 2 - 1;
    swing += partsPerMillion * (from + (to - from) * part);
  }
  return Math.round(swing);
}

/** `part` parts per million of a price, at least one of its smallest units. */
export function millionths(price: bigint, part: number): bigint {
  const share = (price * BigInt(part)) / 1_000_000n;
  return share > 0n ? share : 1n;
}
