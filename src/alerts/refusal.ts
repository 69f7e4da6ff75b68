import { z } from "zod";

import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { GIVE_UP_AFTER } from "./back-off.ts";

/** A platform that refuses the bot's own token. As stored; times in Unix milliseconds. */
export const Refusal = z.object({
  platform: z.string(),
  since: z.number(),
  /** In the platform's words, as of the last time that it was asked; never the token. */
  why: z.string(),
  /** Its subscriptions have ended with it, and what was owed there was given up. */
  retired: z.object({ at: z.number(), subscriptions: z.int(), unsent: z.int() }).exactOptional(),
});
export type Refusal = z.infer<typeof Refusal>;

/** Under this name they are kept beside the watchers' snapshots, for no network. */
const KEPT_AS = "refused-tokens";
const Kept = z.array(Refusal);

/** When a token that is still refused counts as revoked. */
export function revokedAt({ since }: Pick<Refusal, "since">): Milliseconds {
  return since + GIVE_UP_AFTER;
}

/** The platforms that refuse the bot's token, as they are kept. */
export async function readRefusals(tables: Pick<AlertTables, "watch">): Promise<readonly Refusal[]> {
  const row = await tables.watch.snapshot("", KEPT_AS);
  return row === undefined ? [] : (Kept.safeParse(JSON.parse(row.data)).data ?? []);
}

/** The platforms that refuse the bot's token, as a transaction finds and leaves them. */
export class Refusals {
  readonly #tables: AlertTables;
  readonly #all: Map<string, Refusal>;

  constructor(tables: AlertTables, found: Iterable<Refusal>) {
    this.#tables = tables;
    this.#all = new Map([...found].map((one) => [one.platform, one]));
  }

  get(platform: string): Refusal | undefined {
    return this.#all.get(platform);
  }

  all(): readonly Refusal[] {
    return [...this.#all.values()];
  }

  async put(refusal: Refusal, at: Milliseconds): Promise<void> {
    this.#all.set(refusal.platform, refusal);
    await this.#write(at);
  }

  async drop(platform: string, at: Milliseconds): Promise<void> {
    this.#all.delete(platform);
    await this.#write(at);
  }

  async #write(at: Milliseconds): Promise<void> {
    await this.#tables.watch.putSnapshot("", KEPT_AS, at, JSON.stringify(this.all()));
  }
}
