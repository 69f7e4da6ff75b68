/**
 * Lets requests go at an even pace: Discord allows 50 a second over all of a bot's routes
 * (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit), and an even pace keeps to it
 * wherever its second begins, at 98 % of what is allowed.
 */
export class Pacer {
  readonly #spacingMillis: number;
  readonly #waiting: (() => void)[] = [];
  #nextAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(perSecond = 49) {
    this.#spacingMillis = 1000 / perSecond;
  }

  /** Resolves when the next request may go, in the order of the calls; rejects with the signal's reason. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const go = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      const index = this.#waiting.indexOf(go);
      if (index !== -1) this.#waiting.splice(index, 1);
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.push(go);
    this.#release();
    await promise;
  }

  #release(): void {
    if (this.#timer !== undefined) return;
    const now = performance.now();
    // A timer that fires late may be made up for by one request, never by a burst.
    this.#nextAt = Math.max(this.#nextAt, now - this.#spacingMillis);
    while (this.#waiting.length > 0 && this.#nextAt <= now) {
      this.#nextAt += this.#spacingMillis;
      this.#waiting.shift()?.();
    }
    if (this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#release();
    }, this.#nextAt - now);
  }
}
