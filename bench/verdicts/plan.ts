import { SeededRandom } from "../../test/campaign/seeded-random.ts";
import { drawContradiction, drawLiar, type Fault, fault, logBetween, type Sickness, type Span } from "./sickness.ts";
import type { ClockFault, SlowSpan } from "./chain.ts";
import type { WorldPlan } from "./world.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** How many data nodes, and how often (of 20). */
const NODE_COUNTS = [1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6];

/** So large a part of the days has so many incidents besides. */
const CROWDED = 0.1;
const MANY_INCIDENTS = 80;
/** Blocks that come slowly are no halt: at most so far apart. */
const SLOWEST = 12 * SECOND;

/** What is set in a drawn world: it is the same otherwise. */
export interface Given {
  readonly poll?: number;
  readonly calm?: boolean;
}

/**
 * Draws one day: every fourth is calm (what is usual happens all the same: lost requests, slow ones, restarts of the
 * bot), every third of the others has a liar all day, one in twenty of those two.
 */
export function drawPlan(seed: number, given: Given = {}): WorldPlan {
  const random = new SeededRandom(Math.imul(seed, 0x9e3779b1) ^ 0xda7);
  for (let warm = 0; warm < 4; warm += 1) random.next();
  const drawnCalm = random.next() < 0.25;
  const calm = given.calm ?? drawnCalm;
  const nodes = NODE_COUNTS[Math.floor(random.next() * NODE_COUNTS.length)] ?? 3;
  const drawn = (random.next() < 0.5 ? 5 : 15) * SECOND;
  const poll = given.poll ?? drawn;
  const block = logBetween(random, 400, 6000);
  const heights = random.next() < 0.7;
  const lossy = !calm && random.next() < 0.15;
  const loss = lossy ? random.between(0.01, 0.05) : random.between(0, 0.01);
  const common = { name: `day ${seed}`, seed, length: DAY, nodes, poll, block, heights, loss };
  const day = new Day(random, nodes, block);
  if (calm) {
    const restarts = Math.floor(random.between(1, 5));
    for (let count = 0; count < restarts; count += 1) day.restart(random.between(0, DAY));
  } else {
    day.fill();
    // A stream of its own: the rest of the day stays what it was.
    const more = new SeededRandom(seed ^ 0x3a7e);
    day.fillMore(more, more.next() < CROWDED ? MANY_INCIDENTS : Math.floor(more.between(3, 8)));
  }
  return { ...common, ...day.done() };
}

type Script = Pick<WorldPlan, "halts" | "faults" | "away" | "botClock" | "chainClock" | "slow" | "withheld">;

/** The incidents of one day. One that does not fit where it was drawn is left out. */
class Day {
  #random: SeededRandom;
  readonly #nodes: number;
  readonly #block: number;
  readonly #slow: SlowSpan[] = [];
  readonly #withheld: Span[] = [];
  readonly #halts: Span[] = [];
  readonly #faults: Fault[] = [];
  readonly #away: Span[] = [];
  readonly #botClock: ClockFault[] = [];
  readonly #chainClock: ClockFault[] = [];

  constructor(random: SeededRandom, nodes: number, block: number) {
    this.#random = random;
    this.#nodes = nodes;
    this.#block = block;
  }

  fill(): void {
    const random = this.#random;
    if (random.next() < 1 / 3) {
      const liars = random.next() < 0.05 ? 2 : 1;
      for (const node of this.#someNodes(Math.min(liars, this.#nodes))) this.#sick(node, 0, DAY, drawLiar(random));
    }
    const incidents = Math.floor(random.between(9, 16));
    for (let count = 0; count < incidents; count += 1) {
      // Trouble rarely comes alone.
      const beside = random.next() < 0.3 ? this.#halts.at(-1) : undefined;
      const at =
        beside === undefined
          ? random.between(10 * MINUTE, DAY - 3 * HOUR)
          : Math.max(10 * MINUTE, random.between(beside.from - 10 * MINUTE, beside.to));
      const span = this.#incident(at);
      if (span !== undefined && random.next() < 0.25) this.restart(random.between(span.from, span.to));
    }
  }

  done(): Script {
    const byTime = (a: Span, b: Span): number => a.from - b.from;
    return {
      halts: this.#halts.toSorted(byTime),
      faults: this.#faults.toSorted(byTime),
      away: this.#away.toSorted(byTime),
      botClock: this.#botClock.toSorted(byTime),
      chainClock: this.#chainClock.toSorted(byTime),
      slow: this.#slow,
      withheld: this.#withheld,
    };
  }

  /** What goes wrong without much noise, and what is hard to tell apart. */
  fillMore(random: SeededRandom, count: number): void {
    this.#random = random;
    for (let left = count; left > 0; left -= 1) {
      const at = random.between(10 * MINUTE, DAY - 3 * HOUR);
      // On a crowded day most is what is usual.
      if (count === MANY_INCIDENTS && random.next() < 0.7) this.#incident(at);
      else this.#quietIncident(at);
    }
  }

  #quietIncident(at: number): void {
    const random = this.#random;
    const kind = random.next() * 100;
    const [node = 0] = this.#someNodes(1);
    const long = at + logBetween(random, 6 * MINUTE, 2 * HOUR);
    if (kind < 20) this.#behindTip(at);
    else if (kind < 35) this.#liarOfAMinute(node, at);
    else if (kind < 45) {
      const [by, speed] = [random.between(HOUR, 2 * HOUR), logBetween(random, 5, 60)];
      this.#sick(node, at, at + by / (speed - 1), { sort: "restored", by, speed });
    } else if (kind < 60) this.#sick(node, at, long, { sort: random.next() < 0.7 ? "banned" : "garbage" });
    else if (kind < 75) {
      const share = random.next() < 0.3 ? random.between(0.01, 0.05) : random.between(0.2, 1);
      this.#sick(node, at, long, { sort: "tardy", by: random.between(2050, 2600), share });
    } else if (kind < 87) this.#slowDown(random.between(5 * HOUR, DAY - 3 * HOUR));
    else this.#withhold(at);
  }

  /** All nodes but one fall behind, and catch up slowly while the chain halts. */
  #behindTip(at: number): void {
    const random = this.#random;
    if (this.#nodes < 2) return;
    const to = at + logBetween(random, 3 * MINUTE, 20 * MINUTE);
    const speed = logBetween(random, 1.5, 6);
    for (const node of this.#someNodes(this.#nodes - 1)) this.#sick(node, at, to, { sort: "cut", speed });
    if (random.next() < 0.7)
      this.#halt(to - random.between(0, 2 * MINUTE), logBetween(random, 4 * MINUTE, 30 * MINUTE));
  }

  #liarOfAMinute(node: number, at: number): void {
    const random = this.#random;
    const isAlone = !this.#faults.some((one) => touches(one, at - 5 * MINUTE, at + 6 * MINUTE, one.until + 5 * MINUTE));
    const sick = random.next() < 0.5 ? drawLiar(random) : drawContradiction(random);
    // Two that lie at once outweigh the rest of three.
    if (isAlone) this.#sick(node, at, at + MINUTE, sick);
  }

  #slowDown(from: number): void {
    const random = this.#random;
    const most = SLOWEST / (1.4 * this.#block);
    const to = from + logBetween(random, 12 * MINUTE, 2 * HOUR);
    if (most < 7 || this.#slow.some((one) => touches(one, from - HOUR, to + HOUR))) return;
    // Some are not slow enough to be told.
    const factor = random.next() < 0.25 ? random.between(1.5, 3) : logBetween(random, 6.5, Math.min(20, most));
    this.#slow.push({ from, to, factor });
  }

  #withhold(from: number): void {
    const to = from + logBetween(this.#random, 20 * MINUTE, 4 * HOUR);
    if (!this.#withheld.some((one) => touches(one, from - HOUR, to + HOUR))) this.#withheld.push({ from, to });
  }

  /** The bot is away for a while. */
  restart(at: number): void {
    const to = at + logBetween(this.#random, 2 * SECOND, 10 * MINUTE);
    if (at < MINUTE || to > DAY - MINUTE || this.#away.some((one) => touches(one, at - MINUTE, to + MINUTE))) return;
    this.#away.push({ from: at, to });
  }

  #incident(at: number): Span | undefined {
    const random = this.#random;
    const kind = random.next() * 100;
    if (kind < 42) return this.#halt(at, logBetween(random, 5 * SECOND, 2 * HOUR));
    if (kind < 46) return this.#stutter(at);
    if (kind < 51) return this.#upgrade(at);
    const to = at + logBetween(random, 20 * SECOND, 2 * HOUR);
    const [node = 0] = this.#someNodes(1);
    const speed = logBetween(random, 3, 60);
    if (kind < 57) return this.#sick(node, at, to, { sort: "slow", rate: random.between(0, 0.95), speed });
    if (kind < 60) return this.#sick(node, at, to, { sort: "stale", by: logBetween(random, 5 * SECOND, HOUR) });
    if (kind < 63) {
      const by = logBetween(random, 10 * SECOND, HOUR);
      return this.#sick(node, at, at + by / (speed - 1), { sort: "restored", by, speed });
    }
    if (kind < 72) return this.#sick(node, at, to, { sort: "dead", speed });
    if (kind < 80) return this.#several(at, to, { sort: "cut", speed });
    if (kind < 84) return this.#several(at, to, { sort: "unreachable" });
    if (kind < 88) return this.#sick(node, at, to, this.#useless());
    if (kind < 92) return this.#sick(node, at, to, this.#balancer());
    if (kind < 96) return this.#clockFault(at, at + logBetween(random, 2 * MINUTE, 2 * HOUR));
    // A second node that is not honest would outweigh the rest of three.
    const lying = this.#faults.some(({ sick }) => sick.sort === "changing" || sick.sort === "plausible");
    return lying ? undefined : this.#sick(node, at, to, drawContradiction(random));
  }

  #halt(from: number, millis: number): Span | undefined {
    const to = from + millis;
    if (to > DAY - 10 * MINUTE || this.#halts.some((one) => touches(one, from - MINUTE, to + MINUTE))) return undefined;
    this.#halts.push({ from, to });
    return { from, to };
  }

  /** Some halts one soon after the other. */
  #stutter(at: number): Span | undefined {
    const random = this.#random;
    let from = at;
    const count = Math.floor(random.between(2, 5));
    const all: Span[] = [];
    for (let halt = 0; halt < count; halt += 1) {
      const to = from + logBetween(random, 10 * SECOND, 5 * MINUTE);
      all.push({ from, to });
      from = to + logBetween(random, 5 * SECOND, 3 * MINUTE);
    }
    if (this.#halts.some((one) => touches(one, at - MINUTE, from + MINUTE))) return undefined;
    this.#halts.push(...all);
    return { from: at, to: from };
  }

  /** The chain halts; nodes go down and come back one after another, some of them after it goes on. */
  #upgrade(at: number): Span | undefined {
    const random = this.#random;
    const span = this.#halt(at, logBetween(random, 2 * MINUTE, 20 * MINUTE));
    if (span === undefined) return undefined;
    const { from, to } = span;
    for (const node of this.#someNodes(this.#nodes)) {
      const down = random.between(from + 5 * SECOND, from + (to - from) * 0.7);
      const late = random.next() < 0.25 ? random.between(0, 3 * MINUTE) : 0;
      const up = late > 0 ? to + late : Math.min(to, down + random.between(20 * SECOND, 2 * MINUTE));
      this.#sick(node, down, up, { sort: "dead", speed: 20 });
    }
    return span;
  }

  #several(at: number, to: number, sick: Sickness): Span | undefined {
    const random = this.#random;
    const count = random.next() < 0.25 ? this.#nodes : 1 + Math.floor(random.next() * this.#nodes);
    for (const node of this.#someNodes(count)) this.#sick(node, at, to, sick);
    return { from: at, to };
  }

  #useless(): Sickness {
    const random = this.#random;
    const kind = Math.floor(random.next() * 5);
    if (kind === 0) return { sort: "sluggish", share: random.between(0.3, 0.95) };
    if (kind === 1) return { sort: "comes-and-goes", every: logBetween(random, 8 * SECOND, 2 * MINUTE) };
    return { sort: (["banned", "garbage", "empty"] as const)[kind - 2] ?? "garbage" };
  }

  #balancer(): Sickness {
    const random = this.#random;
    const over = random.next() < 0.7 ? "stale" : "dead";
    const by = logBetween(random, 10 * SECOND, HOUR);
    return { sort: "balanced", over, by, share: random.between(0.3, 0.7) };
  }

  #clockFault(from: number, to: number): Span | undefined {
    const random = this.#random;
    const clock = random.next() < 0.6 ? this.#botClock : this.#chainClock;
    if (clock.some((one) => touches(one, from, to))) return undefined;
    const size = logBetween(random, 3 * SECOND, 10 * MINUTE);
    clock.push({ from, to, by: random.next() < 0.5 ? -size : size, gradual: random.next() < 0.4 });
    return { from, to };
  }

  #sick(node: number, from: number, to: number, sick: Sickness): Span | undefined {
    const one = fault(node, from, to, sick);
    const taken = this.#faults.some((other) => other.node === node && touches(other, from, one.until, other.until));
    if (taken || one.until > DAY) return undefined;
    this.#faults.push(one);
    return { from, to };
  }

  #someNodes(count: number): number[] {
    return this.#random.shuffled(Array.from({ length: this.#nodes }, (_, index) => index)).slice(0, count);
  }
}

function touches(one: Span, from: number, to: number, until = one.to): boolean {
  return from < until && one.from < to;
}
