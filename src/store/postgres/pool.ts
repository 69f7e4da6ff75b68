import type { PostgresPool, PostgresPoolClient } from "kysely";
import { Pool, type PoolClient, types } from "pg";

import type { Milliseconds } from "../../units/time.ts";
import { storableText } from "../queries.ts";
import type { WriteHealth } from "../write-health.ts";
import {
  ConnectionCut,
  isConnectionFault,
  isEndedByServer,
  isRefusal,
  isStorageFault,
  isTimeout,
} from "./postgres-faults.ts";

/**
 * Transactions of alerts run one after the other, so a process needs one connection for these. The others are for
 * reading and for settings. The number is small, because every connection is a process of the server and several bots
 * may share it.
 */
const MAX_CONNECTIONS = 6;
/** How long to wait for a connection of the pool, or for the server to accept a new one. */
const CONNECT_TIMEOUT: Milliseconds = 5000;
/** The client's own limit, for a server that has stopped answering: longer than the server's. */
const ANSWER_TIMEOUT: Milliseconds = 20_000;
/** How long an unused connection is kept. */
const IDLE_TIMEOUT: Milliseconds = 30_000;

/**
 * Limits of a transaction. They are set when it begins and not with the connection, because a pooler gives each
 * transaction another one. A process that stops in the middle of a transaction delays others no longer than the last
 * limit.
 */
export const TRANSACTION_LIMITS =
  "set local statement_timeout = 15000; set local lock_timeout = 15000; set local idle_in_transaction_session_timeout = 5000";

// Types by their number: https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat
const INT8 = 20;
const NUMERIC = 1700;
const NUMBERS: ReadonlySet<number> = new Set([INT8, NUMERIC]);

/** @throws RangeError for a number that a JavaScript number cannot hold exactly. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${text}, which is no safe integer.`);
  return value;
}

/**
 * Connections to a server. A failed connection is discarded, and its error says whether what was asked may have been
 * done (`ConnectionCut`). `writes` records whether writing works.
 */
export function openPool(url: string, writes: WriteHealth, answerTimeout = ANSWER_TIMEOUT): PostgresPool {
  const pool = new Pool({
    connectionString: url,
    application_name: "bellwether",
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    idleTimeoutMillis: IDLE_TIMEOUT,
    query_timeout: answerTimeout,
    // A query does not wait for the answer to the one before it.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    allowExitOnIdle: true,
    types: {
      getTypeParser: (type, format) => (NUMBERS.has(type) ? exactNumber : types.getTypeParser(type, format)),
    },
  });
  // The pool has removed the connection already; the next query opens another.
  pool.on("error", () => undefined);
  // A connection that breaks between two queries reports this here, and again at the next query.
  pool.on("connect", (client) => client.on("error", () => undefined));
  let ended: Promise<void> | undefined;
  return {
    options: pool.options,
    async connect() {
      try {
        return track(await pool.connect(), writes);
      } catch (thrown) {
        throw isRefusal(thrown) ? thrown : new ConnectionCut("nothing", thrown);
      }
    },
    end: () => (ended ??= pool.end()),
  };
}

const CHANGES: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE"]);

function track(client: PoolClient, writes: WriteHealth): PostgresPoolClient {
  let inTransaction = false;
  let broken = false;
  let undone = false;
  const tracked = {
    async query(text: string, values: readonly unknown[] = []) {
      const begins = text.startsWith("begin");
      const commits = text === "commit";
      try {
        const result = await client.query(text, values.map(storable));
        if (begins) inTransaction = true;
        else if (commits || text === "rollback") inTransaction = false;
        if (commits) writes.committed();
        else if (text === "rollback") writes.rolledBack();
        else if (CHANGES.has(result.command)) writes.changed(result.rowCount ?? 0, inTransaction);
        return result;
      } catch (thrown) {
        if (isStorageFault(thrown)) writes.failed(thrown);
        if (!isConnectionFault(thrown)) throw thrown;
        // A rollback that is tried after a commit whose answer was lost proves nothing.
        // A server that did not answer in time may do so still, and another wait as long would come on top.
        const certain = !commits && !isTimeout(thrown);
        if (!broken) undone = certain && (inTransaction || /^(?:begin|select)/u.test(text) || isEndedByServer(thrown));
        broken = true;
        throw new ConnectionCut(undone ? "nothing" : "perhaps", thrown);
      }
    },
    release: (discard = false) => client.release(discard || broken || inTransaction),
  };
  // Kysely's type also has cursors, which need another package.
  return tracked as unknown as PostgresPoolClient;
}

function storable(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  // All columns of numbers hold integers; a time between two milliseconds is stored as the later one.
  if (typeof value === "number") return Math.ceil(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (value === null || typeof value === "bigint" || typeof value === "boolean") return value;
  throw new TypeError(`A value of type ${typeof value} cannot be stored.`);
}
