// Fault injection: the kinds of faults, parsing of requests, and the list of faults. `control.ts` sets them over HTTP.

import { z } from "zod";

import { UserError } from "../../errors.ts";
import { nanoseconds, type Nanoseconds } from "../../units/time.ts";
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

const numberFrom = (low: number, high: number) => {
  const error = `a number from ${low} to ${high}`;
  return z.number(error).min(low, error).max(high, error).optional();
};
const oneOf = <T extends string>(choices: readonly T[]) => z.enum(choices, `one of ${choices.join(", ")}`);
const A_TEXT = "a text of at most 200 characters";
const A_TIME = "a string of Unix nanoseconds";

/** Every message says what the field must be. */
const FaultRequest = z.strictObject({
  kind: oneOf(FAULT_KINDS),
  /** Both networks where absent. */
  network: oneOf(NETWORKS).optional(),
  /** 1, 2, …; the whole network where absent. */
  node: numberFrom(1, 1000),
  /** From when on; now where absent. */
  from: z
    .string(A_TIME)
    .regex(/^\d{1,19}$/u, A_TIME)
    .transform((value) => nanoseconds(BigInt(value)))
    .optional(),
  /** How long; until cleared where absent. */
  forSeconds: numberFrom(0, 1e9),
  seconds: numberFrom(0, 1e9),
  millis: numberFrom(0, 600_000),
  status: numberFrom(500, 599),
  version: z.string(A_TEXT).max(200, A_TEXT).optional(),
  commitHash: z.string(A_TEXT).max(200, A_TEXT).optional(),
  body: oneOf(GARBAGE_BODIES).optional(),
  how: oneOf(CUTS).optional(),
  bytes: numberFrom(0, Number.MAX_SAFE_INTEGER),
});
export type FaultRequest = Readonly<z.infer<typeof FaultRequest>>;

export interface Fault extends FaultRequest {
  readonly id: number;
  readonly from: Nanoseconds;
  readonly until: Nanoseconds | undefined;
}

/** Parses a fault sent as JSON. Throws UserError naming the field. */
export function parseFaultRequest(sent: Record<string, unknown>): FaultRequest {
  const { data, error } = FaultRequest.safeParse(sent);
  if (data !== undefined) return data;
  const [wrong] = error.issues;
  if (wrong?.code === "unrecognized_keys") {
    throw new UserError(`A fault has no field "${wrong.keys[0]}".`, {
      remedy: `It has ${Object.keys(FaultRequest.shape).join(", ")}.`,
    });
  }
  const name = String(wrong?.path[0]);
  throw new UserError(`The field "${name}" of a fault is wrong.`, {
    option: name,
    remedy: `It must be ${wrong?.message}.`,
  });
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
        (filter.network === undefined || concerns(fault, filter.network)) &&
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
  active({ network, node }: { network: NetworkName; node: number }): readonly Fault[] {
    if (this.#faults.length === 0) return [];
    const now = this.#now();
    return this.#faults.filter(
      (fault) => isOn(fault, now) && concerns(fault, network) && (fault.node === undefined || fault.node === node),
    );
  }

  /** The stalls of the whole network. */
  stalls(network: NetworkName): readonly Stall[] {
    const kept = this.#stalls.get(network);
    if (kept !== undefined) return kept;
    const stalls = this.#faults
      .filter((fault) => stopsTheNetwork(fault) && concerns(fault, network))
      .map(({ from, until }) => ({ from: toMicros(from), to: until === undefined ? Infinity : toMicros(until) }));
    this.#stalls.set(network, stalls);
    return stalls;
  }

  /** The core upgrades asked for, past ones too, oldest first. */
  upgrades(network: NetworkName): readonly Fault[] {
    return this.#faults.filter((fault) => fault.kind === "upgrade" && concerns(fault, network));
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

/** A fault without a network concerns both. */
function concerns(fault: Fault, network: NetworkName): boolean {
  return fault.network === undefined || fault.network === network;
}
