import { disposeReply, type Reply } from "../reply/reply.ts";
import type { Milliseconds } from "../units/time.ts";

/** The number of reports shown, and the time since the progress began and since the last report was shown. */
export interface Shown {
  readonly times: number;
  readonly begunMillis: Milliseconds;
  readonly lastMillis: Milliseconds;
}

/**
 * Shows the progress of an answer a few times, since platforms limit how often: one report at a time. A newer report
 * replaces the one that waits.
 */
export class Progress {
  readonly #pause: (shown: Shown) => Milliseconds | undefined;
  readonly #show: (latest: Reply) => Promise<boolean>;
  readonly #begunAt = performance.now();
  #times = 0;
  #lastAt = this.#begunAt;
  #latest: Reply | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #sealed = false;

  /** `pause` says when the next report is shown; undefined ends them. `show` must not reject; false ends them, too. */
  constructor(pause: (shown: Shown) => Milliseconds | undefined, show: (latest: Reply) => Promise<boolean>) {
    this.#pause = pause;
    this.#show = show;
  }

  update(latest: Reply): void {
    const unused = this.#sealed ? latest : this.#latest;
    if (unused !== undefined) void disposeReply(unused);
    if (this.#sealed) return;
    this.#latest = latest;
    this.#arm();
  }

  /** Shows this instead, and nothing after it. */
  updateLast(latest: Reply): void {
    this.update(latest);
    this.#sealed = true;
  }

  /** Resolves once nothing is being shown any more; nothing follows. */
  async stop(): Promise<void> {
    this.#end();
    await this.#running;
  }

  #end(): void {
    this.#sealed = true;
    clearTimeout(this.#timer);
    if (this.#latest !== undefined) void disposeReply(this.#latest);
    this.#latest = undefined;
  }

  #arm(): void {
    if (this.#latest === undefined || this.#timer !== undefined || this.#running !== undefined) return;
    const now = performance.now();
    const shown = { times: this.#times, begunMillis: now - this.#begunAt, lastMillis: now - this.#lastAt };
    const pause = this.#pause(shown);
    if (pause !== undefined) this.#timer = setTimeout(() => this.#begin(), Math.max(0, pause)).unref();
  }

  #begin(): void {
    this.#timer = undefined;
    const latest = this.#latest;
    if (latest === undefined) return;
    this.#latest = undefined;
    this.#times += 1;
    this.#running = this.#show(latest).then((more) => {
      this.#running = undefined;
      this.#lastAt = performance.now();
      if (more) this.#arm();
      else this.#end();
      return undefined;
    });
  }
}
