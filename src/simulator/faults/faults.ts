// Fault injection: the kinds of faults, parsing of requests, and the list of faults. `control.ts` sets them over HTTP.

import { UserError } from "../../errors.ts";
import { nanoseconds, type Nanoseconds } from "../../units/nanoseconds.ts";
import { type Stall, toMicros } from "../chain/chain.ts";
import { type NetworkName, NETWORKS } from "../network.ts";

/**
 * What can be wrong with a network, or with one node of it.
 *
 * Of the chain: `stall` (no new blocks; of one node: it alone stands still), `upgrade` (a stall, after which snapshots
 * carry `version`), `lag` and `time-back` by `seconds` (lag stands still until it lags so far; time-back jumps),
 * `time-ahead` by `seconds`, `wrong-hash` (each node has its own), `fork` (the blocks of the last `seconds` and all later
 * ones have other hashes, the same at every forked node), `history-reset` (block 1 again, nothing older), `prune` (lists
 * keep `seconds`), `disorder` (their rows come in another order each time, and one of them twice), `version` (`version`
 * and `commitHash` of the node's release).
 * Of the wire: `die` (connections are reset), `slow` by `millis`, `rate-limit` (429), `server-error` (`status`,
 * 500 by default; one that no node sends comes as a proxy's page), `ban` (403), `garbage` (`body`), `cut-export`
 * (`how`, after `bytes`).
 */
export const FAULT_KINDS = [
  "stall",
  "upgrade",
  "lag",
  "time-back",
  "time-ahead",
  "wrong-hash",
  "fork",
  "history-reset",
  "prune",
  "disorder",
  "version",
  "die",
  "slow",
  "rate-limit",
  "server-error",
  "ban",
  "garbage",
  "cut-export",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export const GARBAGE_BODIES = ["html", "truncated", "wrong-types", "empty", "nulls"] as const;
const CUTS = ["drop", "error"] as const;

export interface FaultRequest {
  readonly kind: FaultKind;
  /** Both networks where absent. */
  readonly network?: NetworkName;
  /** 1, 2, …; the whole network where absent. */
  readonly node?: number;
  /** From when on; now where absent. */
  readonly from?: Nanoseconds;
  /** How long; until cleared where absent. */
  readonly forSeconds?: number;
  readonly seconds?: number;
  readonly millis?: number;
  readonly status?: number;
  readonly version?: string;
  readonly commitHash?: string;
  readonly body?: (typeof GARBAGE_BODIES)[number];
  readonly how?: (typeof CUTS)[number];
  readonly bytes?: number;
}

export interface Fault extends FaultRequest {
  readonly id: number;
  readonly from: Nanoseconds;
  readonly until: Nanoseconds | undefined;
}

const NUMBERS: Record<string, [low: number, high: number]> = {
  node: [1, 1000],
  forSeconds: [0, 1e9],
  seconds: [0, 1e9],
  millis: [0, 600_000],
  status: [500, 599],
  bytes: [0, Number.MAX_SAFE_INTEGER],
};
const CHOICES: Record<string, readonly string[]> = {
  kind: FAULT_KINDS,
  network: NETWORKS,
  body: GARBAGE_BODIES,
  how: CUTS,
};

/** Parses a fault sent as JSON. Throws UserError naming the field. */
export function parseFaultRequest(sent: Record<string, unknown>): FaultRequest {
  const request: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    request[name] = parseField(name, value);
  }
  if (request["kind"] === undefined) throw wrong("kind", `one of ${FAULT_KINDS.join(", ")}`);
  return request as unknown as FaultRequest;
}

function parseField(name: string, value: unknown): unknown {
  const range = Object.hasOwn(NUMBERS, name) ? NUMBERS[name] : undefined;
  if (range !== undefined) {
    const [low, high] = range;
    if (typeof value === "number" && value >= low && value <= high) return value;
    throw wrong(name, `a number from ${low} to ${high}`);
  }
  const choices = Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
  if (choices !== undefined) {
    if (typeof value === "string" && choices.includes(value)) return value;
    throw wrong(name, `one of ${choices.join(", ")}`);
  }
  if (name === "version" || name === "commitHash") {
    if (typeof value === "string" && value.length <= 200) return value;
    throw wrong(name, "a text of at most 200 characters");
  }
  if (name === "from") {
    if (typeof value === "string" && /^\d{1,19}$/u.test(value)) return nanoseconds(BigInt(value));
    throw wrong(name, "a string of Unix nanoseconds");
  }
  throw new UserError(`A fault has no field "${name}".`, {
    remedy:
      "It has kind, network, node, from, forSeconds, seconds, millis, status, version, commitHash, body, how, bytes.",
  });
}

function wrong(name: string, right: string): UserError {
  return new UserError(`The field "${name}" of a fault must be ${right}.`, { option: name });
}

interface FaultScope {
  readonly network: NetworkName;
  readonly node: number;
}

/** Beyond this, the oldest faults without effect on the chain are dropped. */
const MAX_FAULTS = 10_000;

/**
 * All faults, past ones too: a stall that has ended still moves every block after it, so the state of a network is a
 * function of its seed, the clock and this list.
 */
export class FaultList {
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
    if (this.#faults.length > MAX_FAULTS) this.#forget();
    return fault;
  }

  /** Ends matching faults now; their effect on the chain's past remains. Returns the number ended. */
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

  /** The active faults, oldest first; with `past` all ever set. */
  list(options: { past?: boolean } = {}): readonly Fault[] {
    const now = this.#now();
    return this.#faults.filter((fault) => options.past === true || isOn(fault, now));
  }

  /** The faults of this node now. */
  active(scope: FaultScope): readonly Fault[] {
    if (this.#faults.length === 0) return [];
    const now = this.#now();
    return this.#faults.filter((fault) => isOn(fault, now) && concerns(fault, scope));
  }

  /** The stalls of the whole network. */
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
