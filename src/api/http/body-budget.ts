import { BODIES_IN_FLIGHT_BYTES } from "../limits.ts";

/** A body under way. */
export interface HeldBody {
  /** There is room again. */
  resume(): void;
}

/**
 * The memory that all bodies under way share. While it is full, only the oldest body grows, and the data of the others
 * stays at their nodes; since every body has a limit and a time-out, the oldest one ends.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  /** Bytes by body, the oldest first. */
  readonly #bodies = new Map<HeldBody, number>();
  readonly #waiting = new Set<HeldBody>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts bytes that have arrived. False = the body pauses until `resume`. */
  grow(body: HeldBody, bytes: number): boolean {
    this.#bodies.set(body, (this.#bodies.get(body) ?? 0) + bytes);
    this.#heldBytes += bytes;
    if (this.#mayGrow(body)) return true;
    this.#waiting.add(body);
    return false;
  }

  /** The body has ended, complete or not. Safe to call twice. */
  release(body: HeldBody): void {
    this.#heldBytes -= this.#bodies.get(body) ?? 0;
    this.#bodies.delete(body);
    this.#waiting.delete(body);
    for (const waiting of this.#waiting) {
      if (!this.#mayGrow(waiting)) continue;
      this.#waiting.delete(waiting);
      waiting.resume();
    }
  }

  #mayGrow(body: HeldBody): boolean {
    return this.#heldBytes <= this.#maxBytes || this.#bodies.keys().next().value === body;
  }
}

/** The budget of this process. */
export const bodyBudget = new BodyBudget(BODIES_IN_FLIGHT_BYTES);
