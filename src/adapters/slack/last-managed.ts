import { LRUCache } from "lru-cache";

import type { RequestContext } from "./origin.ts";

/** Messages about a change follow it within seconds; later ones are the operator's to hear of. */
const LAST_REQUESTS_CACHE = { max: 1000, ttl: 600_000 } as const;

/**
 * Who changed last what a channel is told. A slash command works where the bot is no member, but nothing can be posted
 * there: whoever asked for that must hear of it, and of the remedy.
 */
export class LastManagementRequests {
  readonly #origins = new LRUCache<string, RequestContext>(LAST_REQUESTS_CACHE);

  note(channel: string, origin: RequestContext): void {
    this.#origins.set(channel, origin);
  }

  /** Where to tell them, once; undefined where nobody is known. */
  take(channel: string): RequestContext | undefined {
    const origin = this.#origins.get(channel);
    this.#origins.delete(channel);
    return origin === undefined ? undefined : { ...origin, surface: origin.surface.forFollowUp() };
  }
}
