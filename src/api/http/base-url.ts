import { decoded, redact, redactorOf } from "../../units/redact.ts";

/** The parts of a base URL: the origin, the credentials to send, and the name to show. */
export type BaseUrl = ReturnType<typeof parseBaseUrl>;

/** Shorter values are not redacted: they would match in any text. */
const MIN_SECRET_LENGTH = 3;

/** Throws a TypeError without the URL in it, since that may hold a secret. */
export function parseBaseUrl(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    throw new TypeError("a base URL begins with http:// or https:// and names a host");
  }
  const prefix = url.pathname.replace(/\/+$/u, "");
  const ownQuery = url.search.slice(1);
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
  const basic = Buffer.from(credentials).toString("base64");
  const secrets = [
    ...(credentials === ":" ? [] : [basic, credentials]),
    ...[url.username, url.password].flatMap((part) => [part, decoded(part)]),
    ...url.searchParams.values(),
    ...ownQuery.split("&").map((part) => part.slice(part.indexOf("=") + 1)),
  ].filter(({ length }) => length >= MIN_SECRET_LENGTH);
  const own = redactorOf(secrets);
  return {
    /** Scheme, host and port. */
    origin: url.origin,
    /** Host, port and path: no credentials, no query. */
    name: `${url.host}${prefix}`,
    authorization: credentials === ":" ? undefined : `Basic ${basic}`,
    /** Appends an operation's path and query to the base URL's path. */
    join:
      ownQuery === ""
        ? (path: string) => prefix + path
        : (path: string) => `${prefix}${path}${path.includes("?") ? "&" : "?"}${ownQuery}`,
    /** Removes from a text this URL's credentials (also the user name), its query values and the secrets of the settings. */
    redact: own === undefined ? redact : (words: string) => redact(own(words)),
  };
}
