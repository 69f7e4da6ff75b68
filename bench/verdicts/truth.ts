// The truth about a world, written down apart from the engine. Here is what follows from the plan alone; witness.ts adds
// what only a poll could have shown (how far behind a node is, a time that went back, a clock that is wrong).

import type { Fact, Kind, Truth } from "../../src/main/traces/score.ts";
import { changedTo, type Fault, lies, type Sickness, type Span } from "./sickness.ts";
import { BEGAN, clockAt } from "./chain.ts";
import { nodeName, type World } from "./world.ts";

/** What is not yet weighed by what could be observed. */
export type Bare = Omit<Fact, "seen" | "lead">;

/** What a node does towards those who poll it. */
type Posture =
  /** Its time goes on, beyond all that stand. */
  | "moves"
  /** Its time goes on, behind the others. */
  | "climbs"
  | "stands"
  | "silent"
  /** Now this, now that. */
  | "unsteady";

/** From so much of a threshold on, an alert that came or stayed is excused. */
export const NEARLY = 0.75;
/** A time further ahead of the truth is none. */
const PLAUSIBLE = 10_000;
/** Where most of three or more nodes are ahead by as much, they show the present, and the clock is behind. */
const CLOCK_BEHIND = (PLAUSIBLE / 2) * NEARLY;
/** Further behind a node may lag. */
const BEHIND = 60_000 * NEARLY;
/** A lie is held against a node for as long after it: for twelve polls, or what goes for them where one is missed. */
const OUTVOTED = 240_000;
/** So long one node that goes on and one that stands are no disagreement yet. */
const QUARREL = 180_000;
/** As many nodes show where the chain is, where so many are asked. */
export const quorumOf = (nodes: number): number => (nodes <= 2 ? 1 : 2);

/** What the plan makes true, between any two moments at which something begins or ends. */
export function tellStory(world: World): {
  facts: Bare[];
  excused: Truth["excused"][number][];
  /** The bot ran, an honest majority answered, and one of them followed the chain; and, beside, the chain went on. */
  witnessed: [number, number][];
  healthy: [number, number][];
  unfollowed: Span[];
} {
  const { plan } = world;
  const { nodes, heights, block } = plan;
  const halts = plan.halts.map(({ from, to }) => ({
    from: world.chain.blockBefore(from),
    to: world.chain.blockAfter(to - 1),
  }));
  const moments = [
    ...[...halts, ...plan.away, ...plan.botClock].flatMap(({ from, to }) => [from, to]),
    ...plan.faults.flatMap(({ from, to, until, sick }) => [
      from,
      to,
      until,
      until + OUTVOTED,
      ...(sick.sort === "changing" ? stretches(from, until, sick.every) : []),
    ]),
    // Where its clock is set back, the chain's time waits for the present.
    ...plan.chainClock.flatMap(({ from, to, by }) => [from, to, to + Math.max(0, by)]),
  ];
  const edges = [...new Set([0, ...moments.filter((t) => t > 0 && t < plan.length), plan.length])].toSorted(
    (a, b) => a - b,
  );
  const facts = new Spans<Bare>();
  const excused = new Spans<Truth["excused"][number]>();
  const witnessed: [number, number][] = [];
  const healthy: [number, number][] = [];
  const unfollowed: Span[] = [];
  let outnumbered = -Infinity;
  let splitSince: number | undefined;
  let givenAway = -Infinity;
  const network = (kind: Kind) => ({ kind, subject: "" });
  for (const [index, from] of edges.entries()) {
    const to = edges[index + 1];
    if (to === undefined) break;
    const t = (from + to) / 2;
    const halted = halts.some((halt) => halt.from <= t && t < halt.to);
    const active = Array.from({ length: nodes }, (_, node) =>
      asOf(
        plan.faults.find((one) => one.node === node && one.from <= t && t < one.until),
        t,
      ),
    );
    // By how much what is true is ahead of the bot's clock, between its ends.
    const skews = [from, to - 1].map((at) => world.chain.wrongAt(at) - clockAt(plan.botClock, at));
    const skew = { least: Math.min(...skews), most: Math.max(...skews) };
    const ahead = active.filter((one) => one?.sick.sort === "ahead" && one.sick.by + skew.most > CLOCK_BEHIND).length;
    const areMostAhead = nodes >= 3 && ahead * 2 > nodes;
    const postures = active.map((one): Posture => {
      // Which of those that are ahead is too far ahead then is known to nobody.
      return areMostAhead && one?.sick.sort === "ahead" ? "unsteady" : postureOf(one, t, halted, block, skew);
    });
    const count = (posture: Posture): number => postures.filter((one) => one === posture).length;
    const isHonest = (node: number): boolean => {
      const sick = active[node]?.sick;
      return sick === undefined || !lies(sick);
    };
    const answering = postures.filter(
      (posture, node) => isHonest(node) && posture !== "silent" && posture !== "unsteady",
    ).length;
    const [moving, standing, silent] = [count("moves"), count("stands"), count("silent")];
    const runs = !plan.away.some((one) => one.from <= t && t < one.to);
    const isShown = postures.some((posture, node) => posture === "moves" && isHonest(node));
    // While all that answer are still behind the chain, nobody can tell that it stands.
    const following = active.filter((one, node) => isHonest(node) && postureOf(one, t, false, block, skew) === "moves");
    // So it is where those that are not stand behind one alone: what it does not show is not known.
    const isFollowed = following.length > 0 && (count("climbs") === 0 || following.length >= quorumOf(nodes));
    // Against as many liars as honest nodes nothing can be known; nor at once after them.
    const liars = active.filter((one) => one !== undefined && lies(one.sick)).length;
    if (liars * 2 >= nodes || (liars > 0 && liars >= answering)) outnumbered = to;
    if (from - outnumbered < OUTVOTED) {
      for (const kind of ["network.stalled", "network.disagree", "network.clock", "watch.blind"] as const) {
        excused.add({ ...network(kind), from, to });
      }
      for (let node = 0; node < nodes; node += 1) {
        // Of two, an honest one is called behind a liar for a while at most: the score looks at that.
        const kinds = nodes === 2 ? (["node.lying"] as const) : (["node.lying", "node.lagging"] as const);
        for (const kind of kinds) excused.add({ kind, subject: nodeName(node), from, to });
      }
    }
    // With a clock that is behind, unless a majority shows the present, it may as well be a node that is ahead.
    const wrongClock = skew.most > PLAUSIBLE * NEARLY && (nodes < 3 || following.length * 2 <= nodes);
    if (!isFollowed) unfollowed.push({ from, to });
    if (runs && isFollowed && answering * 2 > nodes && !wrongClock) {
      extend(witnessed, from, to);
      // An advance is one of a quorum.
      if (isShown && following.length >= quorumOf(nodes)) extend(healthy, from, to);
    }

    if (!isShown) {
      excused.add({ ...network("network.stalled"), from, to });
      excused.add({ ...network("network.clock"), from, to });
    }
    const why = postures.join(", ");
    // Where only a liar goes on while the chain stands, it may as well be told as a halt.
    if (standing * 2 > nodes && isShown && !wrongClock) facts.add({ ...network("network.disagree"), from, to, why });
    // What climbs stands, too, while its view passes a halt that is over.
    const behind = standing + count("climbs");
    const onSomeSide = moving + count("unsteady") + count("climbs");
    if (behind > 0 && onSomeSide > 0 && behind * 2 >= nodes - silent - count("unsteady")) {
      excused.add({ ...network("network.disagree"), from, to });
    }
    // A liar that its heights give away is on no side: the others may be one against one.
    const honest = postures.filter((_, node) => isHonest(node));
    const late = honest.filter((one) => one === "stands" || one === "climbs").length;
    if (active.some((one) => one !== undefined && isGivenAway(one, t, world))) givenAway = to;
    const isSplit = from - givenAway < OUTVOTED && isShown && late >= honest.filter((one) => one === "moves").length;
    splitSince = isSplit ? (splitSince ?? from) : undefined;
    if (splitSince !== undefined && splitSince + QUARREL < to) {
      excused.add({ ...network("network.disagree"), from: Math.max(from, splitSince + QUARREL), to });
    }
    if (silent === nodes) facts.add({ ...network("watch.blind"), from, to, why });
    if (answering * 2 <= nodes || wrongClock) excused.add({ ...network("watch.blind"), from, to });
    if (wrongClock) {
      // The one that goes on is not believed: the others stand.
      for (const kind of ["network.stalled", "network.disagree"] as const) excused.add({ ...network(kind), from, to });
      for (let node = 0; node < nodes; node += 1)
        excused.add({ kind: "node.lying", subject: nodeName(node), from, to });
    }
    // What as many liars show as make a quorum, or one that is ahead by no more than the clock is, is the chain's end.
    const isWithinClock = active.some(
      (one) => one?.sick.sort === "ahead" && one.sick.by > BEHIND && one.sick.by + skew.least <= PLAUSIBLE,
    );
    if (nodes >= 3 && (liars >= quorumOf(nodes) || isWithinClock)) {
      for (let node = 0; node < nodes; node += 1)
        excused.add({ kind: "node.lagging", subject: nodeName(node), from, to });
    }
    for (const [node, one] of active.entries()) {
      const subject = nodeName(node);
      if (one === undefined) continue;
      const { sick } = one;
      const isDown = (sick.sort === "dead" || sick.sort === "unreachable") && t < one.to;
      if (isDown && silent < nodes) facts.add({ kind: "node.down", subject, from, to, why: sick.sort });
      const refuses = sick.sort === "banned" || sick.sort === "garbage";
      if (refuses && silent < nodes) facts.add({ kind: "node.refuses", subject, from, to, why: sick.sort });
      if (postures[node] === "silent" || postures[node] === "unsteady") {
        excused.add({ kind: "node.down", subject, from, to });
      }
      // Against two others that keep to the chain, a lie shows; being ahead does where a majority is not, too.
      const compares = nodes >= 3 && following.length >= 2;
      const isShownUp = sick.sort === "ahead" ? !areMostAhead && (!compares || skew.most <= CLOCK_BEHIND) : compares;
      if (isShownUp && isExposed(sick, heights, block, skew)) {
        facts.add({ kind: "node.lying", subject, from, to, why: sick.sort });
      }
    }
    for (const one of plan.faults) {
      const held = one.from <= t && t < one.until + OUTVOTED;
      if (held && lies(one.sick)) excused.add({ kind: "node.lying", subject: nodeName(one.node), from, to });
    }
  }
  const stalls = halts.map((halt) => ({ ...network("network.stalled"), ...halt, why: "no blocks" }));
  return { facts: [...stalls, ...facts.all], excused: excused.all, witnessed, healthy, unfollowed };
}

/** A fault as it is at a moment: one that changes is one thing at a time. */
function asOf(fault: Fault | undefined, t: number): Fault | undefined {
  if (fault?.sick.sort !== "changing") return fault;
  return { ...fault, sick: changedTo(Math.floor((t - fault.from) / fault.sick.every)) };
}

function stretches(from: number, until: number, every: number): number[] {
  return Array.from({ length: Math.floor((until - from) / every) }, (_, stretch) => from + (stretch + 1) * every);
}

/** The least and the most of what changes in a span. */
interface Range {
  readonly least: number;
  readonly most: number;
}

function postureOf(fault: Fault | undefined, t: number, halted: boolean, block: number, skew: Range): Posture {
  const onChain = halted ? "stands" : "moves";
  if (fault === undefined) return onChain;
  const { sick, to } = fault;
  switch (sick.sort) {
    case "dead":
      return t < to ? "silent" : "climbs";
    case "unreachable":
    case "banned":
    case "garbage":
    case "empty":
      return "silent";
    case "cut":
      return t < to ? "stands" : "climbs";
    case "slow":
    case "restored":
    case "stale":
      return "climbs";
    case "frozen":
      return sick.but === "time" ? "unsteady" : "stands";
    case "ahead":
      // What cannot be true yet is nobody's position; between two blocks a time is less far ahead.
      return isImpossible(sick, block, skew) ? "silent" : sick.by + skew.most > PLAUSIBLE ? "unsteady" : "moves";
    case "plausible":
      return skew.most > PLAUSIBLE * NEARLY ? "unsteady" : "moves";
    case "other-times":
    case "other-heights":
    case "other-chain":
    case "tardy":
      return onChain;
    default:
      return "unsteady";
  }
}

/** Whether its time is always ahead of what can be true. */
function isImpossible({ by }: { readonly by: number }, block: number, { least }: Range): boolean {
  return by + least > PLAUSIBLE + 2 * block;
}

/** Whether it says what cannot be true, so that others show it. */
function isExposed(sick: Sickness, heights: boolean, block: number, skew: Range): boolean {
  switch (sick.sort) {
    case "ahead":
      return isImpossible(sick, block, skew);
    case "frozen":
      return heights && sick.but !== undefined;
    case "other-times":
    case "other-heights":
    case "other-chain":
      return heights;
    default:
      return false;
  }
}

/** Whether its heights have other times than those of the others, or do not go with its own. */
function isGivenAway({ sick, from }: Fault, t: number, { plan: { heights, block }, chain }: World): boolean {
  if (!heights || !lies(sick)) return false;
  switch (sick.sort) {
    case "frozen":
      return sick.but !== undefined;
    case "back":
    case "balanced":
      return false;
    case "plausible":
      // It says what the others say, until it has made up blocks in a halt.
      return chain.haltedBetween(from, t) >= block;
    default:
      return true;
  }
}

/** Joins what follows on itself without a gap. */
class Spans<T extends Span & { readonly kind: Kind; readonly subject: string }> {
  readonly all: T[] = [];
  readonly #open = new Map<string, number>();

  add(one: T): void {
    const key = `${one.kind}|${one.subject}`;
    const index = this.#open.get(key);
    const last = index === undefined ? undefined : this.all[index];
    if (index !== undefined && last !== undefined && last.to === one.from) this.all[index] = { ...last, to: one.to };
    else this.#open.set(key, this.all.push(one) - 1);
  }
}

function extend(spans: [number, number][], from: number, to: number): void {
  const last = spans.at(-1);
  if (last !== undefined && last[1] === from) last[1] = to;
  else spans.push([from, to]);
}

/** For people: when in the day. */
export function clockTime(t: number): string {
  return new Date(BEGAN + t).toISOString().slice(11, 19);
}
