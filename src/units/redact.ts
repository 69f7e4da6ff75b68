// Nodes, platforms and libraries may repeat secrets of the settings. `redact` is applied to responses and errors where
// they enter, and once more to each line of the log and each answer of the probes.

/** Replaces secrets by “…”. */
export type Redact = (text: string) => string;

/** Shorter values would match ordinary text. */
const MIN_SECRET_LENGTH = 8;

// A process has one environment, and so one list of secrets.
const known = new Set<string>();
let hide: Redact | undefined;

/** Adds to the secrets that `redact` removes from now on; shorter ones than 8 characters are left out. */
export function hideSecrets(secrets: readonly string[]): void {
  for (const secret of secrets) if (secret.length >= MIN_SECRET_LENGTH) known.add(secret);
  hide = redactorOf([...known]);
}

/** Removes the secrets of the settings from a text, however it spells them. Apply it before the text is cut. */
export const redact: Redact = (text) => hide?.(text) ?? text;

/** The same request, with the secrets of the settings removed from what is answered. */
export const redactAnswers =
  <A extends readonly unknown[]>(ask: (...request: A) => Promise<Response>) =>
  async (...request: A): Promise<Response> => {
    const response = await ask(...request);
    if (hide === undefined) return response;
    const { status, statusText, headers, body } = response;
    return new Response(body === null ? null : redact(await response.text()), {
      status,
      // A status line holds no other characters than those of latin1.
      statusText: redact(statusText).replaceAll("…", "..."),
      headers,
    });
  };

/** Removes these secrets from a text, however it spells them; undefined where there are none. */
export function redactorOf(secrets: readonly string[]): Redact | undefined {
  if (secrets.length === 0) return undefined;
  // Longest first, so that no part of a secret remains.
  const spelled = [...new Set(secrets.flatMap(spellings))].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(spelled.map((one) => one.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  return (text) => withoutEscaped(text.replace(pattern, "…"), pattern);
}

/** A character as URLs, JSON, JSON in JSON and HTML escape it. */
const ESCAPED =
  /%[\da-f]{2}(?:%[89ab][\da-f])*|\\+(?:u[\da-f]{4}|["'/\\bfnrt])|&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|apos|gt|lt|quot);/giu;

/** Removes what a pattern finds once escapes are read: libraries differ in the characters that they escape. */
function withoutEscaped(text: string, pattern: RegExp): string {
  const read = text.replace(ESCAPED, unescaped);
  if (read === text || read.search(pattern) < 0) return text;
  // Where each escape stands in the text, and where in the text that was read.
  const escapes: { readonly end: number; readonly readEnd: number }[] = [];
  let shift = 0;
  for (const { 0: escape, index } of text.matchAll(ESCAPED)) {
    const end = index + escape.length;
    shift += escape.length - unescaped(escape).length;
    escapes.push({ end, readEnd: end - shift });
  }
  const placeOf = (at: number): number => {
    const before = escapes.findLast(({ readEnd }) => readEnd <= at);
    return at + (before === undefined ? 0 : before.end - before.readEnd);
  };
  const kept: string[] = [];
  let from = 0;
  for (const { 0: found, index } of read.matchAll(pattern)) {
    kept.push(text.slice(from, placeOf(index)));
    from = placeOf(index + found.length);
  }
  return [...kept, text.slice(from)].join("…");
}

const NAMED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function unescaped(escape: string): string {
  if (escape.startsWith("%")) return Buffer.from(escape.replaceAll("%", ""), "hex").toString();
  const [, unit, letter, point, hex] = /u([\da-f]{4})$|^\\+(.)$|^&#(\d+);|^&#x([\da-f]+);/iu.exec(escape) ?? [];
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
  if (letter !== undefined) return NAMED[letter] ?? letter;
  const code = point === undefined ? Number.parseInt(hex ?? "", 16) : Number(point);
  if (code <= 0x10_ffff) return String.fromCodePoint(code);
  return Object.keys(HTML).find((one) => HTML[one] === escape.toLowerCase()) ?? escape;
}

/**
 * The password in an address, or a user name that stands alone, as tokens do, and the values of its query; each as it
 * stands there and decoded.
 */
export function secretsInAddress(address: string): string[] {
  const [, scheme = "", user = ""] = /^([a-z][a-z\d+.-]*):\/\/(?:([^/?#]*)@)?/iu.exec(address) ?? [];
  const query = /\?([^#]*)/u.exec(address)?.[1] ?? "";
  // A database's user is no secret, and of its parameters only one is.
  const isDatabase = /^postgres/iu.test(scheme);
  const [name = "", ...rest] = user.split(":");
  const password = rest.join(":") || (isDatabase ? "" : name);
  const secret = isDatabase ? /^password=/u : /=/u;
  const values = query.split("&").flatMap((pair) => (secret.test(pair) ? [pair.slice(pair.indexOf("=") + 1)] : []));
  return [password, ...values].filter((one) => one !== "").flatMap((one) => [one, decoded(one)]);
}

/** A percent sign that encodes nothing stands for itself. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The ways in which a value is repeated: as it is, in a URL, in HTML, in JSON, in base64. */
function spellings(secret: string): string[] {
  const url = encodeURIComponent(secret.toWellFormed());
  const html = secret.replaceAll(/[&<>"']/gu, (character) => HTML[character] ?? character);
  const json = JSON.stringify(secret).slice(1, -1);
  const goJson = json.replaceAll(/[&<>]/gu, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  const inUrl = [url, url.replaceAll(/%[\dA-F]{2}/gu, (code) => code.toLowerCase())];
  return [
    secret,
    secret.replaceAll(" ", "+"),
    ...inUrl,
    html,
    json,
    goJson,
    json.replaceAll("/", "\\/"),
    ...inBase64(secret),
  ];
}

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** In base64, a byte moves with the number of bytes before it: what no neighbour changes, for each of three places. */
function inBase64(secret: string): string[] {
  if (secret.length < MIN_SECRET_LENGTH) return [];
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const own = (alphabet: "base64" | "base64url"): string =>
      bytes.toString(alphabet).slice(before === 0 ? 0 : before + 1, Math.floor((bytes.length * 8) / 6));
    return [own("base64"), own("base64url")];
  });
}
