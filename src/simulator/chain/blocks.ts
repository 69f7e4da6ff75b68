import type { PagedList } from "../gateway/pages.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { type Chain, DAY, type Micros, type Moment } from "./chain.ts";

/** The release of the newer nodes and of the network. */
export const CORE_RELEASE = "v0.71.6";

/** How far back a node keeps checkpoints and snapshots. */
const RETENTION = 7 * DAY;

/** What a fault does to a node's view of the chain. */
export interface ChainDeviation {
  /** Goes into every hash, so that this node contradicts the others. */
  readonly salt?: string | undefined;
  /** Blocks after this height are of another chain, the same for all nodes that are on it. */
  readonly forkedAfter?: number | undefined;
  /** How far back it keeps checkpoints and snapshots, where that is less than usual. */
  readonly keeps?: Micros | undefined;
  /** The chain began anew after this height: nothing before it, and heights count from it. */
  readonly resetAt?: number | undefined;
  /** The core version of blocks after a height. */
  readonly coreVersion?: { readonly after: number; readonly version: string } | undefined;
}

interface BlockRow {
  readonly height: number;
  /** Orders events of the same block. */
  readonly sequence: number;
}

/** Blocks with their hashes, checkpoints and snapshots. */
export class Blocks {
  readonly #chain: Chain;
  readonly #random: SeededRandom;
  #checkpoints: { from: number; to: number; rows: BlockRow[] } = { from: 0, to: -1, rows: [] };

  constructor(chain: Chain, random: SeededRandom) {
    this.#chain = chain;
    this.#random = random;
  }

  checkpoints(moment: Moment, deviation: ChainDeviation): PagedList<BlockRow> {
    const from = firstKept(moment, deviation);
    return this.#listed(
      this.#checkpointsBetween(from, moment.height),
      deviation,
      // Only the block: two checkpoints of one block have the same cursor.
      (height, row) => ({
        hash: this.#hash("checkpoint", deviation, row.height, row.sequence),
        blockHash: this.#hash("block", deviation, row.height).toUpperCase(),
        atBlock: String(height),
      }),
    );
  }

  snapshots(moment: Moment, deviation: ChainDeviation): PagedList<BlockRow> {
    const from = firstKept(moment, deviation);
    const rows: BlockRow[] = [];
    for (let index = this.#chain.snapshotsUpTo(from - 1) + 1; ; index++) {
      const height = this.#chain.snapshotHeight(index);
      if (height > moment.height) break;
      if (height > 0) rows.push({ height, sequence: 0 });
    }
    return this.#listed(rows, deviation, (height, row) => ({
      blockHeight: String(height),
      blockHash: this.#hash("block", deviation, row.height),
      coreVersion: this.coreVersion(row.height, deviation),
      // A data node always says false here, also for the block of an upgrade.
      protocolUpgradeBlock: false,
    }));
  }

  coreVersion(height: number, deviation: ChainDeviation): string {
    const { coreVersion } = deviation;
    if (coreVersion !== undefined && height > coreVersion.after) return coreVersion.version;
    // There are hundreds of upgrades: numbered as builds of the release that the newer nodes name (https://semver.org/#spec-item-10).
    return `${CORE_RELEASE}+${this.#chain.upgradesBefore(this.#chain.activeAtBlock(height))}`;
  }

  #hash(kind: string, { salt, forkedAfter = Infinity }: ChainDeviation, height: number, ...more: number[]): string {
    const salts = [...(salt === undefined ? [] : [salt]), ...(height > forkedAfter ? ["fork"] : [])];
    return this.#random.hex(32, kind, height, ...more, ...salts);
  }

  #listed(
    rows: readonly BlockRow[],
    deviation: ChainDeviation,
    render: (shownHeight: number, row: BlockRow) => Record<string, unknown>,
  ): PagedList<BlockRow> {
    const shown = (row: BlockRow): number => row.height - (deviation.resetAt ?? 0);
    return {
      rows,
      keyOf: (row) => String(shown(row)),
      compareKeys: (a, b) => Number(a) - Number(b),
      render: (row) => render(shown(row), row),
    };
  }

  /** Kept between calls and only added to, since a list of seven days may hold ten thousand. */
  #checkpointsBetween(from: number, to: number): readonly BlockRow[] {
    const kept = this.#checkpoints;
    if (kept.to < kept.from || from < kept.from || from > kept.to) {
      this.#checkpoints = { from, to, rows: this.#findCheckpoints(from, to) };
    } else if (to > kept.to) {
      kept.rows.push(...this.#findCheckpoints(kept.to + 1, to));
      kept.to = to;
    }
    const { rows } = this.#checkpoints;
    const start = rows.findIndex((row) => row.height >= from);
    const end = rows.findLastIndex((row) => row.height <= to);
    return start === -1 ? [] : rows.slice(start, end + 1);
  }

  #findCheckpoints(from: number, to: number): BlockRow[] {
    const { checkpointEvery, withdrawalEvery } = this.#chain.pace;
    const rows = new Map<string, BlockRow>();
    const add = (active: number, sequence: number): void => {
      const height = this.#chain.firstBlockFrom(active);
      if (height >= from && height <= to) rows.set(`${height}:${sequence}`, { height, sequence });
    };
    const begin = this.#chain.activeAtBlock(from - 1);
    const end = this.#chain.activeAtBlock(to);
    const firstSlot = Math.max(1, Math.floor(begin / checkpointEvery));
    for (let at = firstSlot * checkpointEvery; at <= end; at += checkpointEvery) add(at, 0);
    // One falling on the next scheduled checkpoint may lie one checkpoint later than its own slot.
    const first = Math.floor((begin - checkpointEvery) / withdrawalEvery);
    for (let index = Math.max(1, first); index * withdrawalEvery <= end; index++) {
      add(this.#chain.withdrawalAt(index), 1);
    }
    return [...rows.values()].toSorted((a, b) => a.height - b.height || a.sequence - b.sequence);
  }
}

function firstKept(moment: Moment, { resetAt = 0, keeps = RETENTION }: ChainDeviation): number {
  return Math.max(moment.firstHeightWithin(Math.min(keeps, RETENTION)), resetAt + 1);
}
