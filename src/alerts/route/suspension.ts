import { z } from "zod";

import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/time.ts";
import { type Destination, destinationKey, StoredDestination, tokenKey } from "../destination.ts";
import { parseRow } from "../judge/kinds/kind.ts";

/**
 * The state of a destination that cannot be reached; without a destination, of a platform that refuses the bot's token,
 * or that of one workspace where each has its own. As stored; times in Unix milliseconds.
 */
export const Suspension = z.object({
  platform: z.string(),
  workspace: z.string().exactOptional(),
  destination: StoredDestination.exactOptional(),
  since: z.number(),
  /** In the platform's words, as of the last attempt; never the token. */
  why: z.string(),
  /**
   * When it is tried next: the platform is asked about the token, or the first message that waits there is sent. Earlier
   * versions store none: at once.
   */
  nextAt: z.number().default(0),
  /** The platform was asked and accepts the token again: some messages are sent as probes. */
  accepted: z.literal(true).exactOptional(),
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

/** Far from the 10,000 refused requests in 10 min for which Discord bans an address. */
const SHORTEST_PAUSE: Milliseconds = 60_000;
/** How often a platform is asked about a token while all is well, and after its subscriptions have ended. */
export const USUAL_PAUSE: Milliseconds = 300_000;
export const LONGEST_PAUSE: Milliseconds = 3_600_000;

/**
 * When it is tried after a failure: a token after a fixed pause, a destination after as long as it is suspended, within
 * bounds. `random` is from 0 to below 1.
 */
export function nextTryAt(
  suspension: Pick<Suspension, "destination" | "since" | "retired">,
  at: Milliseconds,
  random: () => number,
): Milliseconds {
  if (isOfToken(suspension)) return at + (suspension.retired === undefined ? SHORTEST_PAUSE : USUAL_PAUSE);
  const pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, at - suspension.since));
  return at + Math.round(pause * (1 - random() / 4));
}

/** Whether it is to be tried at that moment, also where the clock was set back meanwhile. */
export function isTryDue({ nextAt }: Pick<Suspension, "nextAt">, at: Milliseconds): boolean {
  return nextAt <= at || nextAt > at + LONGEST_PAUSE;
}

/** The state after another refusal, before it is known when it is tried next. */
export function afterRefusal(
  before: Suspension | undefined,
  target: SuspensionTarget,
  { message, operator }: { readonly message: string; readonly operator: boolean },
  at: Milliseconds,
): Omit<Suspension, "nextAt"> {
  const { accepted: _accepted, ...known } = before ?? {};
  // A clock that was set back must not make the day longer.
  const since = Math.min(before?.since ?? at, at);
  return { ...known, ...target, since, why: message, ...(operator ? { operator: true as const } : {}) };
}

/** All suspensions, as stored. */
export async function readSuspensions(tables: Pick<AlertTables, "watch">): Promise<readonly Suspension[]> {
  const row = await tables.watch.snapshot("", SNAPSHOT_NAME);
  return row === undefined
    ? []
    : parseRow(StoredSuspensions, row.data, "watcher_snapshots", { network: "", watcher: SNAPSHOT_NAME });
}

/** The suspensions as a transaction finds and leaves them. */
export class Suspensions {
  readonly #all: Map<string, Suspension>;
  #isChanged = false;

  constructor(found: Iterable<Suspension>) {
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

  /** The refused tokens of a platform. */
  tokensOf(platform: string): readonly Suspension[] {
    return this.all().filter((one) => one.platform === platform && isOfToken(one));
  }

  all(): readonly Suspension[] {
    return [...this.#all.values()];
  }

  put(suspension: Suspension): void {
    this.#all.set(suspensionKey(suspension), suspension);
    this.#isChanged = true;
  }

  drop(key: string): void {
    this.#isChanged = this.#all.delete(key) || this.#isChanged;
  }

  /** Stores what has changed. */
  async save(tables: Pick<AlertTables, "watch">, at: Milliseconds): Promise<void> {
    if (this.#isChanged) await tables.watch.putSnapshot("", SNAPSHOT_NAME, at, JSON.stringify(this.all()));
  }
}

/** Tries at once what waits at destinations that cannot be reached, by their keys. */
export async function tryNow(tables: AlertTables, keys: Iterable<string>, at: Milliseconds): Promise<void> {
  const suspensions = new Suspensions(await readSuspensions(tables));
  for (const one of [...keys].flatMap((key) => suspensions.get(key) ?? [])) suspensions.put({ ...one, nextAt: at });
  await suspensions.save(tables, at);
}

/** Drops what is suspended in a workspace that is gone for good: its token is not checked any more. */
export async function forgetSuspensions(tables: AlertTables, gone: TokenScope, at: Milliseconds): Promise<void> {
  const suspensions = new Suspensions(await readSuspensions(tables));
  const token = tokenKey(gone);
  for (const key of suspensions.all().map(suspensionKey)) {
    if (key === token || key.startsWith(`${token}/`)) suspensions.drop(key);
  }
  await suspensions.save(tables, at);
}
