import type { Chance } from "./chance.ts";
import type { Micros } from "./clock.ts";

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
const MINUTE = 60_000_000;
const SNAPSHOT_SLOT_BLOCKS = 650;

/**
 * When blocks come. Three scales of time, all in microseconds since genesis: *active* time runs only while blocks are
 * made; *network* time adds the pauses of core upgrades; wall time (clock.ts) adds the stalls that somebody asked for.
 * Heights, and all that hangs on them, live on the active scale and are therefore the same whatever the stalls.
 */
export class Chain {
  readonly pace: ChainPace;
  readonly #chance: Chance;
  /** For each upgrade: the active time at which blocks stop, and the sum of all pauses before it. */
  readonly #upgrades: { at: Micros; pausedBefore: Micros; pause: Micros }[] = [];

  constructor(chance: Chance, pace: ChainPace) {
    this.#chance = chance;
    this.pace = pace;
  }

  /** The active time of a block. Jitter stays below the mean, so heights and times rise together. */
  activeAtBlock(height: number): Micros {
    return height * BLOCK_MICROS + this.#chance.int(0, JITTER_MICROS - 1, "block-time", height);
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
    const index = this.#countUpgrades((upgrade) => upgrade.at + upgrade.pausedBefore < network, network);
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
    return this.#countUpgrades((upgrade) => upgrade.at < active, active);
  }

  /** The height of the nth snapshot: 300 to 1000 blocks after the one before. */
  snapshotHeight(index: number): number {
    return index * SNAPSHOT_SLOT_BLOCKS + this.#chance.int(0, 350, "snapshot", index);
  }

  snapshotsUpTo(height: number): number {
    const index = Math.floor(height / SNAPSHOT_SLOT_BLOCKS);
    return this.snapshotHeight(index) <= height ? index : index - 1;
  }

  /** The active time of the nth withdrawal; one in four falls on a scheduled checkpoint, so that two share a block. */
  withdrawalAt(index: number): Micros {
    const { withdrawalEvery, checkpointEvery } = this.pace;
    const at = index * withdrawalEvery + this.#chance.int(0, withdrawalEvery - 1, "withdrawal", index);
    if (this.#chance.int(0, 3, "withdrawal-shares", index) > 0) return at;
    return Math.ceil(at / checkpointEvery) * checkpointEvery;
  }

  #countUpgrades(isBefore: (upgrade: { at: Micros; pausedBefore: Micros }) => boolean, until: Micros): number {
    this.#fillUpgrades(until);
    let low = 0;
    let high = this.#upgrades.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const upgrade = this.#upgrades[middle];
      if (upgrade !== undefined && isBefore(upgrade)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #fillUpgrades(until: Micros): void {
    const { upgradeEvery } = this.pace;
    let last = this.#upgrades.at(-1);
    while (last === undefined || last.at < until) {
      const index = this.#upgrades.length;
      const next = {
        at: Math.floor(upgradeEvery * (index + 0.2 + 0.6 * this.#chance.unit("upgrade", index))),
        pausedBefore: last === undefined ? 0 : last.pausedBefore + last.pause,
        pause: this.#chance.int(2 * MINUTE, 5 * MINUTE, "upgrade-pause", index),
      };
      this.#upgrades.push(next);
      last = next;
    }
  }
}
