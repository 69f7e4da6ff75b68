import type { Nanoseconds } from "../units/nanoseconds.ts";
import { compareTimes, joinTime, readVegaTime, type SplitTime } from "./vega-time.ts";

/** Counts rows and remembers the earliest and latest of their times, without making anything per row. */
export class RowTally {
  rows = 0;
  #first: SplitTime | undefined;
  #last: SplitTime | undefined;
  readonly #time: SplitTime = { seconds: 0, nanos: 0 };

  get firstTime(): Nanoseconds | undefined {
    return this.#first === undefined ? undefined : joinTime(this.#first);
  }

  get lastTime(): Nanoseconds | undefined {
    return this.#last === undefined ? undefined : joinTime(this.#last);
  }

  /** One row, with the bytes of its vega_time. What is no time counts as a row and tells nothing about the span. */
  addWithTimeAt(bytes: Uint8Array, start: number, end: number): void {
    if (!this.addIfTimeAt(bytes, start, end)) this.rows += 1;
  }

  /** One row, if these bytes are its vega_time; false, and nothing is counted, where they are no time. */
  addIfTimeAt(bytes: Uint8Array, start: number, end: number): boolean {
    const isTime = readVegaTime(bytes, start, end, this.#time);
    if (isTime) this.add(this.#time);
    return isTime;
  }

  /** One row; the time is copied out. */
  add(time: SplitTime | undefined): void {
    this.rows += 1;
    if (time === undefined) return;
    if (this.#first === undefined || this.#last === undefined) {
      this.#first = { ...time };
      this.#last = { ...time };
    } else if (compareTimes(time, this.#first) < 0) {
      this.#first.seconds = time.seconds;
      this.#first.nanos = time.nanos;
    } else if (compareTimes(time, this.#last) > 0) {
      this.#last.seconds = time.seconds;
      this.#last.nanos = time.nanos;
    }
  }
}
