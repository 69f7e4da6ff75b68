import { existsSync } from "node:fs";

import type { Config } from "../../config.ts";
import { UserError } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { DatabaseStore } from "../../store/create-store.ts";
import { enforceOrigin, originOf } from "../../store/file/origin.ts";
import { wasEverLocked } from "../../store/file/process-lock.ts";
import type { Origin } from "../../store/marks.ts";

/** The origin that a database must have for the networks of a process. */
export function requiredOrigin({ networks }: Pick<Config, "networks">): Origin {
  return networks.length === 0 ? "simulated" : "configured";
}

/**
 * Takes the database for this process. A file from a simulated network is set aside first: its alerts would stay open
 * for ever on a real one. Resolves with `begunAnew` where the database that was there is gone. Rejects with UserError when
 * the database cannot be used.
 */
export async function claimDatabase(
  store: DatabaseStore,
  config: Pick<Config, "networks">,
  log: Log,
): Promise<{ readonly begunAnew: boolean }> {
  const file = store.embedded?.file;
  if (file === undefined) {
    await store.claim();
    await refuseOtherOrigin(store, config);
    return { begunAnew: false };
  }
  const begunAnew = isGone(file);
  const aside = await enforceOrigin(file, requiredOrigin(config), `simulated-${fileTimestamp(new Date())}`);
  if (aside !== undefined) log.warn({ file: aside }, "database set aside");
  await store.claim();
  if (begunAnew) log.warn({ file, why: lostDatabaseWarning(file) }, "database begun anew");
  return { begunAnew };
}

/** The bot sets aside no database on a server: other processes may use it. */
async function refuseOtherOrigin(
  store: Pick<DatabaseStore, "origin">,
  config: Pick<Config, "networks">,
): Promise<void> {
  const origin = await store.origin();
  if (origin === undefined || origin === requiredOrigin(config)) return;
  throw origin === "simulated"
    ? new UserError("The database in DATABASE_URL is that of the simulator.", {
        remedy: "Name an empty database for the networks in MAINNET_URLS and TESTNET_URLS.",
      })
    : new UserError("The database in DATABASE_URL is that of networks which are no longer set.", {
        remedy: "Set MAINNET_URLS or TESTNET_URLS again, or give the simulator another database.",
      });
}

/** Whether a database existed once and is gone: the file of its lock stays. */
export function isGone(file: string): boolean {
  return !existsSync(file) && wasEverLocked(file);
}

/** A sentence about a database that is gone, with what to do. */
function lostDatabaseWarning(file: string): string {
  return (
    `The database ${file} was there before and is gone, so a new one is begun, without subscriptions and saved parties. ` +
    "To restore a backup, stop the bot and type: npm run restore -- <backup>"
  );
}

/** For a process that uses the database without claiming it: a sentence where it is gone, or has another origin. */
export async function databaseWarning(
  store: Pick<DatabaseStore, "embedded" | "origin">,
  config: Pick<Config, "networks">,
): Promise<string | undefined> {
  const file = store.embedded?.file;
  if (file !== undefined && isGone(file)) return lostDatabaseWarning(file);
  // The answers report what is wrong with a server.
  const origin = file === undefined ? await store.origin().catch(() => undefined) : originOf(file);
  if (origin === undefined || origin === requiredOrigin(config)) return undefined;
  const where = file ?? "the database in DATABASE_URL";
  const then = file === undefined ? "npm start refuses it" : "npm start sets it aside";
  return origin === "simulated"
    ? `What alerts and my … say comes from the simulator, which left it in ${where}; ${then}.`
    : `What alerts and my … say comes from networks that are no longer set, out of ${where}.`;
}

/** `20231114221320`, UTC: for file names. */
export function fileTimestamp(at: Date): string {
  return at.toISOString().replaceAll(/\D/gu, "").slice(0, 14);
}
