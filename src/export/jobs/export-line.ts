import type { ApiClient } from "../../api/api-client.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { FairQueue } from "./fair-queue.ts";

/** A job as the line knows it. */
export interface InLine {
  readonly person: string;
  readonly network: string;
  readonly api: Pick<ApiClient, "nodes">;
}

/** The place of one that waits, from 1. */
export interface Place {
  readonly place: number;
  readonly of: number;
  readonly waitMillis?: Milliseconds;
}

/** Of so many of a network's last exports the durations make the estimate. */
const MEASURED_EXPORTS = 10;

/**
 * Who may begin: one export a node and one a person at a time, in fair turns. Nobody fails by waiting. Times are of the
 * monotonic clock.
 */
export class ExportLine<T extends InLine> {
  readonly #now: () => Milliseconds;
  readonly #queue = new FairQueue<T>();
  readonly #begun = new Map<T, Milliseconds>();
  /** Until when the nodes of a network are not asked. */
  readonly #pausedUntil = new Map<string, Milliseconds>();
  readonly #durations = new Map<string, Milliseconds[]>();

  constructor(now: () => Milliseconds) {
    this.#now = now;
  }

  add(one: T): void {
    this.#queue.add(one);
  }

  /** False where it does not wait any more. */
  remove(one: T): boolean {
    return this.#queue.remove(one);
  }

  /** The next that may begin; it then runs until `end` or `putBack`. */
  begin(): T | undefined {
    const people = new Set([...this.#begun.keys()].map(({ person }) => person));
    const next = this.#queue.take((one) => !people.has(one.person) && this.#isFree(one));
    if (next !== undefined) this.#begun.set(next, this.#now());
    return next;
  }

  /** `whole`: how long it took says how long the next ones may take. */
  end(one: T, whole: boolean): void {
    const begun = this.#begun.get(one);
    this.#begun.delete(one);
    this.#queue.goBehind(one.person);
    if (begun === undefined || !whole) return;
    const durations = [...(this.#durations.get(one.network) ?? []), this.#now() - begun];
    this.#durations.set(one.network, durations.slice(-MEASURED_EXPORTS));
  }

  /** It was not served: it waits again, before all others. */
  putBack(one: T): void {
    this.#begun.delete(one);
    this.#queue.putBack(one);
  }

  /** No export of this network begins for so long. */
  pause(network: string, millis: Milliseconds): void {
    this.#pausedUntil.set(network, Math.max(this.#pausedUntil.get(network) ?? 0, this.#now() + millis));
  }

  /** For how long none begins; 0 = not paused. */
  pausedFor(network: string): Milliseconds {
    return Math.max(0, (this.#pausedUntil.get(network) ?? 0) - this.#now());
  }

  /** Of all that wait. */
  places(): ReadonlyMap<T, Place> {
    const places = new Map<T, Place>();
    for (const network of this.#queue.networks) {
      const order = this.#queue.order(network);
      for (const [ahead, one] of order.entries()) {
        const waitMillis = this.#waitOf(one, ahead);
        const place = { place: ahead + 1, of: order.length };
        places.set(one, waitMillis === undefined ? place : { ...place, waitMillis });
      }
    }
    return places;
  }

  #isFree(one: T): boolean {
    return this.pausedFor(one.network) === 0 && this.#running(one.network).length < nodesOf(one.api);
  }

  #running(network: string): readonly Milliseconds[] {
    return [...this.#begun].flatMap(([one, begun]) => (one.network === network ? [begun] : []));
  }

  /** Each export is taken to last as long as the last ones did on average. */
  #waitOf({ network, api }: T, ahead: number): Milliseconds | undefined {
    const measured = this.#durations.get(network) ?? [];
    if (measured.length === 0) return undefined;
    const average = measured.reduce((sum, one) => sum + one, 0) / measured.length;
    const left = this.#running(network)
      .map((begun) => Math.max(0, begun + average - this.#now()))
      .toSorted((a, b) => a - b);
    const nodes = nodesOf(api);
    const free = nodes > left.length;
    const first = free ? 0 : (left[ahead % nodes] ?? 0);
    return Math.max(this.pausedFor(network), Math.round(first + Math.floor(ahead / nodes) * average));
  }
}

/** The nodes that can be asked now: one at least, so that a node that is down is found to be. */
function nodesOf({ nodes }: Pick<ApiClient, "nodes">): number {
  return Math.max(1, nodes.filter(({ health }) => !health.circuitOpen).length);
}
