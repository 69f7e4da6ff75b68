import { LRUCache } from "lru-cache";

import type { Clock } from "../../api/clock.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Sender } from "../sender.ts";

/** A try that has gone on for longer waits for its own destination, not for the platform. */
export const SLOW_AFTER: Milliseconds = 500;
/** What is remembered of destinations. */
const REMEMBERED_DESTINATIONS = 10_000;

export interface ConcurrencyLimits {
  /** How many tries that have not gone on for long may be under way on one platform. Default 64. */
  readonly atOnce?: number;
  /** How many that have. Each costs a socket and some kilobytes. Default 1000. */
  readonly longAtOnce?: number;
}

/**
 * How many tries may begin on each platform. A destination that hangs takes a place from others for half a second
 * once, and from then on only a place among those that hang, as long as there are some.
 */
export class ConcurrencyLimit {
  readonly #clock: Clock;
  readonly #atOnce: number;
  readonly #longAtOnce: number;
  readonly #platforms = new Map<string, PlatformSlots>();
  /** Whose last try went on for long: the next one will, too. */
  readonly #tardy = new LRUCache<string, true>({ max: REMEMBERED_DESTINATIONS });

  constructor(clock: Clock, { atOnce = 64, longAtOnce = 1000 }: ConcurrencyLimits) {
    this.#clock = clock;
    this.#atOnce = atOnce;
    this.#longAtOnce = longAtOnce;
  }

  /** How many more may begin now. */
  free(sender: Pick<Sender, "platform" | "room">): number {
    const places = this.#places(sender.platform);
    this.#sort(places);
    return Math.max(0, Math.min(this.#atOnce - places.short.size, sender.room?.() ?? Number.POSITIVE_INFINITY));
  }

  /** When there may be more room although no try has ended; undefined where only the end of one makes some. */
  freeIn(sender: Pick<Sender, "platform" | "room">): Milliseconds | undefined {
    const { short, long } = this.#places(sender.platform);
    if (sender.room !== undefined && sender.room() <= 0) return SLOW_AFTER;
    const [oldest] = short.values();
    if (oldest === undefined || long.size >= this.#longAtOnce) return undefined;
    return Math.max(0, oldest + SLOW_AFTER - this.#clock.monotonicMillis());
  }

  /** `id` is the delivery's. Gives what to call when the try has ended. */
  begin(
    id: string,
    { platform, destination }: { readonly platform: string; readonly destination: string },
  ): () => void {
    const places = this.#places(platform);
    const began = this.#clock.monotonicMillis();
    if (this.#tardy.has(destination) && places.long.size < this.#longAtOnce) places.long.add(id);
    else places.short.set(id, began);
    return () => {
      places.short.delete(id);
      places.long.delete(id);
      if (this.#clock.monotonicMillis() - began >= SLOW_AFTER) this.#tardy.set(destination, true);
      else this.#tardy.delete(destination);
    };
  }

  #places(platform: string): PlatformSlots {
    const known = this.#platforms.get(platform);
    if (known !== undefined) return known;
    const places = { short: new Map<string, Milliseconds>(), long: new Set<string>() };
    this.#platforms.set(platform, places);
    return places;
  }

  /** Moves those that have gone on for long by now. */
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
