import { setTimeout as sleep } from "node:timers/promises";

import type { Milliseconds } from "../../units/time.ts";

/** Repeats an attempt until it is stopped, after the pause that each attempt asks for. */
export class Supervision {
  readonly #stopping = new AbortController();
  #pause = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  /** Aborted by `stop`. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** `attempt` must not reject; it resolves with the pause before the next attempt, or with undefined to end. */
  start(attempt: () => Promise<Milliseconds | undefined>): void {
    this.#loop = this.#repeat(attempt);
  }

  /** Ends the present pause. */
  wake(): void {
    this.#pause.abort();
  }

  /** Resolves once no attempt is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #repeat(attempt: () => Promise<Milliseconds | undefined>): Promise<void> {
    while (!this.signal.aborted) {
      this.#pause = new AbortController();
      const pause = await attempt();
      if (pause === undefined) return;
      const signal = AbortSignal.any([this.signal, this.#pause.signal]);
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

const MAX_BACKOFF_MILLIS: Milliseconds = 60_000;

/** Pauses that double with each failure, up to a minute. */
export class Backoff {
  readonly #first: Milliseconds;
  #wait: Milliseconds;

  constructor(first: Milliseconds) {
    this.#first = first;
    this.#wait = first;
  }

  /** The pause after a success. */
  reset(): Milliseconds {
    this.#wait = this.#first;
    return this.#wait;
  }

  /** The pause after a failure: twice the last one. */
  next(): Milliseconds {
    this.#wait = Math.min(this.#wait * 2, MAX_BACKOFF_MILLIS);
    return this.#wait;
  }
}

/** A pause shortened at random, by half at most, so that connections that ended together are not made anew together. */
export function jittered(pause: Milliseconds): Milliseconds {
  return Math.round(pause * (0.5 + Math.random() / 2));
}
