import type { Clock } from "../../api/clock.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { nowMillis } from "../dependencies.ts";

/** Corrections of a clock that drifts are smaller than this. */
const MIN_SET_BACK: Milliseconds = 1000;

/** Notices by the monotonic clock when the wall clock is set back. */
export class WallClockMonitor {
  readonly #clock: Clock;
  #ahead: Milliseconds;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ahead = this.#now();
  }

  /** By how much it was set back since the last call; 0 if it was not. */
  setBack(): Milliseconds {
    const before = this.#ahead;
    this.#ahead = this.#now();
    const back = before - this.#ahead;
    return back < MIN_SET_BACK ? 0 : Math.ceil(back);
  }

  /** The correction was not committed: the next call reports it again. */
  restore(back: Milliseconds): void {
    this.#ahead += back;
  }

  #now(): Milliseconds {
    return nowMillis(this.#clock) - this.#clock.monotonicMillis();
  }
}
