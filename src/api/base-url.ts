/** A base URL taken apart: what is dialled, what is sent, and what people may see of it. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Host, port and path: no credentials, no query. */
  readonly name: string;
  /** `Basic …` where the URL carries credentials. */
  readonly authorization: string | undefined;
  /** The base URL's own path with an operation's path and query behind it. */
  join(path: string): string;
}

/** Throws a TypeError without the URL in it, since that may hold a secret. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    throw new TypeError("a base URL begins with http:// or https:// and names a host");
  }
  const prefix = url.pathname.replace(/\/+$/u, "");
  const ownQuery = url.search.slice(1);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    origin: url.origin,
    name: `${url.host}${prefix}`,
    authorization: credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
    join:
      ownQuery === ""
        ? (path) => prefix + path
        : (path) => `${prefix}${path}${path.includes("?") ? "&" : "?"}${ownQuery}`,
  };
}
