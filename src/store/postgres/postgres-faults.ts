import { codeOf, StorageError, UserError } from "../../errors.ts";

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
