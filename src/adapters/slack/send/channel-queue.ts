import { setTimeout as sleep } from "node:timers/promises";

/** The maximum number of waiting messages per channel: beyond it, the caller retries later. */
const MAX_WAITING_MESSAGES = 1000;

/** A channel's queue is full. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

/** Work that waits for its turn. */
interface Waiting {
  readonly urgent: boolean;
  /** Once, however often it is called. */
  prepare(): Promise<unknown>;
  work(): Promise<void>;
}

interface Channel {
  /** In order, urgent ones first. */
  readonly waiting: Waiting[];
  working: boolean;
  /** By the monotonic clock. */
  nextAt: number;
}

/**
 * Serializes work per channel, with the pauses that the work asks for; channels do not wait for each other. The turn is
 * given at the end of a pause: urgent work goes ahead of all that waits.
 */
export class ChannelQueue {
  readonly #channels = new Map<string, Channel>();

  /** Queues work of a channel; `ready` runs during the pause before it. Rejects with the signal's reason before its turn. */
  run<T>(
    channel: string,
    signal: AbortSignal,
    work: () => Promise<T>,
    { ready, urgent = false }: { readonly ready?: () => Promise<unknown>; readonly urgent?: boolean } = {},
  ): Promise<T> {
    const state = this.#channels.get(channel) ?? { waiting: [], working: false, nextAt: 0 };
    this.#channels.set(channel, state);
    const { waiting } = state;
    if (waiting.length >= MAX_WAITING_MESSAGES)
      return Promise.reject(new QueueFull(`${MAX_WAITING_MESSAGES} messages wait for this channel`));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const abort = (): void => leave(signal.reason);
    let prepared: Promise<unknown> | undefined;
    const entry: Waiting = {
      urgent,
      prepare: () => (prepared ??= Promise.resolve(ready?.()).catch(leave)),
      work: async () => {
        signal.removeEventListener("abort", abort);
        await work().then(resolve, reject);
      },
    };
    function leave(reason: unknown): void {
      const index = waiting.indexOf(entry);
      if (index !== -1) waiting.splice(index, 1);
      reject(reason);
    }
    if (signal.aborted) return Promise.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const behind = urgent ? waiting.findIndex((one) => !one.urgent) : -1;
    waiting.splice(behind === -1 ? waiting.length : behind, 0, entry);
    if (!state.working) void this.#work(channel, state);
    return promise;
  }

  /** Whether urgent work waits for its turn. */
  hasUrgent(channel: string): boolean {
    return this.#channels.get(channel)?.waiting[0]?.urgent === true;
  }

  /** Lets the next work of a channel wait for this long from now. */
  hold(channel: string, millis: number): void {
    const state = this.#channels.get(channel);
    if (state !== undefined) state.nextAt = Math.max(state.nextAt, performance.now() + millis);
  }

  /** Never rejects. */
  async #work(channel: string, state: Channel): Promise<void> {
    const { waiting } = state;
    state.working = true;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      await next.prepare();
      const pause = state.nextAt - performance.now();
      if (pause > 0) await sleep(Math.ceil(pause));
      // Something urgent came meanwhile, it was given up, or the pause was made longer.
      if (waiting[0] !== next || state.nextAt > performance.now()) continue;
      waiting.shift();
      await next.work();
    }
    state.working = false;
    await sleep(Math.max(0, state.nextAt - performance.now()) + 100, undefined, { ref: false });
    const isIdle = !state.working && state.nextAt <= performance.now();
    if (isIdle && this.#channels.get(channel) === state) this.#channels.delete(channel);
  }
}
