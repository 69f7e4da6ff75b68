import { z } from "zod";

import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { type Destination, StoredDestination, destinationKey, tokenKey } from "../destination.ts";

/**
 * A platform that refuses the bot's token, or that of one workspace where each has its own; with a destination, one that
 * cannot be reached. As stored; times in Unix milliseconds.
 */
export const Suspension = z.object({
  platform: z.string(),
  workspace: z.string().exactOptional(),
  destination: StoredDestination.exactOptional(),
  since: z.number(),
  /** In the platform's words, as of the last attempt; never the token. */
  why: z.string(),
  /** Of a destination: the operator must mend it, such as a missing scope. */
  operator: z.literal(true).exactOptional(),
  /** Its subscriptions have ended, and what was owed there was dead-lettered. */
  retired: z.object({ at: z.number(), subscriptions: z.int(), unsent: z.int() }).exactOptional(),
});
export type Suspension = z.infer<typeof Suspension>;

/** How long a failure that can heal is retried. */
export const DEAD_LETTER_AFTER: Milliseconds = 86_400_000;

/** What is suspended: a platform, one workspace there, or one destination. */
export interface SuspensionTarget extends TokenScope {
  readonly destination?: Destination;
}

/** Where a token counts: on a platform, or in the workspace that its destinations name. */
export type TokenScope = Pick<Destination, "platform" | "workspace">;

/** Stored under this name beside the watchers' snapshots, for no network. */
const SNAPSHOT_NAME = "refused-tokens";
const StoredSuspensions = z.array(Suspension);

/** When its subscriptions end, unless it is over by then. */
export function graceEndsAt({ since }: Pick<Suspension, "since">): Milliseconds {
  return since + DEAD_LETTER_AFTER;
}

/** Names a target: `platform`, `platform/workspace`, or a destination's key, which begins with either and a slash. */
export function suspensionKey({ destination, ...token }: SuspensionTarget): string {
  return destination === undefined ? tokenKey(token) : destinationKey(destination);
}

/** The scope of the token that a destination needs. */
export function tokenScope({ platform, workspace }: TokenScope): TokenScope {
  return { platform, ...(workspace === undefined ? {} : { workspace }) };
}

/** Whether a token is refused: of a platform, or of one workspace there. */
export function isOfToken({ destination }: Pick<Suspension, "destination">): boolean {
  return destination === undefined;
}

/** Whether a whole platform is suspended. */
export function isOfPlatform({ destination, workspace }: Pick<Suspension, "destination" | "workspace">): boolean {
  return destination === undefined && workspace === undefined;
}

/** All suspensions, as stored. */
export async function readSuspensions(tables: Pick<AlertTables, "watch">): Promise<readonly Suspension[]> {
  const row = await tables.watch.snapshot("", SNAPSHOT_NAME);
  return row === undefined ? [] : (StoredSuspensions.safeParse(JSON.parse(row.data)).data ?? []);
}

/** The suspensions as a transaction finds and leaves them. */
export class Suspensions {
  readonly #tables: AlertTables;
  readonly #all: Map<string, Suspension>;

  constructor(tables: AlertTables, found: Iterable<Suspension>) {
    this.#tables = tables;
    this.#all = new Map([...found].map((one) => [suspensionKey(one), one]));
  }

  /** By the key of a token's scope or of a destination. */
  get(key: string): Suspension | undefined {
    return this.#all.get(key);
  }

  /** The suspension of the token that a destination needs, by the destination's key. */
  ofToken(destination: string): Suspension | undefined {
    const [platform = "", workspace = ""] = destination.split("/");
    return this.#all.get(platform) ?? (workspace === "" ? undefined : this.#all.get(`${platform}/${workspace}`));
  }

  /** The workspaces of a platform whose tokens are refused, by key. */
  workspacesOf(platform: string): readonly Suspension[] {
    return this.all().filter((one) => one.platform === platform && isOfToken(one) && !isOfPlatform(one));
  }

  all(): readonly Suspension[] {
    return [...this.#all.values()];
  }

  async put(suspension: Suspension, at: Milliseconds): Promise<void> {
    this.#all.set(suspensionKey(suspension), suspension);
    await this.#write(at);
  }

  async drop(key: string, at: Milliseconds): Promise<void> {
    this.#all.delete(key);
    await this.#write(at);
  }

  async #write(at: Milliseconds): Promise<void> {
    await this.#tables.watch.putSnapshot("", SNAPSHOT_NAME, at, JSON.stringify(this.all()));
  }
}

/** Drops what is suspended in a workspace that is gone for good: its token is not checked any more. */
export async function forgetSuspensions(tables: AlertTables, gone: TokenScope, at: Milliseconds): Promise<void> {
  const suspensions = new Suspensions(tables, await readSuspensions(tables));
  const key = tokenKey(gone);
  const theirs = suspensions.all().map((one) => suspensionKey(one));
  for (const one of theirs) if (one === key || one.startsWith(`${key}/`)) await suspensions.drop(one, at);
}
