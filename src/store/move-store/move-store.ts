// Moves a whole database from a file to a server, or back. copy-tables.ts copies its tables, and compares them.

import { existsSync } from "node:fs";

import { sql } from "kysely";

import { UserError } from "../../errors.ts";
import { copyTables, filledTables, summarise, type TableSummary } from "./copy-tables.ts";
import { databaseFile } from "../file/database-url.ts";
import { openForLife } from "../file/file.ts";
import { executedMigrations, openServer } from "../postgres/postgres.ts";
import { isPostgresUrl, serverName } from "../postgres-url.ts";
import { liveOn } from "../postgres/processes.ts";
import { processName } from "../processes.ts";
import { isPostgres, serialTransactions, type Transactions, type WithDatabase } from "../queries.ts";
import { WriteHealth } from "../write-health.ts";

/** The tables of both sides, read after the copy. */
export interface Moved {
  readonly from: readonly TableSummary[];
  readonly to: readonly TableSummary[];
  /** All tables are equal, and the copy is kept; otherwise nothing is. */
  readonly equal: boolean;
}

interface Side {
  readonly name: string;
  readonly withDatabase: WithDatabase;
  readonly transactions: Transactions;
  close(): Promise<void>;
}

/** How long to wait for another process that has the file. */
const WAIT_MILLIS = 1000;

/**
 * Copies a whole database into an empty one, from a file to a server or back, in one transaction of the target. Both
 * are brought to the newest schema first. Rejects with UserError where a process uses either, the source is not there,
 * or the target is not empty; with StorageError where a server fails.
 */
export async function moveStore(fromUrl: string, toUrl: string): Promise<Moved> {
  if (nameOf(fromUrl) === nameOf(toUrl)) {
    throw new UserError("--from and --to name the same database.", { remedy: "Name an empty one in --to." });
  }
  if (!isPostgresUrl(fromUrl) && !existsSync(databaseFile(fromUrl))) {
    throw new UserError(`There is no database ${databaseFile(fromUrl)}.`, {
      remedy: "Name an existing one in --from.",
    });
  }
  const from = open(fromUrl);
  const to = open(toUrl);
  try {
    await refuseInUse(from);
    await refuseInUse(to);
    await refuseOtherSchema(from, to);
    return await move(from, to);
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

async function move(from: Side, to: Side): Promise<Moved> {
  let unequal: Moved | undefined;
  try {
    const moved = await from.transactions.read((source) =>
      to.transactions.write(async (target) => {
        const filled = await filledTables(target);
        if (filled.length > 0) {
          throw new UserError(`The database ${to.name} is not empty: there are rows in ${filled.join(", ")}.`, {
            remedy: "Name an empty database in --to; nothing in it is overwritten.",
          });
        }
        const read = await copyTables(source, target);
        const written = await summarise(target);
        const done = { from: read, to: written, equal: JSON.stringify(read) === JSON.stringify(written) };
        if (done.equal) return done;
        unequal = done;
        throw new Error("The copy differs, which undoes it.");
      }),
    );
    // A server plans queries by statistics, which it would only gather a minute later.
    await to.withDatabase(async (db) => isPostgres(db) && sql`analyze`.execute(db));
    return moved;
  } catch (thrown) {
    if (unequal !== undefined) return unequal;
    throw thrown;
  }
}

function nameOf(url: string): string {
  return isPostgresUrl(url) ? serverName(url) : databaseFile(url);
}

function open(url: string): Side {
  const name = nameOf(url);
  if (isPostgresUrl(url)) return { name, ...openServer(url, processName(), new WriteHealth()) };
  const access = openForLife(name, WAIT_MILLIS, new WriteHealth());
  return { name, ...access, transactions: serialTransactions(access.withDatabase) };
}

/** Throws where a process uses a database on a server. That of a file has its lock. */
async function refuseInUse({ name, withDatabase }: Side): Promise<void> {
  const { length: live } = await withDatabase(async (db) => (isPostgres(db) ? liveOn(db) : []));
  if (live === 0) return;
  throw new UserError(`The database ${name} is in use by ${live === 1 ? "a process" : `${live} processes`}.`, {
    remedy: "Stop Bellwether there first; a process that was killed counts for some more seconds.",
  });
}

/** A newer version may have added tables and columns that this one would leave out. */
async function refuseOtherSchema(from: Side, to: Side): Promise<void> {
  const [source, target] = [await from.withDatabase(executedMigrations), await to.withDatabase(executedMigrations)];
  if (source.join("\n") === target.join("\n")) return;
  const newer = [...source, ...target].find((name) => source.includes(name) !== target.includes(name));
  throw new UserError(`A newer version of Bellwether wrote one of the databases (it has ${newer}).`, {
    remedy: "Move it with that version.",
  });
}
