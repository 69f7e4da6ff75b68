import { LRUCache } from "lru-cache";

import type { Clock } from "../../api/clock.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Sender } from "../sender.ts";

/** An attempt that takes longer is slow: its own destination hangs, not the platform. */
export const SLOW_AFTER: Milliseconds = 500;
/** How many slow destinations are remembered. */
const REMEMBERED_DESTINATIONS = 10_000;

export interface ConcurrencyLimits {
  /** How many attempts that are not slow may run at once on one platform. Default 64. */
  readonly atOnce?: number;
  /** How many slow ones may. Each costs a socket and some kilobytes. Default 1000. */
  readonly longAtOnce?: number;
}

/**
 * How many attempts may begin on each platform. A destination that hangs takes a slot from others for half a second
 * once, and from then on only a slot of the slow ones, as long as there are some.
 */
export class ConcurrencyLimit {
  readonly #clock: Clock;
  readonly #atOnce: number;
  readonly #longAtOnce: number;
  readonly #platforms = new Map<string, PlatformSlots>();
  /** Destinations whose last attempt was slow: the next one will be, too. */
  readonly #slow = new LRUCache<string, true>({ max: REMEMBERED_DESTINATIONS });

  constructor(clock: Clock, { atOnce = 64, longAtOnce = 1000 }: ConcurrencyLimits) {
    this.#clock = clock;
    this.#atOnce = atOnce;
    this.#longAtOnce = longAtOnce;
  }

  /** How many more may begin now. */
  free(sender: Pick<Sender, "platform" | "room">): number {
    const slots = this.#slots(sender.platform);
    this.#sort(slots);
    return Math.max(0, Math.min(this.#atOnce - slots.short.size, sender.room?.() ?? Number.POSITIVE_INFINITY));
  }

  /** When a slot may become free although no attempt has ended; undefined if only the end of one frees a slot. */
  freeIn(sender: Pick<Sender, "platform" | "room">): Milliseconds | undefined {
    const { short, long } = this.#slots(sender.platform);
    if (sender.room !== undefined && sender.room() <= 0) return SLOW_AFTER;
    const [oldest] = short.values();
    if (oldest === undefined || long.size >= this.#longAtOnce) return undefined;
    return Math.max(0, oldest + SLOW_AFTER - this.#clock.monotonicMillis());
  }

  /** `id` is the delivery's. Returns the function to call when the attempt has ended. */
  begin(
    id: string,
    { platform, destination }: { readonly platform: string; readonly destination: string },
  ): () => void {
    const slots = this.#slots(platform);
    const began = this.#clock.monotonicMillis();
    if (this.#slow.has(destination) && slots.long.size < this.#longAtOnce) slots.long.add(id);
    else slots.short.set(id, began);
    return () => {
      slots.short.delete(id);
      slots.long.delete(id);
      if (this.#clock.monotonicMillis() - began >= SLOW_AFTER) this.#slow.set(destination, true);
      else this.#slow.delete(destination);
    };
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
      if (began > before || long.size >= this.#longAtOnce) return;
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
