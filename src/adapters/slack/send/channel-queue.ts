import { setTimeout as sleep } from "node:timers/promises";

/** A channel with this many waiting messages takes no more: the caller tries again later. */
const MAX_WAITING_MESSAGES = 1000;

/** A channel's queue is full. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

/**
 * Runs work one after the other within a channel, with a pause in between; channels do not wait for each other. The pause
 * counts from the end of a call, so that two messages never arrive closer together.
 */
export class ChannelQueue {
  readonly #spacingMillis: number;
  readonly #channels = new Map<string, { tail: Promise<unknown>; nextAt: number; waiting: number }>();

  constructor(spacingMillis: number) {
    this.#spacingMillis = spacingMillis;
  }

  /** Runs the work at the channel's turn; `ready` runs during the pause before it. */
  async run<T>(channel: string, signal: AbortSignal, work: () => Promise<T>, ready?: () => Promise<void>): Promise<T> {
    const state = this.#channels.get(channel) ?? { tail: Promise.resolve(), nextAt: 0, waiting: 0 };
    this.#channels.set(channel, state);
    if (state.waiting >= MAX_WAITING_MESSAGES)
      throw new QueueFull(`${MAX_WAITING_MESSAGES} messages wait for this channel`);
    state.waiting += 1;
    const turn = state.tail.then(async () => {
      signal.throwIfAborted();
      await ready?.();
      await pause(state.nextAt - performance.now(), signal);
      try {
        return await work();
      } finally {
        state.nextAt = Math.max(state.nextAt, performance.now() + this.#spacingMillis);
      }
    });
    const tail = turn.catch(() => undefined);
    state.tail = tail;
    try {
      return await turn;
    } finally {
      state.waiting -= 1;
      if (state.waiting === 0 && state.tail === tail) this.#forgetLater(channel, state.nextAt);
    }
  }

  /** Pauses one channel. */
  hold(channel: string, millis: number): void {
    const state = this.#channels.get(channel);
    if (state !== undefined) state.nextAt = Math.max(state.nextAt, performance.now() + millis);
  }

  #forgetLater(channel: string, nextAt: number): void {
    const timer = setTimeout(
      () => {
        const state = this.#channels.get(channel);
        if (state !== undefined && state.waiting === 0 && state.nextAt <= performance.now())
          this.#channels.delete(channel);
      },
      nextAt - performance.now() + 100,
    );
    timer.unref();
  }
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (millis <= 0) return;
  await sleep(Math.ceil(millis), undefined, { signal });
}
