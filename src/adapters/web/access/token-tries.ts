import { setTimeout as sleep } from "node:timers/promises";

import { LRUCache } from "lru-cache";

import { type Milliseconds, type Nanoseconds, toMillis } from "../../../units/time.ts";
import { MAX_TRY_PAUSE_MILLIS, MAX_WAITING_TRIES, TRIES_FORGOTTEN_MILLIS, TRIES_TO_MAX_PAUSE } from "../limits.ts";
import { clientGroup } from "./client-address.ts";

/** What becomes of a token: `waitMillis` where too many tries of its address wait already. */
export type TokenTry = "right" | "wrong" | { readonly waitMillis: Milliseconds };

/** The tries of one address. */
interface Line {
  wrong: number;
  waiting: number;
  last: Promise<unknown>;
  /** When the next token may be compared, in Unix milliseconds. */
  nextAt: Milliseconds;
}

interface Timing {
  readonly now: () => Nanoseconds;
  /** Rejects when the signal fires. */
  readonly sleep?: ((millis: Milliseconds, signal: AbortSignal) => Promise<void>) | undefined;
}

/**
 * Compares the tokens of one address one behind the other, each after a pause that grows with the wrong ones before it:
 * 25 ms after the first, 10 s after twenty. Guessing is slow then, and one mistyped token costs 25 ms.
 */
export class TokenTries {
  readonly #lines = new LRUCache<string, Line>({ max: 2000 });
  readonly #timing: Timing;

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** `signal`: the client is gone; its token is not compared. Never rejects. */
  async judge(address: string, isRight: () => boolean, signal: AbortSignal): Promise<TokenTry> {
    const line = this.#lineOf(clientGroup(address));
    if (line.waiting >= MAX_WAITING_TRIES) return { waitMillis: pauseAfter(line.wrong) * MAX_WAITING_TRIES };
    line.waiting += 1;
    const judged = line.last.then(() => this.#inTurn(line, isRight, signal));
    line.last = judged;
    return judged;
  }

  #lineOf(client: string): Line {
    const known = this.#lines.get(client);
    if (known !== undefined && (known.waiting > 0 || this.#now() < known.nextAt + TRIES_FORGOTTEN_MILLIS)) return known;
    const line: Line = { wrong: 0, waiting: 0, last: Promise.resolve(), nextAt: 0 };
    this.#lines.set(client, line);
    return line;
  }

  async #inTurn(line: Line, isRight: () => boolean, signal: AbortSignal): Promise<TokenTry> {
    const pause = Math.min(line.nextAt - this.#now(), MAX_TRY_PAUSE_MILLIS);
    try {
      if (pause > 0) await (this.#timing.sleep ?? pauseFor)(pause, signal);
      if (isRight()) return "right";
      line.wrong += 1;
      line.nextAt = this.#now() + pauseAfter(line.wrong);
    } catch {
      // The client is gone.
    } finally {
      line.waiting -= 1;
    }
    return "wrong";
  }

  #now(): Milliseconds {
    return toMillis(this.#timing.now());
  }
}

const pauseFor = (millis: Milliseconds, signal: AbortSignal): Promise<void> => sleep(millis, undefined, { signal });

function pauseAfter(wrong: number): Milliseconds {
  return MAX_TRY_PAUSE_MILLIS * Math.min(wrong / TRIES_TO_MAX_PAUSE, 1) ** 2;
}
