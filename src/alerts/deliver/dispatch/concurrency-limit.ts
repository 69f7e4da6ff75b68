import { LRUCache } from "lru-cache";

import type { Clock } from "../../../api/clock.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { Sender } from "../../sender.ts";

/** An attempt that takes longer is slow: its own destination hangs, not the platform. */
export const SLOW_AFTER: Milliseconds = 500;
/** How many slow destinations are remembered. */
const REMEMBERED_DESTINATIONS = 10_000;

export interface ConcurrencyLimits {
  /** How many attempts that are not slow may run at once on one platform. Default 64. */
  readonly maxAttempts?: number;
  /** How many slow attempts may run at once. Each costs a socket and some kilobytes. Default 1000. */
  readonly maxSlowAttempts?: number;
}

/**
 * Limits the concurrent attempts on each platform. A destination that hangs takes a regular slot for half a second
 * once; from then on it takes slow slots, as long as some are free.
 */
export class ConcurrencyLimit {
  readonly #clock: Clock;
  readonly #maxAttempts: number;
  readonly #maxSlowAttempts: number;
  readonly #platforms = new Map<string, PlatformSlots>();
  /** Destinations whose last attempt was slow: the next one will be, too. */
  readonly #slow = new LRUCache<string, true>({ maxSize: REMEMBERED_DESTINATIONS, sizeCalculation: () => 1 });

  constructor(clock: Clock, { maxAttempts = 64, maxSlowAttempts = 1000 }: ConcurrencyLimits) {
    this.#clock = clock;
    this.#maxAttempts = maxAttempts;
    this.#maxSlowAttempts = maxSlowAttempts;
  }

  /** How many more may begin now. */
  free(sender: Pick<Sender, "platform" | "capacity">): number {
    const slots = this.#slots(sender.platform);
    this.#sort(slots);
    return Math.max(0, Math.min(this.#maxAttempts - slots.short.size, sender.capacity?.() ?? Number.POSITIVE_INFINITY));
  }

  /** When a slot may become free although no attempt has ended; undefined if only the end of one frees a slot. */
  freeIn(sender: Pick<Sender, "platform" | "capacity">): Milliseconds | undefined {
    const { short, long } = this.#slots(sender.platform);
    if (sender.capacity !== undefined && sender.capacity() <= 0) return SLOW_AFTER;
    const [oldest] = short.values();
    if (oldest === undefined || long.size >= this.#maxSlowAttempts) return undefined;
    return Math.max(0, oldest + SLOW_AFTER - this.#clock.monotonicMillis());
  }

  /** `id` is the delivery's. Returns the function to call when the attempt has ended. */
  begin(
    id: string,
    { platform, destination }: { readonly platform: string; readonly destination: string },
  ): () => void {
    const slots = this.#slots(platform);
    const began = this.#clock.monotonicMillis();
    if (this.#slow.has(destination) && slots.long.size < this.#maxSlowAttempts) slots.long.add(id);
    else slots.short.set(id, began);
    return () => {
      slots.short.delete(id);
      slots.long.delete(id);
      if (this.#clock.monotonicMillis() - began >= SLOW_AFTER) this.#slow.set(destination, true);
      else this.#slow.delete(destination);
    };
  }

  /** The words of an attempt have arrived: what follows them keeps no other message waiting, as far as slow slots are free. */
  linger({ id, platform }: { readonly id: string; readonly platform: string }): void {
    const { short, long } = this.#slots(platform);
    if (long.size < this.#maxSlowAttempts && short.delete(id)) long.add(id);
  }

  #slots(platform: string): PlatformSlots {
    const known = this.#platforms.get(platform);
    if (known !== undefined) return known;
    const slots = { short: new Map<string, Milliseconds>(), long: new Set<string>() };
    this.#platforms.set(platform, slots);
    return slots;
  }

  /** Moves attempts that have become slow. */
  #sort({ short, long }: PlatformSlots): void {
    const before = this.#clock.monotonicMillis() - SLOW_AFTER;
    for (const [id, began] of short) {
      if (began > before || long.size >= this.#maxSlowAttempts) return;
      short.delete(id);
      long.add(id);
    }
  }
}

interface PlatformSlots {
  /** When each began, oldest first. */
  readonly short: Map<string, Milliseconds>;
  readonly long: Set<string>;
}
