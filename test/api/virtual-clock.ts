import type { Clock } from "../../src/api/clock.ts";
import { nanoseconds, type Nanoseconds } from "../../src/units/nanoseconds.ts";

interface Sleeper {
  readonly untilMillis: number;
  readonly wake: () => void;
}

/** Both clocks stand still until the test moves them; whoever sleeps wakes in the order of their times. */
export class VirtualClock implements Clock {
  #nowMillis = 0;
  readonly #startedAt: Nanoseconds;
  readonly #sleepers = new Set<Sleeper>();

  constructor(startedAt = 1_682_942_400_000_000_000n) {
    this.#startedAt = nanoseconds(startedAt);
  }

  monotonicMillis(): number {
    return this.#nowMillis;
  }

  wallClock(): Nanoseconds {
    return nanoseconds(this.#startedAt + BigInt(Math.round(this.#nowMillis * 1e6)));
  }

  sleep(millis: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const sleeper: Sleeper = { untilMillis: this.#nowMillis + millis, wake: resolve };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason as Error);
      });
    });
  }

  async advance(millis: number): Promise<void> {
    const end = this.#nowMillis + millis;
    for (;;) {
      await settled();
      const next = [...this.#sleepers].toSorted((a, b) => a.untilMillis - b.untilMillis)[0];
      if (next === undefined || next.untilMillis > end) break;
      this.#nowMillis = Math.max(this.#nowMillis, next.untilMillis);
      this.#sleepers.delete(next);
      next.wake();
    }
    this.#nowMillis = end;
    await settled();
  }
}

/** Lets everything that can go on go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
