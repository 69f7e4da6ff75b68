import { LRUCache } from "lru-cache";

import type { Origin } from "./origin.ts";

/** Messages about a change follow it within seconds; later ones are the operator's to hear of. */
const KEEP = { max: 1000, ttl: 600_000 } as const;

/**
 * Who changed last what a channel is told. A slash command works where the bot is no member, but nothing can be posted
 * there: whoever asked for that must hear of it, and of the remedy.
 */
export class LastManaged {
  readonly #origins = new LRUCache<string, Origin>(KEEP);

  note(channel: string, origin: Origin): void {
    this.#origins.set(channel, origin);
  }

  /** Where to tell them, once; undefined where nobody is known. */
  take(channel: string): Origin | undefined {
    const origin = this.#origins.get(channel);
    this.#origins.delete(channel);
    return origin === undefined ? undefined : { ...origin, surface: origin.surface.beside() };
  }
}
