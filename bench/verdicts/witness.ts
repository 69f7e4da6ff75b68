import type { Kind, Truth } from "../../src/main/traces/score.ts";
import { clockAt, type Position } from "./chain.ts";
import { lies, type Span } from "./sickness.ts";
import { type Bare, NEARLY, quorumOf, tellStory } from "./truth.ts";
import { lives, nodeName, type Round, SNAPSHOTS, type World } from "./world.ts";

/** Thresholds of docs/alerts.md, in milliseconds. */
const LAGGING = 60_000;
const LAGGING_BLOCKS = 100;
const DRIFT = 30_000;
const BACK = 5000;
/** A node that went back begins anew after as long: its old furthest position is no longer asked for. */
const BEGINS_ANEW = 180_000;
/** A node as near the chain's end shows it. */
const NEAR = 10_000;
const DISPUTED = 120_000;
/** Of this many milliseconds the answers and the blocks are counted; so many answers at least. */
const WINDOW = 600_000;
const LEAST_ANSWERS = 10;
const LATE_ANSWER = 2000;
const LATE_PART = 0.1;
/** How many times more slowly than usual blocks come; the usual pace is known once they came for so long. */
const SLOW_FACTOR = 5;
const LEARNED = 3.25 * 3_600_000;
/** So many times the usual spacing a snapshot is overdue. */
const OVERDUE_FACTOR = 3;

/** Collects the truth while the rounds of the world go by; `finish` gives it. */
export class Witness {
  readonly #world: World;
  readonly #sampled = new Map<string, Sampled>();
  readonly #furthest: number[] = [];
  readonly #furthestSaid: number[] = [];
  readonly #backSince: (number | undefined)[] = [];
  readonly #stood: { readonly said: Position; readonly at: number }[] = [];
  readonly #answers: { readonly at: number; readonly isLate: boolean }[][] = [];
  readonly #late: number[] = [];
  readonly #blocks: Made[] = [];
  readonly #shownBlocks: Made[] = [];
  readonly #pace: { gone: number; made: number; tipHeight?: number } = { gone: 0, made: 0 };
  #last = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Notes what a round shows. */
  see(round: Round): void {
    const { said, tip, tipWrong, at } = round;
    let near = 0;
    for (let node = 0; node < said.length; node += 1) {
      const one = said[node];
      if (one !== undefined && this.#isHonest(node, at) && tip.time - one.time < NEAR) near += 1;
    }
    // Nobody can say that a node lags where too few show the chain's end.
    const isShown = near >= quorumOf(said.length);
    const { botClock, chainClock } = this.#world.plan;
    if (botClock.length + chainClock.length > 0) {
      const drift = Math.abs(clockAt(botClock, at) - tipWrong);
      this.#sample("network.clock", "", at, drift > DRIFT, drift > DRIFT * NEARLY);
    }
    // One of two alone confirms no block.
    this.#seePace(round, near >= Math.min(2, said.length));
    this.#seeSnapshots(round);
    for (let node = 0; node < said.length; node += 1) {
      this.#seeAnswer(node, round);
      const one = said[node];
      if (one !== undefined) this.#seeNode(node, one, tip, at, isShown);
    }
    this.#last = at;
  }

  /** How many of its answers in the window came late. */
  #seeAnswer(node: number, { answers, again, at }: Round): void {
    const { reachable, roundTripMillis } = again[node] ?? answers[node] ?? {};
    const all = (this.#answers[node] ??= []);
    let late = this.#late[node] ?? 0;
    if (reachable === true && roundTripMillis !== undefined) {
      const isLate = roundTripMillis > LATE_ANSWER;
      all.push({ at, isLate });
      if (isLate) late += 1;
    }
    while ((all[0]?.at ?? at) <= at - WINDOW) if (all.shift()?.isLate === true) late -= 1;
    this.#late[node] = late;
    const limit = all.length * LATE_PART;
    const subject = nodeName(node);
    if (late <= limit * NEARLY && !this.#sampled.has(`node.slow|${subject}`)) return;
    const isKnown = all.length >= LEAST_ANSWERS && at >= WINDOW && reachable === true && !this.#isTimeLost(at);
    this.#sample("node.slow", subject, at, isKnown && late > limit, late > limit * NEARLY);
  }

  /** From one process to the next the clock alone says how much time went by: where it is wrong, no window is known. */
  #isTimeLost(at: number): boolean {
    const { away, botClock } = this.#world.plan;
    return away.some(
      ({ from, to }) => to <= at && at < to + WINDOW && clockAt(botClock, from) !== clockAt(botClock, to),
    );
  }

  /** How slowly blocks came within the window: without halts, and also without what too few nodes showed. */
  #seePace({ tip: { height }, at }: Round, isShown: boolean): void {
    const { plan, chain } = this.#world;
    if ((plan.slow ?? []).length === 0) return;
    const { tipHeight = height } = this.#pace;
    if (isShown) {
      this.#pace.gone += at - this.#last - chain.haltedBetween(this.#last, at);
      this.#pace.made += height - tipHeight;
    }
    this.#pace.tipHeight = height;
    const { gone, made } = this.#pace;
    const all = blockInterval(this.#blocks, { gone: at - chain.haltedBetween(0, at), made: height });
    const shown = blockInterval(this.#shownBlocks, { gone, made });
    if (all === undefined) return;
    const limit = SLOW_FACTOR * plan.block;
    const isSlow = plan.heights && Math.min(all, shown ?? 0) > limit;
    this.#sample("network.slow", "", at, isSlow, Math.max(all, shown ?? 0) > limit * NEARLY);
  }

  /** How old the last snapshot is, by the time in which the chain went on, and by the blocks made since. */
  #seeSnapshots(round: Round): void {
    const { plan, chain } = this.#world;
    if ((plan.withheld ?? []).length === 0) return;
    const { tip, at } = round;
    const last = this.#world.snapshots(round).at(-1);
    if (last === undefined) return;
    const came = chain.cameAt(last);
    const age = (at - came - chain.haltedBetween(came, at)) / SNAPSHOTS;
    const blocks = ((tip.height - last) * plan.block) / SNAPSHOTS;
    const isOverdue = age > OVERDUE_FACTOR && blocks > OVERDUE_FACTOR;
    this.#sample("snapshot.overdue", "", at, plan.heights && isOverdue, age > OVERDUE_FACTOR * NEARLY);
  }

  #seeNode(node: number, said: Position, tip: Position, at: number, isShown: boolean): void {
    const behind = tip.time - said.time;
    const blocks = this.#world.plan.heights ? tip.height - said.height : 0;
    // Of a liar it need not be told.
    const isKnown = !this.#isDisputed(node, said, at) && this.#isHonest(node, at);
    const isBehind = behind > LAGGING || blocks > LAGGING_BLOCKS;
    const nearly = behind > LAGGING * NEARLY || blocks > LAGGING_BLOCKS * NEARLY;
    if (nearly || this.#sampled.has(`node.lagging|${nodeName(node)}`)) {
      this.#sample("node.lagging", nodeName(node), at, isBehind && isShown && isKnown, nearly);
    }
    const furthest = this.#furthest[node] ?? -Infinity;
    const furthestSaid = this.#furthestSaid[node] ?? -Infinity;
    const isBack = said.time < furthest - BACK;
    // A time ahead of the truth was never a position: that it is gone may be told, and need not be.
    const isLess = said.time < furthestSaid - BACK;
    if (said.time <= tip.time + 1000) this.#furthest[node] = Math.max(furthest, said.time);
    this.#furthestSaid[node] = Math.max(furthestSaid, said.time);
    // Only what reaches the furthest position again ends the time until the node begins anew.
    const since = said.time < furthestSaid ? (this.#backSince[node] ?? at) : undefined;
    this.#backSince[node] = since;
    const isTrue = isBack && since !== undefined && at - since <= BEGINS_ANEW;
    if (isLess || this.#sampled.has(`network.time-back|${nodeName(node)}`)) {
      this.#sample("network.time-back", nodeName(node), at, isTrue, isLess);
    }
  }

  /** Of two nodes the one that stands for longer is no longer known to be the one behind. */
  #isDisputed(node: number, said: Position, at: number): boolean {
    const last = this.#stood[node];
    if (last === undefined || last.said.time !== said.time) this.#stood[node] = { said, at };
    return this.#world.plan.nodes === 2 && last !== undefined && at - last.at > DISPUTED;
  }

  #isHonest(node: number, at: number): boolean {
    return !this.#world.plan.faults.some(
      (one) => one.node === node && one.from <= at && at < one.until && lies(one.sick),
    );
  }

  #sample(kind: Kind, subject: string, at: number, isTrue: boolean, isExcused: boolean): void {
    const key = `${kind}|${subject}`;
    let one = this.#sampled.get(key);
    if (one === undefined) this.#sampled.set(key, (one = new Sampled(kind, subject)));
    // It became true after the round before, at the earliest then.
    one.note(this.#last, at, isTrue, isExcused);
  }

  finish(): Truth {
    const { plan } = this.#world;
    const story = tellStory(this.#world);
    for (const one of this.#sampled.values()) one.close(plan.length);
    const excused = [...story.excused, ...[...this.#sampled.values()].flatMap((one) => one.excused)];
    const ran = lives(plan.away, plan.length);
    const spansOf: Record<Kind, readonly (readonly [number, number])[]> = {
      "network.stalled": story.witnessed,
      "network.disagree": ran,
      "watch.blind": ran,
      "node.down": story.witnessed,
      "network.time-back": story.witnessed,
      "node.lagging": story.healthy,
      "node.lying": story.healthy,
      "network.clock": story.healthy,
      "node.refuses": story.witnessed,
      "node.slow": story.witnessed,
      "network.slow": afterSoLong(story.healthy, LEARNED),
      "snapshot.overdue": story.healthy,
    };
    const facts = [...story.facts, ...[...this.#sampled.values()].flatMap((one) => one.facts)]
      .map((fact) => ({ ...fact, ...observed(fact, spansOf[fact.kind]) }))
      .toSorted((a, b) => a.from - b.from);
    const lying = plan.faults.filter(({ sick }) => lies(sick));
    return {
      facts,
      excused,
      unfollowed: story.unfollowed,
      lies: lying.map(({ node, from, until }) => ({ subject: nodeName(node), from, to: until })),
    };
  }
}

/** How many blocks were made in the time that went by. */
interface Made {
  readonly gone: number;
  readonly made: number;
}

/** The mean time from block to block within the window, once it is full. */
function blockInterval(all: Made[], now: Made): number | undefined {
  all.push(now);
  while ((all[1]?.gone ?? now.gone) <= now.gone - WINDOW) all.shift();
  const gone = now.gone - (all[0]?.gone ?? now.gone);
  return gone < WINDOW ? undefined : gone / Math.max(1, now.made - (all[0]?.made ?? 0));
}

/** A condition of one subject as the rounds showed it. */
class Sampled {
  readonly #kind: Kind;
  readonly #subject: string;
  readonly facts: Bare[] = [];
  readonly excused: Truth["excused"][number][] = [];
  #true: number | undefined;
  #excused: number | undefined;

  constructor(kind: Kind, subject: string) {
    this.#kind = kind;
    this.#subject = subject;
  }

  note(before: number, at: number, isTrue: boolean, isExcused: boolean): void {
    const named = { kind: this.#kind, subject: this.#subject };
    if (isTrue) this.#true ??= before;
    else if (this.#true !== undefined) {
      this.facts.push({ ...named, from: this.#true, to: at, why: "as it said" });
      this.#true = undefined;
    }
    if (isExcused) this.#excused ??= before;
    else if (this.#excused !== undefined) {
      this.excused.push({ ...named, from: this.#excused, to: at });
      this.#excused = undefined;
    }
  }

  close(at: number): void {
    this.note(at, at, false, false);
  }
}

/** The spans from the moment on by which they lasted so long altogether. */
function afterSoLong(
  spans: readonly (readonly [number, number])[],
  millis: number,
): readonly (readonly [number, number])[] {
  let left = millis;
  return spans.flatMap(([from, to]): (readonly [number, number])[] => {
    const used = Math.min(left, to - from);
    left -= used;
    return from + used < to ? [[from + used, to]] : [];
  });
}

/** Of a span the longest part that lies in one of those given, and the one at its beginning. */
function observed(
  { from, to }: Span,
  spans: readonly (readonly [number, number])[],
): { readonly seen: number; readonly lead: number } {
  const first = spans.find(([begins, ends]) => begins <= from && from < ends);
  return {
    seen: Math.max(0, ...spans.map(([begins, ends]) => Math.min(to, ends) - Math.max(from, begins))),
    lead: first === undefined ? 0 : Math.min(to, first[1]) - from,
  };
}
