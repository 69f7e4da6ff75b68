import type { Milliseconds } from "../../units/duration.ts";
import type { Clock } from "../clock.ts";

/**
 * Limits a node to one export at a time, with a pause between two: before v0.73 an export holds one of the node's few
 * database connections, longer than the export itself lasts.
 */
export class ExportSlot {
  readonly #clock: Clock;
  readonly #pauseMillis: Milliseconds;
  #busy = false;
  #pausedUntilMillis = Number.NEGATIVE_INFINITY;
  readonly #freed = new Set<() => void>();

  constructor(clock: Clock, pauseMillis: Milliseconds) {
    this.#clock = clock;
    this.#pauseMillis = pauseMillis;
  }

  /** Milliseconds until an export may begin; Infinity while another one runs. */
  get waitMillis(): Milliseconds {
    if (this.#busy) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#pausedUntilMillis - this.#clock.monotonicMillis());
  }

  /** Waits for the slot, as long as it takes. Rejects with the signal's reason. */
  async acquire(signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const wait = this.waitMillis;
      if (wait === 0) {
        this.#busy = true;
        return;
      }
      await (this.#busy ? this.#untilFreed(signal) : this.#clock.sleep(wait, signal));
    }
  }

  /** Frees the slot and starts the pause. */
  release(): void {
    this.#pausedUntilMillis = this.#clock.monotonicMillis() + this.#pauseMillis;
    this.releaseUnused();
  }

  /** Frees the slot without a pause: no export was requested. */
  releaseUnused(): void {
    this.#busy = false;
    for (const wake of this.#freed) wake();
    this.#freed.clear();
  }

  async #untilFreed(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#freed.add(resolve);
    const leave = (): void => resolve();
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await promise;
    } finally {
      this.#freed.delete(resolve);
      signal?.removeEventListener("abort", leave);
    }
  }
}
