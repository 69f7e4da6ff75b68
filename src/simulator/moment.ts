import { nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";
import type { Chain } from "./chain.ts";
import type { Chance } from "./chance.ts";
import { GENESIS, stallsUntil, withoutStalls, withStalls, type Micros, type Stall } from "./clock.ts";

/** What one node sees at one instant: the last block it has, and when each block was made. */
export interface Moment {
  readonly height: number;
  /** Active time (see Chain): the clock of everything that happens on the network. */
  readonly active: Micros;
  /** The first block not yet dropped, `span` before now. */
  firstHeightWithin(span: Micros): number;
  /** The active time at a wall time not after now. */
  activeAt(wall: Micros): Micros;
  /** The wall time of a block, without what lies below the microsecond. */
  microsOf(height: number): Micros;
  /** Also of a block to come, as far as can be known. */
  timeOf(height: number): Nanoseconds;
}

export function momentAt(chain: Chain, chance: Chance, allStalls: readonly Stall[], wall: Micros): Moment {
  const stalls = stallsUntil(allStalls, wall);
  const activeAt = (at: Micros): Micros => chain.toActive(withoutStalls(stalls, Math.max(0, at)));
  const active = activeAt(wall);
  const microsOf = (height: number): Micros => withStalls(stalls, chain.toNetwork(chain.activeAtBlock(height)));
  return {
    height: Math.max(1, chain.heightAt(active)),
    active,
    activeAt,
    microsOf,
    firstHeightWithin: (span) => Math.max(1, chain.firstBlockFrom(activeAt(wall - span))),
    timeOf: (height) =>
      nanoseconds(GENESIS + BigInt(microsOf(height)) * 1000n + BigInt(chance.int(0, 999, "block-nanos", height))),
  };
}
