// The clock of a simulated network: block times, upgrades that pause them, stalls, and a node's view of one moment.
// `blocks.ts` and `validators.ts` list what the chain records.

import { fromSeconds, type Nanoseconds, nanoseconds } from "../../units/time.ts";
import { countWhile } from "../count-while.ts";
import type { SeededRandom } from "../seeded-random.ts";

/** Whole microseconds since genesis: exact as a number for 285 years. */
export type Micros = number;

/** 2023-01-01 00:00:00 UTC: the first block of every simulated network. */
export const GENESIS: Nanoseconds = fromSeconds(1_672_531_200n);
/** Clocks beyond the year 2110 stand still, so that no table grows without bound. */
const LAST_MICROS = 2_750_000_000_000_000;

export const SECOND: Micros = 1_000_000;
export const MINUTE: Micros = 60 * SECOND;
export const HOUR: Micros = 60 * MINUTE;
export const DAY: Micros = 24 * HOUR;

/** A clock before genesis counts as the second after it. */
export function toMicros(at: Nanoseconds): Micros {
  const micros = Number((at - GENESIS) / 1000n);
  return Math.min(LAST_MICROS, Math.max(SECOND, micros));
}

/** A span of wall time without blocks; `to` is Infinity while it lasts. */
export interface Stall {
  readonly from: Micros;
  readonly to: Micros;
}

/** Sorted, without overlap, and as known at `wall`: what comes later is left out. */
export function stallsUntil(stalls: readonly Stall[], wall: Micros): Stall[] {
  const merged: Stall[] = [];
  for (const { from, to } of stalls.toSorted((a, b) => a.from - b.from)) {
    const stall = { from, to: Math.min(to, wall) };
    const last = merged.at(-1);
    if (stall.to <= stall.from) continue;
    if (last !== undefined && stall.from <= last.to) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, stall.to) };
    } else {
      merged.push(stall);
    }
  }
  return merged;
}

/** Wall time to the network's own: it stands still in a stall. */
export function withoutStalls(stalls: readonly Stall[], wall: Micros): Micros {
  let lost = 0;
  for (const { from, to } of stalls) if (from < wall) lost += Math.min(to, wall) - from;
  return wall - lost;
}

/** The network's own time to wall time: missed blocks are not made up, a stall moves everything after it. */
export function withStalls(stalls: readonly Stall[], network: Micros): Micros {
  let wall = network;
  for (const { from, to } of stalls) {
    if (from >= wall) break;
    wall += to - from;
  }
  return wall;
}

/** The pace of a network; every span in microseconds. */
export interface ChainPace {
  readonly checkpointEvery: Micros;
  readonly withdrawalEvery: Micros;
  readonly upgradeEvery: Micros;
  readonly rotationEvery: Micros;
}

/** The mean time between blocks. */
export const BLOCK_MICROS = 700_000;
const JITTER_MICROS = 600_000;
const SNAPSHOT_SLOT_BLOCKS = 650;

/**
 * When blocks come. Three scales of time, all in microseconds since genesis: *active* time runs only while blocks are
 * made; *network* time adds the pauses of core upgrades; wall time adds the stalls that somebody asked for.
 * Heights, and all that hangs on them, live on the active scale and are therefore the same whatever the stalls.
 */
export class Chain {
  readonly pace: ChainPace;
  readonly #random: SeededRandom;
  /** For each upgrade: the active time at which blocks stop, and the sum of all pauses before it. */
  readonly #upgrades: { at: Micros; pausedBefore: Micros; pause: Micros }[] = [];

  constructor(random: SeededRandom, pace: ChainPace) {
    this.#random = random;
    this.pace = pace;
  }

  /** The active time of a block. Jitter stays below the mean, so heights and times rise together. */
  activeAtBlock(height: number): Micros {
    return height * BLOCK_MICROS + this.#random.int(0, JITTER_MICROS - 1, "block-time", height);
  }

  /** The last block made at or before this active time. */
  heightAt(active: Micros): number {
    const height = Math.floor(active / BLOCK_MICROS);
    return this.activeAtBlock(height) <= active ? height : Math.max(0, height - 1);
  }

  /** The first block made at or after this active time. */
  firstBlockFrom(active: Micros): number {
    const height = Math.floor(active / BLOCK_MICROS);
    return this.activeAtBlock(height) >= active ? height : height + 1;
  }

  /** Network time to active time; stands still during an upgrade. */
  toActive(network: Micros): Micros {
    this.#fillUpgrades(network);
    const index = countWhile(this.#upgrades, (upgrade) => upgrade.at + upgrade.pausedBefore < network);
    const last = this.#upgrades[index - 1];
    if (last === undefined) return network;
    return Math.max(last.at, network - last.pausedBefore - last.pause);
  }

  /** Active time to network time. */
  toNetwork(active: Micros): Micros {
    const last = this.#upgrades[this.upgradesBefore(active) - 1];
    return last === undefined ? active : active + last.pausedBefore + last.pause;
  }

  /** How many core upgrades were done before this active time. */
  upgradesBefore(active: Micros): number {
    this.#fillUpgrades(active);
    return countWhile(this.#upgrades, (upgrade) => upgrade.at < active);
  }

  /** The height of the nth snapshot: 300 to 1000 blocks after the one before. */
  snapshotHeight(index: number): number {
    return index * SNAPSHOT_SLOT_BLOCKS + this.#random.int(0, 350, "snapshot", index);
  }

  snapshotsUpTo(height: number): number {
    const index = Math.floor(height / SNAPSHOT_SLOT_BLOCKS);
    return this.snapshotHeight(index) <= height ? index : index - 1;
  }

  /** The active time of the nth withdrawal; one in four falls on a scheduled checkpoint, so that two share a block. */
  withdrawalAt(index: number): Micros {
    const { withdrawalEvery, checkpointEvery } = this.pace;
    const at = index * withdrawalEvery + this.#random.int(0, withdrawalEvery - 1, "withdrawal", index);
    if (this.#random.int(0, 3, "withdrawal-shares", index) > 0) return at;
    return Math.ceil(at / checkpointEvery) * checkpointEvery;
  }

  #fillUpgrades(until: Micros): void {
    const { upgradeEvery } = this.pace;
    let last = this.#upgrades.at(-1);
    while (last === undefined || last.at < until) {
      const index = this.#upgrades.length;
      const next = {
        at: Math.floor(upgradeEvery * (index + 0.2 + 0.6 * this.#random.unit("upgrade", index))),
        pausedBefore: last === undefined ? 0 : last.pausedBefore + last.pause,
        pause: this.#random.int(2 * MINUTE, 5 * MINUTE, "upgrade-pause", index),
      };
      this.#upgrades.push(next);
      last = next;
    }
  }
}

/** A node's view at one instant: its last block, and the time of each block. */
export type Moment = ReturnType<typeof momentAt>;

export function momentAt(chain: Chain, random: SeededRandom, allStalls: readonly Stall[], wall: Micros) {
  const stalls = stallsUntil(allStalls, wall);
  const activeAt = (at: Micros): Micros => chain.toActive(withoutStalls(stalls, Math.max(0, at)));
  const active = activeAt(wall);
  const microsOf = (height: number): Micros => withStalls(stalls, chain.toNetwork(chain.activeAtBlock(height)));
  return {
    height: Math.max(1, chain.heightAt(active)),
    /** Active time (see Chain): the clock of everything that happens on the network. */
    active,
    /** The active time at a wall time not after now. */
    activeAt,
    /** The wall time of a block, without what lies below the microsecond. */
    microsOf,
    /** The first block not yet dropped, `span` before now. */
    firstHeightWithin: (span: Micros): number => Math.max(1, chain.firstBlockFrom(activeAt(wall - span))),
    /** Also of a block to come, as far as can be known. */
    timeOf: (height: number): Nanoseconds =>
      nanoseconds(GENESIS + BigInt(microsOf(height)) * 1000n + BigInt(random.int(0, 999, "block-nanos", height))),
  };
}
