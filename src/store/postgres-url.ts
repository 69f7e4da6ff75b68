import { UserError } from "../errors.ts";

/** Whether a DATABASE_URL names a PostgreSQL server. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:/iu.test(url);
}

/** The modes that the driver knows; it would take any other for none. */
const SSL_MODES: ReadonlySet<string> = new Set([
  "verify-full",
  "verify-ca",
  "require",
  "prefer",
  "no-verify",
  "disable",
]);

/**
 * The name of a server for messages: host, port and database, without user and password.
 *
 * @throws UserError where the URL names no database of a server. The value itself is never repeated.
 */
export function serverName(url: string): string {
  const remedy = "Use an address such as postgres://user:password@host:5432/bellwether.";
  const { hostname, port, pathname, searchParams } = parsed(url, remedy);
  const sslmode = searchParams.get("sslmode");
  if (sslmode !== null && !SSL_MODES.has(sslmode)) {
    throw new UserError("sslmode in DATABASE_URL is none that there is.", {
      remedy: `Write one of ${[...SSL_MODES].join(", ")}.`,
    });
  }
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  const database = decodeURIComponent(pathname.slice(1));
  if (database === "") throw new UserError("DATABASE_URL names no database of the PostgreSQL server.", { remedy });
  return `${host === "" ? "localhost" : host}${port === "" ? "" : `:${port}`}/${database}`;
}

function parsed(url: string, remedy: string): URL {
  try {
    if (!url.includes("://")) throw new TypeError("no server");
    // A user without a host is allowed here, for a Unix socket (`?host=/run/postgresql`), but not in other URLs.
    const found = new URL(url.replace("@/", "@localhost/"));
    // The driver decodes them, too.
    for (const part of [found.username, found.password, found.hostname, found.pathname]) decodeURIComponent(part);
    return found;
  } catch {
    throw new UserError("DATABASE_URL is no address of a PostgreSQL server.", {
      remedy: `${remedy} Special characters in a password are written as %40 and the like.`,
    });
  }
}
