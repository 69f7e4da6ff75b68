// A world is one day of a network, its data nodes and the bot that polls them, in virtual time. It knows what is true
// (truth.ts puts it down) and what each node answers in each round. It imports nothing of the engine.

import { SeededRandom } from "../../test/campaign/seeded-random.ts";
import { BEGAN, Chain, clockAt, type ClockFault, type Position, type SlowSpan } from "./chain.ts";
import { changedTo, type Fault, type Sickness, type Span, viewAt } from "./sickness.ts";

/** A node that has not answered by then has not answered: the watcher's own limit. */
const TIMEOUT = 3000;
/** Rounds come this much of the interval early or late at most. */
const JITTER = 0.05;

/** Everything that makes a world. All moments are milliseconds of true time since its beginning. */
export interface WorldPlan {
  readonly name: string;
  readonly seed: number;
  readonly length: number;
  readonly nodes: number;
  /** The interval of the polls, and the mean interval of blocks. */
  readonly poll: number;
  readonly block: number;
  /** Whether nodes send heights and the times of their blocks. */
  readonly heights: boolean;
  /** The part of requests that fail. */
  readonly loss: number;
  /** No blocks. In order, apart. */
  readonly halts: readonly Span[];
  /** In order; of each node apart. */
  readonly faults: readonly Fault[];
  /** The bot does not run. In order, apart. */
  readonly away: readonly Span[];
  readonly botClock: readonly ClockFault[];
  readonly chainClock: readonly ClockFault[];
  /** Blocks come slowly; no snapshot is made. */
  readonly slow?: readonly SlowSpan[];
  readonly withheld?: readonly Span[];
}

/** A node's answer to one request. */
export interface Answer {
  readonly node: string;
  readonly reachable: boolean;
  readonly why?: string;
  readonly answered?: true;
  readonly refused?: true;
  readonly foreign?: true;
  /** Unix nanoseconds. */
  readonly time?: bigint;
  readonly height?: bigint;
  readonly blockTime?: bigint;
  readonly roundTripMillis?: number;
  /** The bot's wall clock when it came. */
  readonly receivedAt?: bigint;
}

/** One poll of all nodes. */
export interface Round {
  /** True time at its end. */
  readonly at: number;
  /** The number of the bot's process, and its monotonic clock when the round was due. */
  readonly process: number;
  readonly dueMillis: number;
  /** The bot's wall clock at its end, Unix nanoseconds. */
  readonly wallClock: bigint;
  readonly answers: readonly Answer[];
  /** The answer to a second request in the same round, where the first one failed. */
  readonly again: readonly (Answer | undefined)[];
  /** What is known to nobody but the world: the chain's last block, by how much its time is wrong, what nodes said. */
  readonly tip: Position;
  readonly tipWrong: number;
  readonly said: readonly (Position | undefined)[];
}

/** The usual time from snapshot to snapshot. */
export const SNAPSHOTS = 900_000;

export class World {
  readonly plan: WorldPlan;
  readonly chain: Chain;
  readonly #names: readonly string[];
  readonly #latency: readonly number[];
  readonly #random: SeededRandom;
  readonly #faults: readonly (readonly Fault[])[];
  readonly #nextFault: number[];
  #lastNanos = { time: Number.NaN, nanos: 0n };

  constructor(plan: WorldPlan) {
    this.plan = plan;
    this.#random = new SeededRandom(plan.seed ^ 0x5eed);
    this.chain = new Chain(plan, new SeededRandom(plan.seed ^ 0xb10c));
    const nodes = Array.from({ length: plan.nodes }, (_, index) => index);
    this.#names = nodes.map((index) => nodeName(index));
    this.#latency = nodes.map(() => this.#random.between(15, 250));
    this.#faults = nodes.map((node) => plan.faults.filter((one) => one.node === node));
    this.#nextFault = nodes.map(() => 0);
  }

  /** All rounds of the day, once. */
  *rounds(): Generator<Round> {
    const { poll, length, away } = this.plan;
    let process = 0;
    for (const [began, ended] of lives(away, length)) {
      // On a grid of whole milliseconds of the process's own clock, as the watch loop has them.
      let due = began + Math.ceil(this.#random.next() * 1000);
      let at = due;
      while (at < ended) {
        const round = this.#poll(at, process, Math.max(0, due - began - Math.floor(JITTER * poll)));
        if (round.at >= ended) break;
        yield round;
        due += poll * Math.max(1, Math.ceil((round.at - due) / poll));
        at = due + (this.#random.next() * 2 - 1) * JITTER * poll;
      }
      process += 1;
    }
  }

  /** The heights of the snapshots that a node lists which is at the chain's end. */
  snapshots({ tip }: Round): readonly number[] {
    const every = Math.max(1, Math.round(SNAPSHOTS / this.plan.block));
    return this.chain.snapshotsBy(tip, every, this.plan.withheld ?? []);
  }

  #poll(began: number, process: number, dueMillis: number): Round {
    const answers: Answer[] = [];
    const again: (Answer | undefined)[] = [];
    const said: (Position | undefined)[] = [];
    let took = 0;
    for (let node = 0; node < this.plan.nodes; node += 1) {
      const first = this.#ask(node, began);
      const millis = first.roundTripMillis ?? 0;
      const second = first.reachable || first.refused === true ? undefined : this.#ask(node, began + millis);
      took = Math.max(took, millis + Math.min(second?.roundTripMillis ?? 0, TIMEOUT / 2));
      said.push(this.#said);
      answers.push(first);
      again.push(second);
    }
    const at = began + took;
    return {
      at,
      process,
      dueMillis,
      wallClock: nanos(at + clockAt(this.plan.botClock, at)),
      answers,
      again,
      tip: this.chain.at(at),
      tipWrong: this.chain.wrongAt(at),
      said,
    };
  }

  /** What the node said in its last answer. */
  #said: Position | undefined;

  #ask(node: number, t: number): Answer {
    const random = this.#random;
    this.#said = undefined;
    const name = this.#names[node] ?? "";
    const base = this.#latency[node] ?? 0;
    let millis = base * (0.8 + 0.6 * random.next());
    const chance = random.next();
    // Now and then a request takes seconds.
    if (chance > 0.998) millis += random.between(300, 6000);
    const active = this.#activeFault(node, t);
    const sick = active === undefined ? undefined : stretchOf(active, t);
    const share = random.next();
    if (sick?.sort === "tardy" && share < sick.share) millis += sick.by;
    if (chance < this.plan.loss) return unanswered(name, share < 0.5 ? millis : TIMEOUT);
    if (active !== undefined && sick !== undefined) {
      const failure = failing(name, sick, active, t, share, millis);
      if (failure !== undefined) return failure;
    }
    if (millis > TIMEOUT) return unanswered(name, TIMEOUT);
    const asOf = t + millis / 2;
    const position = sick === undefined || active === undefined ? undefined : this.#sickSays(sick, active, asOf, share);
    const said = position ?? this.chain.at(asOf - base, node);
    this.#said = said;
    const time = this.#nanosOf(said.time);
    const roundTripMillis = Math.round(millis);
    const receivedAt = nanos(t + millis + clockAt(this.plan.botClock, t + millis));
    if (!this.plan.heights) return { node: name, reachable: true, time, roundTripMillis, receivedAt };
    return {
      node: name,
      reachable: true,
      receivedAt,
      time,
      height: BigInt(said.height),
      blockTime: time,
      roundTripMillis,
    };
  }

  /** What a sick node says; undefined for what a healthy one says. */
  #sickSays(sick: Sickness, { from, to, node, until }: Fault, t: number, share: number): Position | undefined {
    const latency = this.#latency[node] ?? 0;
    const at = (view: number): Position => this.chain.at(view - latency, node);
    // It goes on at the usual pace while the chain stands, and afterwards keeps the blocks that it made up.
    const goingOn = (ahead: number): Position => {
      const { block } = this.plan;
      const heard = at(t);
      const came = this.chain.blockBefore(t - latency, node);
      const now = t - came > 2 * block ? Math.floor((t - came) / block) : 0;
      const before = Math.floor(this.chain.haltedBetween(from, came) / block);
      return {
        time: heard.time + now * block + ahead,
        height: heard.height + now + before + Math.floor(ahead / block),
      };
    };
    switch (sick.sort) {
      case "cut":
      case "slow":
      case "restored":
      case "dead":
      case "stale":
        return at(viewAt({ sick, from, to, node, until }, t));
      case "balanced":
        if (share >= sick.share || sick.over === "dead") return undefined;
        return sick.over === "stale" ? at(t - sick.by) : goingOn(0);
      case "frozen": {
        const stood = at(from);
        if (sick.but === undefined) return stood;
        const now = goingOn(0);
        return sick.but === "time"
          ? { time: now.time, height: stood.height }
          : { time: stood.time, height: now.height };
      }
      case "ahead":
        return goingOn(sick.by);
      case "plausible":
        return goingOn(0);
      case "back": {
        const into = (t - from) % sick.every;
        return at(t - sick.by * (1 - into / sick.every));
      }
      case "other-times": {
        const now = at(t);
        return { time: now.time + sick.by, height: now.height };
      }
      case "other-heights": {
        const now = at(t);
        return { time: now.time, height: now.height + sick.by };
      }
      case "other-chain": {
        const now = at(t - sick.lag);
        return { time: now.time - (sick.lag % 1000), height: now.height + sick.by };
      }
      case "drifting": {
        const now = at(t);
        return { time: now.time + sick.rate * (t - from), height: now.height };
      }
      default:
        return undefined;
    }
  }

  #activeFault(node: number, t: number): Fault | undefined {
    const faults = this.#faults[node] ?? [];
    let next = this.#nextFault[node] ?? 0;
    let one = faults[next];
    while (one !== undefined && one.until <= t) {
      next += 1;
      this.#nextFault[node] = next;
      one = faults[next];
    }
    return one !== undefined && one.from <= t ? one : undefined;
  }

  /** Nodes mostly say the same block's time. */
  #nanosOf(time: number): bigint {
    if (time !== this.#lastNanos.time) this.#lastNanos = { time, nanos: nanosExact(time) };
    return this.#lastNanos.nanos;
  }
}

/** As the client names nodes. */
export function nodeName(index: number): string {
  return `node-${index + 1}:3008`;
}

/** The stretches of a day in which the bot runs. */
export function lives(away: readonly Span[], length: number): [from: number, to: number][] {
  const begins = [0, ...away.map(({ to }) => to)];
  return begins.map((from, index) => [from, away[index]?.from ?? length]);
}

/** A sickness that is another one from stretch to stretch, as it is now. */
function stretchOf({ sick, from }: Fault, t: number): Sickness {
  return sick.sort === "changing" ? changedTo(Math.floor((t - from) / sick.every)) : sick;
}

function failing(
  node: string,
  sick: Sickness,
  { from, to }: Fault,
  t: number,
  share: number,
  millis: number,
): Answer | undefined {
  const roundTripMillis = Math.round(millis);
  switch (sick.sort) {
    case "dead":
      return t < to ? { node, reachable: false, why: "refused the connection", roundTripMillis } : undefined;
    case "unreachable":
      return unanswered(node, TIMEOUT);
    case "banned":
      return { node, reachable: false, why: "banned us", answered: true, refused: true, roundTripMillis };
    case "garbage":
      return { node, reachable: false, why: "answered with a page", answered: true, foreign: true, roundTripMillis };
    case "empty":
      return { node, reachable: true, roundTripMillis };
    case "sluggish":
      return share < sick.share ? unanswered(node, TIMEOUT) : undefined;
    case "comes-and-goes":
      return Math.floor((t - from) / sick.every) % 2 === 0 ? unanswered(node, millis) : undefined;
    case "balanced":
      return sick.over === "dead" && share < sick.share ? unanswered(node, TIMEOUT) : undefined;
    default:
      return undefined;
  }
}

function unanswered(node: string, millis: number): Answer {
  return { node, reachable: false, why: "did not answer", roundTripMillis: Math.round(millis) };
}

/** From whole milliseconds. */
function nanos(relative: number): bigint {
  return BigInt(BEGAN + Math.round(relative)) * 1_000_000n;
}

/** To the microsecond, which a double still holds. */
function nanosExact(time: number): bigint {
  return BigInt(Math.round(time * 1000)) * 1000n;
}
