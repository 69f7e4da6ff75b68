/**
 * Throttles progress updates to a few moments, since each may cost one of a few uses; later updates replace earlier
 * pending ones.
 */
export class Progress<T> {
  readonly #show: (latest: T) => Promise<boolean>;
  readonly #atMillis: (index: number) => number | undefined;
  readonly #since = performance.now();
  #latest: T | undefined;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  /**
   * `atMillis` returns the moment of each update, counted from now; undefined ends them. `show` must not reject; false ends
   * them, too.
   */
  constructor(atMillis: (index: number) => number | undefined, show: (latest: T) => Promise<boolean>) {
    this.#atMillis = atMillis;
    this.#show = show;
  }

  update(latest: T): void {
    this.#latest = latest;
    this.#arm();
  }

  /** Resolves once the last update has ended; none follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #arm(): void {
    const at = this.#atMillis(this.#next);
    if (this.#stopped || at === undefined || this.#timer !== undefined || this.#running !== undefined) return;
    this.#timer = setTimeout(() => this.#begin(), Math.max(0, at - (performance.now() - this.#since)));
    this.#timer.unref();
  }

  #begin(): void {
    this.#timer = undefined;
    const latest = this.#latest;
    if (latest === undefined || this.#stopped) return;
    this.#latest = undefined;
    this.#next += 1;
    this.#running = this.#show(latest).then((more) => {
      this.#running = undefined;
      if (!more) this.#stopped = true;
      if (this.#latest !== undefined) this.#arm();
      return undefined;
    });
  }
}
