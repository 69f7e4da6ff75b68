import { UserError } from "../errors.ts";
import type { Milliseconds } from "../units/duration.ts";

export interface BulkheadLimits {
  /** How many may run at once, 1 or more. */
  readonly running: number;
  /** How many may wait for one of these; the next is refused. */
  readonly waiting: number;
  readonly waitMillis: Milliseconds;
}

/** A bound on what runs at once, with a bounded queue before it, first come first served. */
export class Bulkhead {
  readonly #limits: BulkheadLimits;
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(limits: BulkheadLimits) {
    this.#limits = limits;
  }

  /** Resolves once there is room; what it gives must be called when done. Rejects with UserError or the signal's reason. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#running >= this.#limits.running) await this.#wait(signal);
    else this.#running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      // A slot passes straight to the next in line, so that nobody overtakes.
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
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      };
      const go = (): void => {
        settle();
        resolve();
      };
      const giveUp = (reason: unknown): void => {
        settle();
        this.#queue.splice(this.#queue.indexOf(go), 1);
        reject(reason);
      };
      const abort = (): void => giveUp(signal.reason);
      const timer = setTimeout(
        () =>
          giveUp(
            new UserError("Other exports have kept this one waiting for too long.", { remedy: "Ask again later." }),
          ),
        this.#limits.waitMillis,
      );
      signal.addEventListener("abort", abort, { once: true });
      this.#queue.push(go);
    });
  }
}
