import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Clock } from "../clock.ts";

/** Which of the processes that share the nodes exports from one of them. */
export interface SharedSlots {
  /** False where another process has the slot of this node. Rejects where that cannot be found out. */
  take(network: string, node: string): Promise<boolean>;
  /** Rejects where the others could not be told. */
  give(network: string, node: string): Promise<void>;
}

/** How often a slot that another process has is asked for, and one given back that the others could not be told of. */
const ASK_EVERY: Milliseconds = 1000;

interface ExportSlotOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The pause between two exports of the node. */
  readonly pauseMillis: Milliseconds;
  readonly network: string;
  readonly node: string;
  /** Left out where no other process asks the node. */
  readonly shared: SharedSlots | undefined;
}

/**
 * Limits a node to one export at a time, with a pause between two, over all processes: before v0.73 an export holds one of
 * the node's few database connections, longer than the export itself lasts. The pause is the process's that had the slot.
 */
export class ExportSlot {
  readonly #options: ExportSlotOptions;
  readonly #closing = new AbortController();
  #busy = false;
  #pausedUntilMillis = Number.NEGATIVE_INFINITY;
  readonly #freed = new Set<() => void>();
  /** What the other processes are told, one after the other. */
  #telling: Promise<unknown> = Promise.resolve();

  constructor(options: ExportSlotOptions) {
    this.#options = options;
  }

  /** Milliseconds until an export may begin, as far as this process knows; Infinity while another one of it runs. */
  get waitMillis(): Milliseconds {
    if (this.#busy) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#pausedUntilMillis - this.#options.clock.monotonicMillis());
  }

  /**
   * Waits for the slot, as long as it takes in this process. False where another process has it: it can be asked for again
   * in a second. Rejects with the signal's reason, or where the other processes cannot be asked.
   */
  async acquire(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      signal?.throwIfAborted();
      const wait = this.waitMillis;
      if (wait === 0) break;
      await (this.#busy ? this.#untilFreed(signal) : this.#options.clock.sleep(wait, signal));
    }
    this.#busy = true;
    const { clock, network, node, shared } = this.#options;
    if (shared === undefined) return true;
    let taken = false;
    try {
      taken = await this.#tell(() => shared.take(network, node));
    } finally {
      if (!taken) {
        this.#pausedUntilMillis = clock.monotonicMillis() + ASK_EVERY;
        this.#free();
      }
    }
    return taken;
  }

  /** Frees the slot and starts the pause. */
  release(): void {
    const { clock, pauseMillis, shared } = this.#options;
    this.#pausedUntilMillis = clock.monotonicMillis() + pauseMillis;
    this.#free();
    if (shared === undefined) return;
    clock.sleep(pauseMillis, this.#closing.signal).then(
      () => this.#giveBack(),
      () => undefined,
    );
  }

  /** Frees the slot without a pause: no export was requested. */
  releaseUnused(): void {
    this.#free();
    void this.#giveBack();
  }

  /** Gives nothing back any more: what a process has is free once it has ended. */
  close(): void {
    this.#closing.abort();
  }

  #free(): void {
    this.#busy = false;
    for (const wake of this.#freed) wake();
    this.#freed.clear();
  }

  /** Unless the next export of this process has begun. Never rejects. */
  async #giveBack(): Promise<void> {
    const { clock, log, network, node, shared } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#tell(async () => (this.#busy ? undefined : shared?.give(network, node)));
        return;
      } catch (thrown) {
        log.warn({ network, node, why: messageOf(thrown) }, "export slot not given back");
      }
      await clock.sleep(ASK_EVERY, signal).catch(() => undefined);
    }
  }

  #tell<T>(what: () => Promise<T>): Promise<T> {
    const told = this.#telling.then(what, what);
    this.#telling = told;
    return told;
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
