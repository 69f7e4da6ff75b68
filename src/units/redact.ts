// Secrets of the settings, which nodes, platforms and libraries may repeat. Their words pass `redact` where they enter
// (responses, errors); the log and the probes pass all of theirs through it once more.

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
  return (text) => text.replace(pattern, "…");
}

/** The password in an address, and the values of its query, each as it stands there and decoded. */
export function secretsInAddress(address: string): string[] {
  const [, scheme = "", user = ""] = /^([a-z][a-z\d+.-]*):\/\/(?:([^/?#]*)@)?/iu.exec(address) ?? [];
  const password = user.slice(user.indexOf(":") + 1 || user.length);
  const query = /\?([^#]*)/u.exec(address)?.[1] ?? "";
  // Among the parameters of a database, only one is a secret.
  const secret = /^postgres/iu.test(scheme) ? /^password=/u : /=/u;
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
  return [secret, ...inUrl, html, json, goJson, json.replaceAll("/", "\\/"), ...inBase64(secret)];
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
