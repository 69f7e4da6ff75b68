import type { HttpHeaders } from "../http/http.ts";
import type { ClientLimits } from "../limits.ts";

/**
 * Measures the speed of an export from its first byte on, in windows of `crawlMillis`, since a very slow export would
 * hold one of the few places for exports for hours. A window does not count if the consumer pauses the export at its
 * end, or if the rest of the announced length takes less than another window at this speed.
 */
export function measurePace(
  { crawlBytes, crawlMillis }: Pick<ClientLimits, "crawlBytes" | "crawlMillis">,
  headers: HttpHeaders,
  receiver: { isPaused(): boolean; crawls(bytesInWindow: number): void },
) {
  let bytesInWindow = 0;
  // NaN where no length is announced.
  let bytesLeft = Number(headers["content-length"] ?? Number.NaN);
  const timer = setInterval(() => {
    const bytes = bytesInWindow;
    const isFine = bytes >= crawlBytes || receiver.isPaused() || bytesLeft <= bytes;
    bytesInWindow = 0;
    if (!isFine) receiver.crawls(bytes);
  }, crawlMillis);
  return {
    add(bytes: number): void {
      bytesInWindow += bytes;
      bytesLeft -= bytes;
    },
    stop: (): void => clearInterval(timer),
  };
}
