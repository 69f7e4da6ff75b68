// One simulated data node. `node-server.ts` answers its requests: exports itself, all others by `operations.ts`,
// within the budget of `rate-limiter.ts`, in the dialect of `node-profile.ts`.

import { nanoseconds, type Nanoseconds, NANOSECONDS_PER_SECOND } from "../../units/time.ts";
import { type Micros, momentAt, SECOND, toMicros } from "../chain/chain.ts";
import type { Fault, FaultKind, FaultList } from "../faults/faults.ts";
import { CursorCodec } from "../gateway/pages.ts";
import type { Network } from "../network.ts";
import type { NodeProfile } from "./node-profile.ts";

/** The state of a node, faults included, at the time of one request. */
export type NodeView = ReturnType<SimulatedNode["view"]>;

export class SimulatedNode {
  readonly network: Network;
  readonly number: number;
  readonly name: string;
  readonly cursors: CursorCodec;
  profile: NodeProfile;
  readonly #faults: FaultList;
  readonly #now: () => Nanoseconds;
  #rounds = 0;

  constructor(network: Network, number: number, profile: NodeProfile, faults: FaultList, now: () => Nanoseconds) {
    this.network = network;
    this.number = number;
    this.name = `sim-${number}`;
    this.profile = profile;
    this.cursors = new CursorCodec(network.random, this.name);
    this.#faults = faults;
    this.#now = now;
  }

  /** A number that rises with each call, for answers that differ from one request to the next. */
  nextRound(): number {
    return this.#rounds++;
  }

  view() {
    const { chain, random, name } = this.network;
    const faults = this.#faults.active({ network: name, node: this.number });
    const fault = (kind: FaultKind): Fault | undefined => faults.findLast((one) => one.kind === kind);
    const stalls = this.#faults.stalls(name);
    const moment = momentAt(chain, random, stalls, this.#wallSeen(faults));
    const heightAt = (at: Micros): number => momentAt(chain, random, stalls, at).height;
    const reset = fault("history-reset");
    const wrong = fault("wrong-hash");
    const fork = fault("fork");
    const prune = fault("prune");
    const upgrade = this.#faults.upgrades(name).at(-1);
    const resetAt = reset && Math.min(heightAt(toMicros(reset.from)), moment.height - 1);
    const salts = [
      ...(wrong === undefined ? [] : [`wrong/${this.name}/${wrong.id}`]),
      ...(resetAt === undefined ? [] : [`reset/${resetAt}`]),
    ];
    const ahead = BigInt(Math.round((fault("time-ahead")?.seconds ?? 0) * 1000)) * (NANOSECONDS_PER_SECOND / 1000n);
    return {
      moment,
      deviation: {
        salt: salts.length === 0 ? undefined : salts.join(" "),
        resetAt,
        forkedAfter: fork && heightAt(toMicros(fork.from) - (fork.seconds ?? 0) * SECOND),
        keeps: prune && Math.round((prune.seconds ?? 0) * SECOND),
        coreVersion: upgrade && { after: heightAt(toMicros(upgrade.from)), version: upgrade.version ?? "v0.72.0" },
      },
      /** The last block's height and time, as this node gives them. */
      height: moment.height - (resetAt ?? 0),
      time: nanoseconds(moment.timeOf(moment.height) + ahead),
      ...this.#release(fault("version")),
      fault,
    };
  }

  /** The release that the node says it runs. */
  #release(fault: Fault | undefined) {
    if (fault === undefined) return { version: this.profile.version, commitHash: this.profile.commitHash };
    const { version = "v0.72.1", commitHash = this.network.random.hex(20, "commit", fault.id) } = fault;
    return { version, commitHash };
  }

  /** The wall time whose blocks this node has. */
  #wallSeen(faults: readonly Fault[]): Micros {
    const now = toMicros(this.#now());
    let seen = now;
    for (const { kind, node, from, seconds } of faults) {
      const since = toMicros(from);
      const span = Math.round((seconds ?? 0) * SECOND);
      if (kind === "stall" && node !== undefined) seen = Math.min(seen, since);
      // The node stands still until it is behind by the span, then follows at that distance.
      if (kind === "lag") seen = Math.min(seen, Math.max(Math.min(now, since), now - span));
      if (kind === "time-back") seen = Math.min(seen, now - span);
    }
    return Math.max(SECOND, seen);
  }
}
