import type { Clock } from "../../api/clock.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { nowMillis } from "../dependencies.ts";

/** A clock that runs a little fast or slow is put right by less than this at a time. */
const MIN_SET_BACK: Milliseconds = 1000;

/** Notices when the wall clock is set back, by the monotonic one. */
export class WallClockMonitor {
  readonly #clock: Clock;
  #ahead: Milliseconds;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ahead = this.#now();
  }

  /** By how much it was set back since this was asked last; 0 where it was not. */
  setBack(): Milliseconds {
    const before = this.#ahead;
    this.#ahead = this.#now();
    const back = before - this.#ahead;
    return back < MIN_SET_BACK ? 0 : Math.ceil(back);
  }

  /** What came of it was not kept: it is to be said again. */
  again(back: Milliseconds): void {
    this.#ahead += back;
  }

  #now(): Milliseconds {
    return nowMillis(this.#clock) - this.#clock.monotonicMillis();
  }
}
