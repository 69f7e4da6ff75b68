import { Recall, type RecallSignal } from "./recall.ts";

interface Flight {
  readonly landing: Promise<unknown>;
  /** Absent when somebody waits who cannot leave. */
  recall: Recall | undefined;
  waiting: number;
}

/** One request under way per identical question: whoever asks meanwhile waits for the same answer. */
export class Flights {
  readonly #flights = new Map<string, Flight>();

  /** The answer under way for this key, if any; leaving it by the signal does not disturb the others. */
  join<T>(key: string, signal: RecallSignal | undefined): Promise<T> | undefined {
    const flight = this.#flights.get(key);
    return flight === undefined ? undefined : (board(flight, signal) as Promise<T>);
  }

  /**
   * Starts a flight, for a key that has none. `go` gets a signal that is aborted when the last of those who wait has
   * left; none at all when the first one never leaves.
   */
  start<T>(key: string, signal: RecallSignal | undefined, go: (signal?: RecallSignal) => Promise<T>): Promise<T> {
    const recall = signal === undefined ? undefined : new Recall();
    const landing = go(recall);
    const flight: Flight = { landing, recall, waiting: 0 };
    this.#flights.set(key, flight);
    const landed = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    landing.then(landed, landed);
    // One that everybody has left is not to be joined any more.
    recall?.addEventListener("abort", landed);
    return board(flight, signal) as Promise<T>;
  }
}

function board(flight: Flight, signal: RecallSignal | undefined): Promise<unknown> {
  flight.waiting += 1;
  if (signal === undefined) {
    flight.recall = undefined;
    return flight.landing;
  }
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(signal.reason);
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.recall?.abort(signal.reason);
    };
    if (signal.aborted) {
      leave();
      return;
    }
    signal.addEventListener("abort", leave, { once: true });
    flight.landing.then(
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
