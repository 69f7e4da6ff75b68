import { type AlertEvent, AlertEvent as EventSchema } from "../../src/alerts/judge/kinds/event.ts";
import { type AlertKind, KINDS } from "../../src/alerts/judge/kinds/kinds.ts";
import { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import type { ApiClient } from "../../src/api/api-client.ts";
import type { Nanoseconds } from "../../src/units/time.ts";
import type { WatchContext, Watcher } from "../../src/watchers/watcher.ts";

export interface Found {
  readonly readings: readonly Reading[];
  readonly events: readonly AlertEvent[];
}

/** Observes on demand; between two observations the snapshot is JSON, as in a store. */
export class ManualObserver<Snapshot> {
  readonly #watcher: Watcher<Snapshot>;
  readonly #api: ApiClient;
  readonly #now: () => Nanoseconds;
  #kept: string | undefined;
  /** The subscribed subjects, by kind. */
  subjects: Partial<Record<AlertKind, readonly string[]>> = {};
  /** The changes of values that are asked for, by market. */
  changes: NonNullable<WatchContext<unknown>["changes"]> = new Map();

  constructor(watcher: Watcher<Snapshot>, api: ApiClient, now: () => Nanoseconds) {
    this.#watcher = watcher;
    this.#api = api;
    this.#now = now;
  }

  /** With `keep: false` nothing is stored, as where the sink fails. */
  async observe(options: { keep?: boolean } = {}): Promise<Found> {
    const before = this.#kept === undefined ? undefined : this.#watcher.snapshot.parse(JSON.parse(this.#kept));
    const context = { before, changes: this.changes, subjects: (kind: AlertKind) => this.subjects[kind] ?? [] };
    const after = await this.#watcher.observe(this.#api, context, new AbortController().signal);
    const kept = JSON.stringify(after);
    const found = this.#watcher.judge(before, this.#watcher.snapshot.parse(JSON.parse(kept)), this.#now());
    if (options.keep !== false) this.#kept = kept;
    for (const { kind } of [...found.readings, ...found.events]) {
      if (!KINDS[kind].watchers.some((name) => name === this.#watcher.name)) {
        throw new Error(`${kind} is not said to be found by ${this.#watcher.name}`);
      }
    }
    return {
      readings: found.readings.map((reading) => Reading.parse(reading)),
      events: found.events.map((event) => EventSchema.parse(event)),
    };
  }
}
