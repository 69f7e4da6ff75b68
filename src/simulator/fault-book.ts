import { nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";
import { toMicros, type Stall } from "./clock.ts";
import type { Fault, FaultKind, FaultRequest } from "./fault.ts";
import type { NetworkName } from "./network.ts";

export interface FaultScope {
  readonly network: NetworkName;
  readonly node: number;
}

/** More than anybody sets by hand; the oldest that left no trace make room. */
const MOST_FAULTS = 10_000;

/**
 * All faults, past ones too: a stall that has ended still moves every block after it, so the state of a network is a
 * function of its seed, the clock and this list.
 */
export class FaultBook {
  readonly #now: () => Nanoseconds;
  #faults: Fault[] = [];
  #nextId = 1;
  #stalls = new Map<NetworkName, Stall[]>();

  constructor(now: () => Nanoseconds) {
    this.#now = now;
  }

  /** Sets a fault, at once or from the time it names. */
  set(request: FaultRequest): Fault {
    const from = request.from ?? this.#now();
    const until =
      request.forSeconds === undefined
        ? undefined
        : nanoseconds(from + BigInt(Math.round(request.forSeconds * 1e6)) * 1000n);
    const fault: Fault = { ...request, id: this.#nextId++, from, until };
    this.#faults.push(fault);
    this.#stalls.clear();
    if (this.#faults.length > MOST_FAULTS) this.#forget();
    return fault;
  }

  /** Ends a fault, or all that a filter names, now. What it did to the chain's past stays. Answers how many ended. */
  clear(filter: { id?: number; kind?: FaultKind; network?: NetworkName; node?: number } = {}): number {
    const now = this.#now();
    let ended = 0;
    this.#faults = this.#faults.map((fault) => {
      const named =
        (filter.id === undefined || fault.id === filter.id) &&
        (filter.kind === undefined || fault.kind === filter.kind) &&
        (filter.network === undefined || fault.network === undefined || fault.network === filter.network) &&
        (filter.node === undefined || fault.node === filter.node);
      if (!named || (fault.until !== undefined && fault.until <= now)) return fault;
      ended++;
      return { ...fault, until: fault.from > now ? fault.from : now };
    });
    this.#stalls.clear();
    return ended;
  }

  /** Those that are on now, oldest first; with `past` all that ever were. */
  list(options: { past?: boolean } = {}): readonly Fault[] {
    const now = this.#now();
    return this.#faults.filter((fault) => options.past === true || isOn(fault, now));
  }

  /** What befalls this node now. */
  active(scope: FaultScope): readonly Fault[] {
    if (this.#faults.length === 0) return [];
    const now = this.#now();
    return this.#faults.filter((fault) => isOn(fault, now) && concerns(fault, scope));
  }

  /** When the network as a whole stood still. */
  stalls(network: NetworkName): readonly Stall[] {
    const kept = this.#stalls.get(network);
    if (kept !== undefined) return kept;
    const stalls = this.#faults
      .filter((fault) => stopsTheNetwork(fault) && (fault.network === undefined || fault.network === network))
      .map(({ from, until }) => ({ from: toMicros(from), to: until === undefined ? Infinity : toMicros(until) }));
    this.#stalls.set(network, stalls);
    return stalls;
  }

  /** The core upgrades asked for, past ones too, oldest first. */
  upgrades(network: NetworkName): readonly Fault[] {
    return this.#faults.filter(
      (fault) => fault.kind === "upgrade" && (fault.network === undefined || fault.network === network),
    );
  }

  #forget(): void {
    const now = this.#now();
    const gone = this.#faults.findIndex((fault) => !isOn(fault, now) && !stopsTheNetwork(fault));
    this.#faults.splice(Math.max(0, gone), 1);
  }
}

function stopsTheNetwork(fault: Fault): boolean {
  return (fault.kind === "stall" && fault.node === undefined) || fault.kind === "upgrade";
}

function isOn(fault: Fault, now: Nanoseconds): boolean {
  return fault.from <= now && (fault.until === undefined || now < fault.until);
}

function concerns(fault: Fault, scope: FaultScope): boolean {
  return (
    (fault.network === undefined || fault.network === scope.network) &&
    (fault.node === undefined || fault.node === scope.node)
  );
}
