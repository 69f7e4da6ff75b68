/** System errors with which nothing reached the other side: the connection itself could not be made. */
const UNSENT_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** True when a request certainly had no effect, by what was thrown and what that was caused by. */
export function isUnsent(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return ("code" in thrown && UNSENT_CODES.has(String(thrown.code))) || isUnsent(thrown.cause);
}
