import type { Milliseconds } from "../units/duration.ts";

/** One try. */
const PING_MILLIS: Milliseconds = 10_000;

/**
 * Asks an address once and reads nothing of the answer. Gives a clause for people where it did not take the ping, without
 * the address: that is a secret. Does not follow redirects: they could lead the ping to somebody else. Never rejects.
 */
export async function pingOnce(
  url: string,
  signal: AbortSignal,
  limitMillis = PING_MILLIS,
): Promise<string | undefined> {
  const late = AbortSignal.timeout(limitMillis);
  try {
    const response = await fetch(withoutCredentials(url), {
      headers: { "User-Agent": "Bellwether", ...authorizationOf(url) },
      redirect: "manual",
      signal: AbortSignal.any([signal, late]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    return status >= 300 && status < 400 ? `it redirects elsewhere (HTTP ${status})` : `it answers HTTP ${status}`;
  } catch {
    return late.aborted ? "it does not answer in time" : "it cannot be reached";
  }
}

/** The built-in fetch takes no address with a user name in it. */
function withoutCredentials(url: string): URL {
  const plain = new URL(url);
  plain.username = "";
  plain.password = "";
  return plain;
}

function authorizationOf(url: string): Record<string, string> {
  const { username, password } = new URL(url);
  if (username === "" && password === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}
