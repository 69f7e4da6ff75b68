import type { Clock } from "../../src/api/clock.ts";
import { nanoseconds, type Nanoseconds, toMillis } from "../../src/units/time.ts";

interface Sleeper {
  readonly untilMillis: number;
  readonly wake: () => void;
}

/** What else there is to do about time. */
interface TimeCare {
  /** Resolves once everything has gone on that can. */
  readonly settle?: () => Promise<void>;
  /** Called with the wall clock, in Unix milliseconds, before sleepers wake. */
  readonly moved?: (wallMillis: number) => Promise<void>;
}

/** Both clocks stand still until the test advances them; sleepers wake in order of time. */
export class VirtualClock implements Clock {
  #nowMillis = 0;
  #startedAt: Nanoseconds;
  readonly #care: Required<TimeCare>;
  readonly #sleepers = new Set<Sleeper>();

  constructor(
    startedAt = 1_682_942_400_000_000_000n,
    { settle = settled, moved = async () => undefined }: TimeCare = {},
  ) {
    this.#startedAt = nanoseconds(startedAt);
    this.#care = { settle, moved };
  }

  monotonicMillis(): number {
    return this.#nowMillis;
  }

  wallClock(): Nanoseconds {
    return nanoseconds(this.#startedAt + BigInt(Math.round(this.#nowMillis * 1e6)));
  }

  /** Sets the wall clock, ahead or back; the monotonic one goes on. */
  setWall(millis: number): void {
    this.#startedAt = nanoseconds(this.#startedAt + BigInt(Math.round(millis * 1e6)));
  }

  sleep(millis: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const leave = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const sleeper: Sleeper = { untilMillis: this.#nowMillis + millis, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  async advance(millis: number): Promise<void> {
    const end = this.#nowMillis + millis;
    for (;;) {
      await this.#care.settle();
      const next = this.#first();
      if (next === undefined || next.untilMillis > end) break;
      this.#nowMillis = Math.max(this.#nowMillis, next.untilMillis);
      await this.#care.moved(toMillis(this.wallClock()));
      this.#sleepers.delete(next);
      next.wake();
    }
    this.#nowMillis = end;
    await this.#care.settle();
  }

  /** Moves both clocks in one step, as on a machine that was suspended: each sleeper wakes once, however late. */
  async leap(millis: number): Promise<void> {
    await this.#care.settle();
    this.#nowMillis += millis;
    await this.advance(0);
  }

  #first(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const one of this.#sleepers) if (first === undefined || one.untilMillis < first.untilMillis) first = one;
    return first;
  }
}

/** Lets everything that can go on go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
