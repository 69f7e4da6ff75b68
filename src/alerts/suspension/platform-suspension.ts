import { z } from "zod";

import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { DEAD_LETTER_AFTER } from "../outbox/retry-policy.ts";

/** A platform that refuses the bot's token. As stored; times in Unix milliseconds. */
export const PlatformSuspension = z.object({
  platform: z.string(),
  since: z.number(),
  /** In the platform's words, as of the last probe; never the token. */
  why: z.string(),
  /** Its subscriptions have ended, and what was owed there was dead-lettered. */
  retired: z.object({ at: z.number(), subscriptions: z.int(), unsent: z.int() }).exactOptional(),
});
export type PlatformSuspension = z.infer<typeof PlatformSuspension>;

/** Stored under this name beside the watchers' snapshots, for no network. */
const SNAPSHOT_NAME = "refused-tokens";
const StoredSuspensions = z.array(PlatformSuspension);

/** When a token that is still refused counts as revoked. */
export function revokedAt({ since }: Pick<PlatformSuspension, "since">): Milliseconds {
  return since + DEAD_LETTER_AFTER;
}

/** The platforms that refuse the bot's token, as stored. */
export async function readSuspensions(tables: Pick<AlertTables, "watch">): Promise<readonly PlatformSuspension[]> {
  const row = await tables.watch.snapshot("", SNAPSHOT_NAME);
  return row === undefined ? [] : (StoredSuspensions.safeParse(JSON.parse(row.data)).data ?? []);
}

/** The platforms that refuse the bot's token, as a transaction finds and leaves them. */
export class PlatformSuspensions {
  readonly #tables: AlertTables;
  readonly #all: Map<string, PlatformSuspension>;

  constructor(tables: AlertTables, found: Iterable<PlatformSuspension>) {
    this.#tables = tables;
    this.#all = new Map([...found].map((one) => [one.platform, one]));
  }

  get(platform: string): PlatformSuspension | undefined {
    return this.#all.get(platform);
  }

  all(): readonly PlatformSuspension[] {
    return [...this.#all.values()];
  }

  async put(suspension: PlatformSuspension, at: Milliseconds): Promise<void> {
    this.#all.set(suspension.platform, suspension);
    await this.#write(at);
  }

  async drop(platform: string, at: Milliseconds): Promise<void> {
    this.#all.delete(platform);
    await this.#write(at);
  }

  async #write(at: Milliseconds): Promise<void> {
    await this.#tables.watch.putSnapshot("", SNAPSHOT_NAME, at, JSON.stringify(this.all()));
  }
}
