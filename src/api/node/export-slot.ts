import { messageOf } from "../../errors.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";
import type { Log } from "../../log.ts";
import type { Clock } from "../clock.ts";

/** Which of the processes that share the nodes exports from one of them. */
export interface SharedSlots {
  /** False if another process has the slot of this node. Rejects if that cannot be checked. */
  take(network: string, node: string): Promise<boolean>;
  /** Rejects if that failed. */
  give(network: string, node: string): Promise<void>;
}

/** The pause before the next attempt to take a slot that another process has, or to give one back after a failure. */
const RETRY_MILLIS: Milliseconds = 1000;

interface ExportSlotOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The pause between two exports of the node. */
  readonly pauseMillis: Milliseconds;
  readonly network: string;
  readonly node: string;
  /** Undefined where no other process exports from the node. */
  readonly shared: SharedSlots | undefined;
}

/**
 * Limits a node to one export at a time, with a pause between two, over all processes: before v0.73 an export holds one of
 * the node's few database connections, longer than the export itself lasts. The process that had the slot keeps it for the
 * pause.
 */
export class ExportSlot {
  readonly #options: ExportSlotOptions;
  readonly #closing = new AbortController();
  #busy = false;
  #pausedUntilMillis = Number.NEGATIVE_INFINITY;
  /** Resolves when the export of this process that runs has ended. */
  #freed = Promise.withResolvers<void>();
  /** Calls of `shared` run one after the other; this is the last one. */
  #lastCall: Promise<unknown> = Promise.resolve();

  constructor(options: ExportSlotOptions) {
    this.#options = options;
  }

  /** Milliseconds until an export may begin, as far as this process knows; Infinity while another one of it runs. */
  get waitMillis(): Milliseconds {
    if (this.#busy) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#pausedUntilMillis - this.#options.clock.monotonicMillis());
  }

  /**
   * Waits for the slot while this process has it. False if another process has it; the caller may try again after a second.
   * Rejects with the signal's reason, or as `SharedSlots.take`.
   */
  async acquire(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      signal?.throwIfAborted();
      const wait = this.waitMillis;
      if (wait === 0) break;
      if (this.#busy) await inTime(this.#freed.promise, { signal }, () => undefined);
      else await this.#options.clock.sleep(wait, signal);
    }
    this.#busy = true;
    this.#freed = Promise.withResolvers();
    const { clock, network, node, shared } = this.#options;
    if (shared === undefined) return true;
    let taken = false;
    try {
      taken = await this.#inTurn(() => shared.take(network, node));
    } finally {
      if (!taken) {
        this.#pausedUntilMillis = clock.monotonicMillis() + RETRY_MILLIS;
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

  /** Stops giving slots back: the slots of a process are free once it has ended. */
  close(): void {
    this.#closing.abort();
  }

  #free(): void {
    this.#busy = false;
    this.#freed.resolve();
  }

  /** Gives the slot back, unless the next export of this process has begun. Never rejects. */
  async #giveBack(): Promise<void> {
    const { clock, log, network, node, shared } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#inTurn(async () => (this.#busy ? undefined : shared?.give(network, node)));
        return;
      } catch (thrown) {
        log.warn({ network, node, why: messageOf(thrown) }, "export slot not given back");
      }
      await clock.sleep(RETRY_MILLIS, signal).catch(() => undefined);
    }
  }

  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#lastCall.then(call, call);
    this.#lastCall = result;
    return result;
  }
}
