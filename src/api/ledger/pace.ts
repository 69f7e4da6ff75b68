import type { HttpHeaders } from "../http/http.ts";
import type { ClientLimits } from "../limits.ts";

/**
 * Measures the speed of an export from its first byte on, in windows of `crawlMillis`, since a very slow export would
 * hold one of the few places for exports for hours. A window does not count if the consumer pauses the export at its
 * end, or if the rest of the announced length takes less than another window at this speed.
 */
export class Pace {
  readonly #timer: NodeJS.Timeout;
  #bytesInWindow = 0;
  /** NaN where no length is announced. */
  #bytesLeft: number;

  constructor(
    { crawlBytes, crawlMillis }: Pick<ClientLimits, "crawlBytes" | "crawlMillis">,
    headers: HttpHeaders,
    receiver: { isPaused(): boolean; crawls(bytesInWindow: number): void },
  ) {
    this.#bytesLeft = Number(headers["content-length"] ?? Number.NaN);
    this.#timer = setInterval(() => {
      const bytes = this.#bytesInWindow;
      const isFine = bytes >= crawlBytes || receiver.isPaused() || this.#bytesLeft <= bytes;
      this.#bytesInWindow = 0;
      if (!isFine) receiver.crawls(bytes);
    }, crawlMillis);
  }

  add(bytes: number): void {
    this.#bytesInWindow += bytes;
    this.#bytesLeft -= bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
