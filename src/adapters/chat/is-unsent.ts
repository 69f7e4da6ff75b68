/** System errors of a failed connection: nothing was sent. */
const UNSENT_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether a request certainly had no effect, judged by the error and its causes. */
export function isUnsent(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return ("code" in thrown && UNSENT_CODES.has(String(thrown.code))) || isUnsent(thrown.cause);
}
