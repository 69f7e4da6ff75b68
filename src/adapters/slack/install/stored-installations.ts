import { setTimeout as sleep } from "node:timers/promises";

import { LRUCache } from "lru-cache";

import type { SharedToken } from "../../../alerts/sender.ts";
import { messageOf, UserError } from "../../../errors.ts";
import { inTime, type Milliseconds } from "../../../units/time.ts";
import type { Log } from "../../../log.ts";
import type { InstallationCounts, InstallationRow, PlatformInstallations } from "../../chat/chat.ts";
import { slackPlatform, TEMPORARY_ERRORS } from "../platform.ts";
import { describeError, errorCodeOf } from "../transport/api-error.ts";
import type { Installation, Installations, Origin } from "../transport/installations.ts";
import type { KeyRing } from "../../chat/key-ring.ts";
import type { Grant, GrantedTokens, OAuth } from "./oauth.ts";
import { openTokens, sealTokens, type Tokens } from "./sealed-tokens.ts";

export interface StoredInstallationsOptions {
  readonly table: Pick<PlatformInstallations, "all" | "get" | "put" | "change" | "forget">;
  readonly keys: KeyRing;
  readonly oauth: Pick<OAuth, "refresh" | "accepts">;
  readonly installUrl: string;
  /** Of several processes one refreshes tokens, and deletes what belongs to removed installations. */
  readonly shared: SharedToken;
  readonly log: Log;
  /** Unix milliseconds. */
  readonly now?: () => Milliseconds;
  readonly sleep?: (millis: Milliseconds, signal: AbortSignal) => Promise<void>;
}

/** How long after its removal an installation is deleted, with all data of its workspace. */
export const REMOVAL_GRACE: Milliseconds = 7 * 86_400_000;
/** A token with less time left is refreshed: it lasts for twelve hours. */
const REFRESH_BEFORE: Milliseconds = 2 * 3_600_000;
const UPKEEP_EVERY: Milliseconds = 60_000;
/** The pause before a token that Slack did not refresh is tried again. */
const REFUSED_PAUSE: Milliseconds = 3_600_000;
/** A token with less time left may expire on its way. */
const EXPIRES_SOON: Milliseconds = 60_000;
/** How long a request waits for a token that has expired. */
const LATE_REFRESH: Milliseconds = 2000;
/** How long a cached row may lag behind what another process has stored. */
const FRESH: Milliseconds = 5000;
const MAX_CACHED = 1000;

/** The installations of an app that any workspace may install, with their tokens encrypted in the store. */
export class StoredInstallations implements Installations {
  readonly many = true;
  readonly installUrl: string;
  readonly #options: StoredInstallationsOptions;
  readonly #now: () => Milliseconds;
  readonly #sleep: NonNullable<StoredInstallationsOptions["sleep"]>;
  readonly #cached: LRUCache<string, InstallationRow>;
  /** When a token that Slack does not refresh is tried again. */
  readonly #refusedUntil = new Map<string, Milliseconds>();
  /** Installations whose tokens no key opens, and which are in the log already. */
  readonly #unreadable = new Set<string>();
  #upkeep: Promise<void> = Promise.resolve();

  constructor(options: StoredInstallationsOptions) {
    this.#options = options;
    this.installUrl = options.installUrl;
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? ((millis, signal) => sleep(millis, undefined, { signal, ref: false }));
    this.#cached = new LRUCache({ max: MAX_CACHED, ttl: FRESH });
  }

  /**
   * Seals anew with the first key what an older one sealed, and begins the upkeep in one process of several. Rejects with
   * UserError where none of the keys opens any installation.
   */
  async start(): Promise<void> {
    const { keys, log, shared, table } = this.#options;
    const rows = await table.all(slackPlatform.id);
    let opened = 0;
    let resealed = 0;
    for (const row of rows) {
      const tokens = this.#open(row);
      if (tokens === undefined) continue;
      opened += 1;
      if (keys.isCurrent(row.sealed)) continue;
      if (await table.change(row, { sealed: sealTokens(keys, row.id, tokens) })) resealed += 1;
    }
    if (rows.length > 0 && opened === 0) {
      throw new UserError(
        `SECRET_KEY opens none of the ${rows.length} installations on Slack that the database has: they were sealed with another key.`,
        {
          remedy:
            "Set the earlier key, behind a new one and a comma if need be; without it each workspace must install the app again.",
        },
      );
    }
    if (resealed > 0) log.info({ platform: slackPlatform.id, installations: resealed }, "installations sealed anew");
    shared.add("slack installations", () => {
      const ending = new AbortController();
      const loop = this.#upkeepRegularly(ending.signal);
      return async () => {
        ending.abort();
        await loop;
      };
    });
  }

  async find({ team, enterprise }: Origin): Promise<Installation | undefined> {
    if (team === undefined && enterprise === undefined) {
      const rows = (await this.#options.table.all(slackPlatform.id)).filter(isThere);
      const [only] = rows;
      return rows.length === 1 && only !== undefined ? this.#usable(only) : undefined;
    }
    // A workspace of an organisation may have an installation of its own.
    for (const id of new Set([team, enterprise])) {
      const row = id === undefined ? undefined : await this.#row(id);
      if (row !== undefined && isThere(row)) return this.#usable(row);
    }
    return undefined;
  }

  async removed(id: string, at: Milliseconds): Promise<void> {
    const { log, oauth, table } = this.#options;
    const row = await table.get(slackPlatform.id, id);
    if (row === undefined || !isThere(row)) return;
    const tokens = this.#open(row);
    // Slack repeats events for hours: meanwhile the app may have been installed anew.
    if (at < row.installed_at && tokens !== undefined && (await oauth.accepts(tokens.botToken))) return;
    if (await table.change(row, { removed_at: this.#now() })) {
      log.warn({ platform: slackPlatform.id, workspace: id }, "app uninstalled");
    }
    this.#cached.delete(id);
  }

  /** Stores a new installation, in place of an earlier one in the same workspace. */
  async save(grant: Grant): Promise<void> {
    const { log, table } = this.#options;
    const at = this.#now();
    await table.put({
      platform: slackPlatform.id,
      id: grant.id,
      enterprise: grant.enterprise ?? null,
      name: grant.name ?? null,
      org_wide: grant.orgWide ? 1 : 0,
      bot_user: grant.botUser ?? null,
      scopes: grant.scopes,
      ...this.#kept(grant.id, grant, at),
      installed_by: grant.by ?? null,
      installed_at: at,
      removed_at: null,
    });
    this.#cached.delete(grant.id);
    this.#refusedUntil.delete(grant.id);
    log.info({ platform: slackPlatform.id, workspace: grant.id, orgWide: grant.orgWide }, "app installed");
  }

  async counts(): Promise<InstallationCounts> {
    const rows = await this.#options.table.all(slackPlatform.id);
    const installed = rows.filter(isThere);
    return {
      installed: installed.length,
      removed: rows.length - installed.length,
      unreadable: rows.filter((row) => this.#open(row) === undefined).length,
    };
  }

  async #row(id: string): Promise<InstallationRow | undefined> {
    const cached = this.#cached.get(id);
    if (cached !== undefined) return cached;
    const row = await this.#options.table.get(slackPlatform.id, id);
    if (row !== undefined) this.#cached.set(id, row);
    return row;
  }

  /** The installation, after a short wait for a new token where its own has expired. */
  async #usable(row: InstallationRow): Promise<Installation | undefined> {
    if (row.expires_at === null || row.expires_at - this.#now() > EXPIRES_SOON) return this.#installation(row);
    await inTime(this.#upkeep, { millis: LATE_REFRESH }, () => undefined);
    const again = (await this.#options.table.get(slackPlatform.id, row.id)) ?? row;
    this.#cached.set(row.id, again);
    return this.#installation(again);
  }

  #installation(row: InstallationRow): Installation | undefined {
    const tokens = this.#open(row);
    if (tokens === undefined) return undefined;
    const { id, name, enterprise, org_wide: orgWide, bot_user: botUser } = row;
    return {
      id,
      name: name ?? undefined,
      enterprise: enterprise ?? undefined,
      orgWide: orgWide === 1,
      botToken: tokens.botToken,
      botUser: botUser ?? undefined,
    };
  }

  #open(row: InstallationRow): Tokens | undefined {
    const { keys, log } = this.#options;
    const { id } = row;
    const tokens = openTokens(keys, row);
    if (tokens !== undefined) this.#unreadable.delete(id);
    else if (!this.#unreadable.has(id)) {
      this.#unreadable.add(id);
      log.error({ platform: slackPlatform.id, workspace: id }, "installation unreadable");
    }
    return tokens;
  }

  #kept(id: string, { tokens, expiresIn }: GrantedTokens, at: Milliseconds) {
    return {
      sealed: sealTokens(this.#options.keys, id, tokens),
      expires_at: expiresIn === undefined ? null : at + expiresIn,
    };
  }

  async #upkeepRegularly(signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    while (!signal.aborted) {
      this.#upkeep = this.#look(signal).catch((thrown: unknown) => {
        log.warn({ platform: slackPlatform.id, why: messageOf(thrown) }, "installations not looked after");
      });
      await this.#upkeep;
      await this.#sleep(UPKEEP_EVERY, signal).catch(() => undefined);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { log, table } = this.#options;
    const now = this.#now();
    const rows = await table.all(slackPlatform.id);
    // The tokens that expire first come first.
    for (const row of rows.filter(isThere).toSorted((a, b) => (a.expires_at ?? 0) - (b.expires_at ?? 0))) {
      if (signal.aborted) return;
      const isDue = row.expires_at !== null && row.expires_at - now < REFRESH_BEFORE;
      if (isDue && (this.#refusedUntil.get(row.id) ?? 0) <= now) await this.#refresh(row);
    }
    for (const row of rows) {
      if (signal.aborted) return;
      if (row.removed_at === null || now - row.removed_at < REMOVAL_GRACE) continue;
      if (!(await table.forget(row))) continue;
      this.#cached.delete(row.id);
      log.warn({ platform: slackPlatform.id, workspace: row.id }, "workspace deleted");
    }
  }

  /** Never rejects: one workspace's token must not keep those of others from being refreshed. */
  async #refresh(row: InstallationRow): Promise<void> {
    const { log, oauth } = this.#options;
    const about = { platform: slackPlatform.id, workspace: row.id };
    const spent = this.#open(row)?.refreshToken;
    if (spent === undefined) return;
    try {
      const granted = await oauth.refresh(spent);
      await this.#keepRefreshed(row, spent, granted);
    } catch (error) {
      const code = errorCodeOf(error);
      const isRefused = code !== undefined && !TEMPORARY_ERRORS.has(code);
      if (isRefused) this.#refusedUntil.set(row.id, this.#now() + REFUSED_PAUSE);
      log[isRefused ? "error" : "warn"]({ ...about, why: describeError(error) }, "token not refreshed");
    }
  }

  /**
   * The refresh token is spent: its successor must not be lost, though the row may have been sealed anew meanwhile. Where
   * the app was installed anew, the row has tokens of its own.
   */
  async #keepRefreshed(row: InstallationRow, spent: string, granted: GrantedTokens): Promise<void> {
    const { table } = this.#options;
    const changes = this.#kept(row.id, granted, this.#now());
    for (let now: InstallationRow | undefined = row; now !== undefined;) {
      if (this.#open(now)?.refreshToken !== spent || (await table.change(now, changes))) break;
      now = await table.get(slackPlatform.id, row.id);
    }
    this.#cached.delete(row.id);
  }
}

function isThere({ removed_at: removedAt }: InstallationRow): boolean {
  return removedAt === null;
}
