import type { SeededRandom } from "../../test/campaign/seeded-random.ts";
import type { Span } from "./sickness.ts";

/** Monday, 2024-06-03 12:00 UTC, in Unix milliseconds: the true time 0 of every world. */
export const BEGAN = 1_717_416_000_000;
/** So much of the chain is there before a world begins. */
const HISTORY = 7_500_000;
const FIRST_HEIGHT = 5_000_000;
/** So many snapshots are listed. */
const LISTED = 20;

/** A clock that is wrong for a while: by `by` at once, or more and more until it is `by`. */
export interface ClockFault extends Span {
  readonly by: number;
  readonly gradual: boolean;
}

/** Unix milliseconds with a fraction, and a height. */
export interface Position {
  readonly time: number;
  readonly height: number;
}

/** Blocks come so many times more slowly. */
export interface SlowSpan extends Span {
  readonly factor: number;
}

/** What makes a chain. Halts are in order and apart. */
interface ChainPlan {
  readonly length: number;
  readonly nodes: number;
  /** The mean interval of blocks. */
  readonly block: number;
  readonly halts: readonly Span[];
  readonly slow?: readonly SlowSpan[];
  readonly chainClock: readonly ClockFault[];
}

/** The blocks of a world: when each came, and the time that it carries (milliseconds of true time). */
export class Chain {
  readonly #plan: ChainPlan;
  readonly #came: Float64Array;
  readonly #stamps: Float64Array;
  /** Where each viewer looked last: the nodes, then the world itself. */
  readonly #cursors: number[];
  readonly #viewers: number;

  constructor(plan: ChainPlan, random: SeededRandom) {
    this.#plan = plan;
    this.#came = blocks(plan, random);
    this.#stamps = stamps(this.#came, plan.chainClock);
    this.#viewers = plan.nodes + 1;
    this.#cursors = Array.from({ length: this.#viewers }, () => 0);
  }

  /** The last block at a moment; `viewer` is who looks, for each of whom the search begins where it was. */
  at(t: number, viewer = this.#viewers - 1): Position {
    return this.#position(this.#indexAt(t, viewer));
  }

  /** The last block before or at a moment: when it came. */
  blockBefore(t: number, viewer = this.#viewers - 1): number {
    return this.#came[this.#indexAt(t, viewer)] ?? t;
  }

  /** The first block after a moment: when it came; the end of the world where there is none. */
  blockAfter(t: number): number {
    return this.#came[this.#indexAt(t, this.#viewers - 1) + 1] ?? this.#plan.length;
  }

  /** When the block of a height came. */
  cameAt(height: number): number {
    return this.#came[height - FIRST_HEIGHT] ?? 0;
  }

  /** The heights of the snapshots made by then, one in so many blocks, the newest last; none while they are withheld. */
  snapshotsBy({ height }: Position, every: number, withheld: readonly Span[]): readonly number[] {
    const found: number[] = [];
    for (let at = height - (height % every); at > FIRST_HEIGHT && found.length < LISTED; at -= every) {
      const came = this.cameAt(at);
      if (!withheld.some(({ from, to }) => from <= came && came < to)) found.unshift(at);
    }
    return found;
  }

  /** By how much the time of the last block is wrong: positive where it is ahead. */
  wrongAt(t: number): number {
    const index = this.#indexAt(t, this.#viewers - 1);
    return (this.#stamps[index] ?? 0) - (this.#came[index] ?? 0);
  }

  /** How long the chain stood between two moments. */
  haltedBetween(from: number, t: number): number {
    let millis = 0;
    for (const halt of this.#plan.halts) {
      if (halt.from >= t) break;
      millis += Math.max(0, Math.min(halt.to, t) - Math.max(halt.from, from));
    }
    return millis;
  }

  #position(index: number): Position {
    return { time: BEGAN + (this.#stamps[index] ?? 0), height: FIRST_HEIGHT + index };
  }

  /** The number of the last block that came by then; each node's view is found from where it was. */
  #indexAt(t: number, cursor: number): number {
    const came = this.#came;
    let index = this.#cursors[cursor] ?? 0;
    if (Math.abs((came[index] ?? 0) - t) > 40 * this.#plan.block) {
      let low = 0;
      let high = came.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if ((came[middle] ?? 0) <= t) low = middle;
        else high = middle - 1;
      }
      index = low;
    }
    while (index + 1 < came.length && (came[index + 1] ?? 0) <= t) index += 1;
    while (index > 0 && (came[index] ?? 0) > t) index -= 1;
    this.#cursors[cursor] = index;
    return index;
  }
}

/** What a clock is wrong by at a moment. */
export function clockAt(faults: readonly ClockFault[], t: number): number {
  for (const { from, to, by, gradual } of faults) {
    if (t >= from && t < to) return gradual ? (by * (t - from)) / (to - from) : by;
  }
  return 0;
}

/** When blocks come: at their pace, up to four tenths early or late, and none while the chain stands. */
function blocks({ length, block, halts, slow = [] }: ChainPlan, random: SeededRandom): Float64Array {
  const paceAt = (t: number): number => block * (slow.find(({ from, to }) => from <= t && t < to)?.factor ?? 1);
  const came: number[] = [];
  let halt = 0;
  for (let t = -HISTORY; t < length; t += paceAt(t) * (0.6 + 0.8 * random.next())) {
    let span = halts[halt];
    while (span !== undefined && span.to <= t) {
      halt += 1;
      span = halts[halt];
    }
    if (span !== undefined && t > span.from) {
      t = span.to;
      if (t >= length) break;
    }
    came.push(t);
  }
  return Float64Array.from(came);
}

/** The times that blocks carry: the validators' clock, which never goes back. */
function stamps(came: Float64Array, clock: readonly ClockFault[]): Float64Array {
  if (clock.length === 0) return came;
  let last = -Infinity;
  return came.map((t) => {
    last = Math.max(last + 1, t + clockAt(clock, t));
    return last;
  });
}
