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
  ].flatMap(spellings);
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
    /**
     * Removes the URL's credentials, user name included, and query values from a text; undefined if the URL has none. To
     * be applied before a text is cut: a part of a secret is not recognised.
     */
    redact: redactor(secrets),
  };
}

/** A percent sign that encodes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The ways in which a node or a proxy writes a value that it repeats: as it is, in a URL, in HTML, in JSON. */
function spellings(secret: string): string[] {
  const html = secret.replaceAll(/[&<>"']/gu, (character) => HTML[character] ?? character);
  const json = JSON.stringify(secret).slice(1, -1);
  const goJson = json.replaceAll(/[&<>]/gu, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  return [secret, encodeURIComponent(secret.toWellFormed()), html, json, goJson];
}

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function redactor(secrets: readonly string[]): ((text: string) => string) | undefined {
  // Longest first, so that no part of a secret remains.
  const hidden = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  if (hidden.length === 0) return undefined;
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}
