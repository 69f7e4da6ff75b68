import type { Lane } from "./rate-budget.ts";

interface SharedCall {
  readonly calls: Map<string, SharedCall>;
  readonly key: string;
  readonly result: Promise<unknown>;
  /** Undefined once a caller without a signal waits. */
  controller: AbortController | undefined;
  waiting: number;
}

/** Runs one request per key at a time: callers with the same key share its answer. */
export class SingleFlight {
  readonly #calls: Readonly<Record<Lane, Map<string, SharedCall>>> = { people: new Map(), watchers: new Map() };

  /**
   * Joins the running call for this key, or starts one with `execute`. A caller that aborts does not affect the others.
   * Watchers do not join calls of the "people" lane, which may still wait in the queue of the rate budget. The signal
   * passed to `execute` aborts once all callers have aborted; there is none if the first caller has no signal.
   */
  run<T>(
    lane: Lane,
    key: string,
    signal: AbortSignal | undefined,
    execute: (signal?: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const own = this.#calls[lane];
    const call = this.#calls.watchers.get(key) ?? own.get(key) ?? startCall(own, key, signal, execute);
    return join(call, signal) as Promise<T>;
  }
}

function startCall(
  calls: Map<string, SharedCall>,
  key: string,
  signal: AbortSignal | undefined,
  execute: (signal?: AbortSignal) => Promise<unknown>,
): SharedCall {
  const controller = signal === undefined ? undefined : new AbortController();
  const result = execute(controller?.signal);
  const call: SharedCall = { calls, key, result, controller, waiting: 0 };
  calls.set(key, call);
  const close = (): void => closeCall(call);
  result.then(close, close);
  return call;
}

/** Lets nobody else join. */
function closeCall(call: SharedCall): void {
  if (call.calls.get(call.key) === call) call.calls.delete(call.key);
}

function join(call: SharedCall, signal: AbortSignal | undefined): Promise<unknown> {
  call.waiting += 1;
  if (signal === undefined) {
    call.controller = undefined;
    return call.result;
  }
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(signal.reason);
      call.waiting -= 1;
      if (call.waiting > 0 || call.controller === undefined) return;
      closeCall(call);
      call.controller.abort(signal.reason);
    };
    if (signal.aborted) {
      leave();
      return;
    }
    signal.addEventListener("abort", leave, { once: true });
    call.result.then(
      (answer) => {
        signal.removeEventListener("abort", leave);
        resolve(answer);
        return undefined;
      },
      (error: unknown) => {
        signal.removeEventListener("abort", leave);
        reject(error);
      },
    );
  });
}
