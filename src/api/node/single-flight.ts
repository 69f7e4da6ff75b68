import { Cancellation, type CancelSignal } from "../cancellation.ts";
import type { Lane } from "./rate-budget.ts";

interface SharedCall {
  readonly result: Promise<unknown>;
  /** Absent when somebody waits who cannot leave. */
  cancellation: Cancellation | undefined;
  waiting: number;
}

/** One request under way per identical question: whoever asks meanwhile waits for the same answer. */
export class SingleFlight {
  readonly #flights: Readonly<Record<Lane, Map<string, SharedCall>>> = { people: new Map(), watchers: new Map() };

  /**
   * The answer that is under way for this key, or else the one that `go` brings; leaving it by the signal does not
   * disturb the others. Watchers do not join people, who may still stand in the queue of the budget. `go` gets a signal
   * that is aborted when the last of those who wait has left; none at all when the first one never leaves.
   */
  run<T>(
    lane: Lane,
    key: string,
    signal: CancelSignal | undefined,
    go: (signal?: CancelSignal) => Promise<T>,
  ): Promise<T> {
    const own = this.#flights[lane];
    const flight = this.#flights.watchers.get(key) ?? own.get(key) ?? start(own, key, signal, go);
    return join(flight, signal) as Promise<T>;
  }
}

function start(
  flights: Map<string, SharedCall>,
  key: string,
  signal: CancelSignal | undefined,
  go: (signal?: CancelSignal) => Promise<unknown>,
): SharedCall {
  const recall = signal === undefined ? undefined : new Cancellation();
  const landing = go(recall);
  const flight: SharedCall = { result: landing, cancellation: recall, waiting: 0 };
  flights.set(key, flight);
  const landed = (): void => {
    if (flights.get(key) === flight) flights.delete(key);
  };
  landing.then(landed, landed);
  // One that everybody has left is not to be joined any more.
  recall?.addEventListener("abort", landed);
  return flight;
}

function join(flight: SharedCall, signal: CancelSignal | undefined): Promise<unknown> {
  flight.waiting += 1;
  if (signal === undefined) {
    flight.cancellation = undefined;
    return flight.result;
  }
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(signal.reason);
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.cancellation?.abort(signal.reason);
    };
    if (signal.aborted) {
      leave();
      return;
    }
    signal.addEventListener("abort", leave, { once: true });
    flight.result.then(
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
