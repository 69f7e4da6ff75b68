import type { PostgresPool, PostgresPoolClient } from "kysely";
import { Pool, type PoolClient, types } from "pg";

import type { Milliseconds } from "../../units/time.ts";
import { storableText } from "../queries.ts";
import type { WriteHealth } from "../write-health.ts";
import { codeOf, StorageError, UserError } from "../../errors.ts";

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

/** A connection that failed while it was used, or could not be had. */
export class ConnectionCut extends Error {
  override readonly name = "ConnectionCut";
  /** Whether what was asked is certainly undone, so that it may be asked again. */
  readonly done: "nothing" | "perhaps";

  constructor(done: "nothing" | "perhaps", cause: unknown) {
    super("The connection to the database failed.", { cause });
    this.done = done;
  }
}

// States of errors: https://www.postgresql.org/docs/current/errcodes-appendix.html
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";
const READ_ONLY = "25006";
const DISK_FULL = "53100";

/** Errors of the server and its machine, with the words that people see. */
const TROUBLES: ReadonlyMap<string, string> = new Map([
  [DISK_FULL, "The disk of the bot's database server is full"],
  ["53200", "The bot's database server is out of memory"],
  ["53300", "The bot's database server takes no more connections"],
  ["53400", "The bot's database server has reached one of its limits"],
  ["58030", "The disk of the bot's database server refuses to read or write"],
  ["XX001", "The bot's database is damaged"],
  ["XX002", "The bot's database is damaged"],
  [READ_ONLY, "The bot's database takes no writes"],
  ["57014", "The bot's database is too slow"],
  ["55P03", "The bot's database is too slow"],
]);

/** The error with which such a server answers a write. */
export function takesNoWrites(): Error {
  return Object.assign(new Error("the server takes no writes"), { code: READ_ONLY });
}

/** Those of them that prevent writing. */
const STORAGE: ReadonlySet<string> = new Set([DISK_FULL, "58030", "XX001", "XX002", READ_ONLY]);

/** Errors with which the server ends a connection: a shutdown, a crash, a limit of idleness. */
const ENDED: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P05", "25P03", "25P04"]);

/** Faults of the operating system on the way to the server. */
const NETWORK: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Messages of pg that have no code: https://github.com/brianc/node-postgres/tree/pg%408.23.0/packages */
const UNCODED =
  /^(?:Connection terminated|Client was closed|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect|timeout expired|Cannot use a pool)/u;

/** The server ended the connection in place of an answer, and has not done what was asked. */
export function isEndedByServer(thrown: unknown): boolean {
  return ENDED.has(codeOf(thrown));
}

/** No answer came within the client's own limit. */
export function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === "Query read timeout";
}

/** The connection cannot be used any more. */
export function isConnectionFault(thrown: unknown): boolean {
  if (thrown instanceof ConnectionCut) return true;
  const code = codeOf(thrown);
  if (code !== "") return code.startsWith("08") || ENDED.has(code) || NETWORK.has(code);
  return thrown instanceof Error && UNCODED.test(thrown.message);
}

/** Nothing can be written until somebody mends the server. */
export function isStorageFault(thrown: unknown): boolean {
  return STORAGE.has(codeOf(thrown));
}

/** The same may succeed when asked again, and nothing of it was done. */
export function mayBeRetried(thrown: unknown): boolean {
  if (thrown instanceof ConnectionCut) return thrown.done === "nothing";
  const code = codeOf(thrown);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/** The server refuses this user, password or database, or its certificate is not trusted. */
export function isRefusal(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code.startsWith("28") || code === "3D000" || code === "42501" || isTlsFault(thrown);
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
function isTlsFault(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (/^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/u.test(code)) return true;
  return thrown instanceof Error && thrown.message.startsWith("The server does not support SSL");
}

/** Turns a fault of the server or of the connection, which is neither the caller's nor a bug, into a StorageError. */
export function toServerError(thrown: unknown, server: string): unknown {
  if (thrown instanceof UserError || thrown instanceof StorageError) return thrown;
  const title = isConnectionFault(thrown)
    ? "The bot's database server cannot be reached"
    : isRefusal(thrown)
      ? "The bot's database server refuses the bot"
      : TROUBLES.get(codeOf(thrown));
  if (title === undefined) return thrown;
  const reason = reasonOf(thrown);
  const message = `${title}: ${server}${reason === "" ? "" : ` (${reason})`}`;
  return new StorageError(message, { title, remote: true, isFull: codeOf(thrown) === DISK_FULL, cause: thrown });
}

/** Turns a fault at the start into a sentence for the operator, where a setting is wrong. */
export function toOperatorError(thrown: unknown, server: string): unknown {
  if (thrown instanceof UserError) return thrown;
  const why = `: ${reasonOf(thrown)}`;
  const refuse = (message: string, remedy: string): UserError => new UserError(message, { remedy, cause: thrown });
  if (isTlsFault(thrown)) {
    const remedy =
      "Set sslmode in DATABASE_URL to fit the server: verify-full, no-verify or disable; see docs/operations/postgresql.md.";
    return refuse(`The connection to the database server ${server} cannot be encrypted as asked${why}.`, remedy);
  }
  switch (codeOf(thrown)) {
    case "28P01":
    case "28000":
      return refuse(
        `The database server ${server} refuses the user${why}.`,
        "Check user and password in DATABASE_URL.",
      );
    case "3D000":
      return refuse(
        `The database does not exist on ${server}${why}.`,
        "Create it, or name another one in DATABASE_URL.",
      );
    case "42501":
      return refuse(
        `The user may not do what the bot needs on ${server}${why}.`,
        "Make it the owner of the database and of its tables.",
      );
    default:
      // The server may be starting: another attempt may succeed.
      return toServerError(thrown, server);
  }
}

/** The server's or the system's own words, which hold no password. */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof ConnectionCut ? thrown.cause : thrown;
  if (!(cause instanceof Error)) return "";
  // The error for an address with several IP numbers holds an error for each.
  const message = cause instanceof AggregateError && cause.message === "" ? codeOf(cause) : cause.message;
  return message.replaceAll(/\s+/gu, " ").replace(/\.$/u, "").trim();
}
