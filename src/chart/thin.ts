// Looks of any number become as many points as a picture shows: of each pixel the least, the greatest and the last value,
// and the worst state, so that a single bad look in a month is seen. Read by answers/charts, which make scenes of them.
import type { LaneState, Scene } from "../reply/chart.ts";
import type { Milliseconds, Stretch } from "../units/time.ts";

/** A fact of looks in a row. */
export interface Facts {
  /** What it was in a look; undefined where it was not seen. */
  at(look: number): unknown;
  /** The nearest number; NaN where there is none. */
  near(look: number): number;
}

/** Looks in a row, of which single facts are read. */
export interface LooksPart {
  readonly size: number;
  /** When a look was, and until when it counts: until the next one, or for as long as looks are apart. */
  from(look: number): Milliseconds;
  to(look: number): Milliseconds;
  /** The fact at a place of what was seen. */
  facts(...place: readonly (string | number)[]): Facts;
  /** Names the watch that made a look. */
  run(look: number): unknown;
}

/**
 * Reads what one watcher saw of a network, a part at a time: nothing else waits for more than some milliseconds.
 * @throws UserError where too many read, or where it takes too long; the signal's reason.
 */
export type ReadPast = (
  range: Stretch & { readonly network: string; readonly watcher: string },
  signal: AbortSignal,
) => AsyncGenerator<LooksPart>;

/** So many parts of the time are told apart. */
export const PIXELS = 400;
/** A lane that changes more often is told apart less finely. */
const MAX_PARTS = 130;

const WORSE: readonly LaneState[] = ["moves", "lags", "doubted", "silent", "stands"];

function pixels({ from, to }: Stretch, count: number) {
  const width = Math.max(1, to - from) / count;
  return {
    of: (at: Milliseconds): number => Math.min(count - 1, Math.max(0, Math.floor((at - from) / width))),
    begin: (pixel: number): Milliseconds => Math.round(from + pixel * width),
    has: (at: Milliseconds): boolean => at >= from && at <= to,
  };
}

/** One fact over time. */
export class ThinLine {
  /** The time of which it tells. */
  readonly span: Stretch;
  readonly #pixels: ReturnType<typeof pixels>;
  readonly #count: number;
  /** Of each pixel, where it has any. */
  readonly #least: Extreme[] = [];
  readonly #most: Extreme[] = [];
  readonly #last: Extreme[] = [];
  readonly #isCovered: Uint8Array;

  constructor(span: Stretch, count = PIXELS) {
    [this.span, this.#count] = [span, count];
    this.#pixels = pixels(span, count);
    this.#isCovered = new Uint8Array(count);
  }

  /** A value that was so at a moment, and until the next look at it; `text` is the exact one. */
  add(at: Milliseconds, value: number, until: Milliseconds, text = String(value)): void {
    if (!Number.isFinite(value) || !this.#pixels.has(at)) return;
    const pixel = this.#pixels.of(at);
    const [least, most] = [this.#least[pixel], this.#most[pixel]];
    if (least === undefined || value < least.value) this.#least[pixel] = { at, value, text };
    if (most === undefined || value >= most.value) this.#most[pixel] = { at, value, text };
    this.#last[pixel] = { at, value, text };
    this.#isCovered.fill(1, pixel, this.#pixels.of(until) + 1);
  }

  /** The points to draw; where nothing was seen, another run begins. */
  runs(): Scene["lines"][number]["runs"] {
    const runs: [number, number][][] = [];
    let isOpen = false;
    for (let pixel = 0; pixel < this.#count; pixel += 1) {
      const known = [this.#least[pixel], this.#most[pixel], this.#last[pixel]].filter((one) => one !== undefined);
      const points = known.filter((one, place) => known.findIndex((other) => isSame(one, other)) === place);
      if (points.length > 0) {
        if (!isOpen) runs.push([]);
        const inOrder = points.toSorted((one, other) => one.at - other.at);
        runs.at(-1)?.push(...inOrder.map(({ at, value }): [number, number] => [at, value]));
      }
      isOpen = this.#isCovered[pixel] === 1;
    }
    return runs;
  }

  /** Of each part of the time in which something was seen: its begin, and the lowest and highest value. */
  rows(): readonly { readonly at: Milliseconds; readonly least: Extreme; readonly most: Extreme }[] {
    return Array.from({ length: this.#count }, (_, pixel) => pixel).flatMap((pixel) => {
      const [least, most] = [this.#least[pixel], this.#most[pixel]];
      return least === undefined || most === undefined ? [] : [{ at: this.#pixels.begin(pixel), least, most }];
    });
  }
}

/** A value, when it was so, and as it was kept. */
export interface Extreme {
  readonly at: Milliseconds;
  readonly value: number;
  readonly text: string;
}

function isSame(one: Extreme, other: Extreme): boolean {
  return one.at === other.at && one.value === other.value;
}

/** What one of several did over time. */
export class ThinLane {
  readonly #pixels: ReturnType<typeof pixels>;
  /** Of each pixel the worst state, and from when until when it was so there. */
  readonly #worst = new Uint8Array(PIXELS);
  readonly #begins = new Float64Array(PIXELS);
  readonly #ends = new Float64Array(PIXELS);
  /** How long it was in each state. */
  readonly lengths = new Map<LaneState, Milliseconds>();
  readonly #span: Stretch;

  constructor(span: Stretch) {
    this.#span = span;
    this.#pixels = pixels(span, PIXELS);
  }

  add(from: Milliseconds, to: Milliseconds, state: LaneState): void {
    const [begin, end] = [Math.max(from, this.#span.from), Math.min(to, this.#span.to)];
    if (begin > end) return;
    this.lengths.set(state, (this.lengths.get(state) ?? 0) + end - begin);
    const rank = WORSE.indexOf(state) + 1;
    const last = Math.max(this.#pixels.of(begin), this.#pixels.of(end - 1));
    for (let pixel = this.#pixels.of(begin); pixel <= last; pixel += 1) {
      const worst = this.#worst[pixel] ?? 0;
      if (worst > rank) continue;
      const isNew = worst < rank;
      this.#worst[pixel] = rank;
      if (isNew) this.#begins[pixel] = Math.max(begin, this.#pixels.begin(pixel));
      this.#ends[pixel] = Math.min(end, this.#pixels.begin(pixel + 1));
    }
  }

  parts(): Scene["lanes"][number]["parts"] {
    let width = 1;
    for (;;) {
      const parts = this.#partsOf(width);
      if (parts.length <= MAX_PARTS) return parts;
      width *= 2;
    }
  }

  /** The worst state of so many pixels each, from its begin to its end. */
  #partsOf(width: number): Scene["lanes"][number]["parts"] {
    const parts: { from: Milliseconds; to: Milliseconds; state: LaneState }[] = [];
    let before: LaneState | undefined;
    for (let pixel = 0; pixel < PIXELS; pixel += width) {
      const ranks = this.#worst.subarray(pixel, pixel + width);
      const worst = Math.max(...ranks);
      const state = WORSE[worst - 1];
      const to = this.#ends[pixel + ranks.lastIndexOf(worst)] ?? 0;
      const last = parts.at(-1);
      if (last !== undefined && state !== undefined && state === before) last.to = to;
      else if (state !== undefined) parts.push({ from: this.#begins[pixel + ranks.indexOf(worst)] ?? 0, to, state });
      before = state;
    }
    return parts;
  }
}
