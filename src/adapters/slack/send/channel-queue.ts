import { setTimeout as sleep } from "node:timers/promises";

/** The maximum number of waiting messages per channel: beyond it, the caller retries later. */
const MAX_WAITING_MESSAGES = 1000;

/** A channel's queue is full. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

/**
 * Serializes work per channel, with a pause in between; channels do not wait for each other. The pause starts at the
 * end of a call, so that two messages never arrive closer together.
 */
export class ChannelQueue {
  readonly #spacingMillis: number;
  readonly #channels = new Map<string, { tail: Promise<unknown>; nextAt: number; waiting: number }>();

  constructor(spacingMillis: number) {
    this.#spacingMillis = spacingMillis;
  }

  /** Queues work of a channel; `ready` runs during the pause before it. */
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
