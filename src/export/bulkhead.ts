import { UserError } from "../errors.ts";
import type { Milliseconds } from "../units/duration.ts";

export interface BulkheadLimits {
  /** The most that run at once, 1 or more. */
  readonly running: number;
  /** The most that wait; the next one is refused. */
  readonly waiting: number;
  readonly waitMillis: Milliseconds;
}

/** A concurrency limit with a bounded queue, first come first served. */
export class Bulkhead {
  readonly #limits: BulkheadLimits;
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(limits: BulkheadLimits) {
    this.#limits = limits;
  }

  /** Resolves with a function to release the slot, once there is one. Rejects with UserError or the signal's reason. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#running >= this.#limits.running) await this.#wait(signal);
    else this.#running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      // A slot passes straight to the next in the queue, so that none overtakes.
      const next = this.#queue.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#queue.length >= this.#limits.waiting) {
      throw new UserError(`${this.#running} exports are running and ${this.#queue.length} are waiting already.`, {
        remedy: "Ask again in a few minutes.",
      });
    }
    return new Promise((resolve, reject) => {
      const cleanUp = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      };
      const go = (): void => {
        cleanUp();
        resolve();
      };
      const fail = (reason: unknown): void => {
        cleanUp();
        this.#queue.splice(this.#queue.indexOf(go), 1);
        reject(reason);
      };
      const abort = (): void => fail(signal.reason);
      const timer = setTimeout(
        () =>
          fail(new UserError("Other exports have kept this one waiting for too long.", { remedy: "Ask again later." })),
        this.#limits.waitMillis,
      );
      signal.addEventListener("abort", abort, { once: true });
      this.#queue.push(go);
    });
  }
}
