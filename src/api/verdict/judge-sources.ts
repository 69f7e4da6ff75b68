import { decimal, formatDecimal } from "../../units/decimal.ts";
import { formatDuration, type Milliseconds } from "../../units/time.ts";
import { type Belief, judgeBelief } from "./believe.ts";
import { furthestOf, judgeNetwork, type NetworkJudgement } from "./judge-network.ts";
import { findRegressions, judgeMotion, type Voter } from "./motion.ts";
import {
  aheadMillis,
  type DisagreementMemory,
  type Finding,
  isFurther,
  isTimed,
  millisBetween,
  type Mutable,
  type NodeMemory,
  type NodeVerdict,
  type PollRound,
  type Position,
  type SourceMemory,
  type TimedWitness,
  type Verdict,
  type VerdictThresholds,
} from "./verdict.ts";

/** A division for fewer polls is no disagreement yet. */
const DIVIDED_ROUNDS = 2;
/** Two nodes that quarrelled agree again after as long without a contradiction. */
const AGREED_MILLIS: Milliseconds = 60_000;

/** The positions that nodes are measured against; undefined where they are unknown. */
interface ReferencePositions {
  readonly time?: Position;
  readonly blocks?: Position;
}

/**
 * Judges the nodes first, then the network by their votes. Pure: the same poll with the same memory gives the same
 * verdict. A blind poll stops the time of everything remembered.
 */
export function judgeSources(
  round: PollRound,
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
): Verdict {
  const known = new Map<string, NodeMemory>();
  for (const memory of before?.nodes ?? []) known.set(memory.node, memory);
  const belief = judgeBelief(round, known, thresholds, before?.clockBehindMillis);
  const motion = judgeMotion(round, belief, before, known, thresholds);
  const { voters, tip } = motion;
  const judgement = judgeNetwork(round, belief, motion, before, thresholds);
  const disagreement = judgeDisagreement(round, belief, judgement, voters, before, thresholds);
  const frozenMillis =
    judgement.state === "blind" && before !== undefined ? Math.max(0, round.atMillis - before.atMillis) : 0;
  const seen: Mutable<SourceMemory> = { ...judgement.memory, nodes: voters.map((one) => one.memory) };
  if (disagreement.memory !== undefined) seen.disagreement = disagreement.memory;
  if (tip !== undefined) seen.tip = tip;
  if (belief.clockBehindMillis !== undefined) seen.clockBehindMillis = belief.clockBehindMillis;
  const memory = shiftMemory(seen, frozenMillis, round.atMillis);
  const reference = referencePositions(judgement, voters, round.witnesses.length);
  const isDisputed = round.witnesses.length === 2 && disagreement.finding === "bad";
  // Before the first advance, the present answers are the only source.
  const said = judgement.basis === "age" ? furthestAnswer(belief.believed) : undefined;
  const frontier = said ?? memory.frontier ?? furthestAnswer(belief.believed);
  const verdict: Mutable<Verdict> = {
    network: judgement.state,
    why: judgement.why,
    basis: judgement.basis,
    stalled: judgement.stalled,
    disagreed: disagreement.finding,
    singleSource: round.witnesses.length === 1,
    nodes: voters.map((one) => judgeNode(one, round, placeOf(one), isDisputed, belief, thresholds)),
    contradictions: belief.contradictions,
    implausible: findImplausible(round, voters),
    wentBack: findRegressions(belief.believed, known),
    at: round.wallClock,
    atMillis: round.atMillis,
    memory,
  };
  if (frontier !== undefined) {
    verdict.frontier = frontier;
    if (belief.believed.length > 0) verdict.ageMillis = millisBetween(frontier.time, round.wallClock);
  }
  if (judgement.stillMillis !== undefined) verdict.stillMillis = Math.max(0, judgement.stillMillis - frozenMillis);
  if (memory.disagreement !== undefined) {
    const { moving, standing, ageMillis } = memory.disagreement;
    verdict.disagree = { moving, standing, forMillis: ageMillis };
  }
  return verdict;

  /** What a node is measured against: while it catches up, the tip. */
  function placeOf({ vote }: Voter): ReferencePositions {
    if (vote !== "syncs" || tip === undefined || judgement.state === "blind") return reference;
    return { time: tip, blocks: tip };
  }
}

/** The nodes whose time is ahead of the wall clock. */
function findImplausible(round: PollRound, voters: readonly Voter[]): Verdict["implausible"] {
  const found: Verdict["implausible"][number][] = [];
  for (const { witness, memory } of voters) {
    if (memory.disbelief !== "ahead" || !isTimed(witness)) continue;
    found.push({ node: witness.node, aheadMillis: aheadMillis(witness, round) });
  }
  return found;
}

/** The furthest answer, for a network of which too few nodes ever answered to confirm an advance. */
function furthestAnswer(believed: readonly TimedWitness[]): Verdict["frontier"] {
  let best: TimedWitness | undefined;
  for (const one of believed) if (isFurther(one, best)) best = one;
  if (best === undefined) return undefined;
  const { node, time, height } = best;
  return height === undefined ? { node, time } : { node, time, height };
}

/** Moves all moments later by `byMillis`, at most to `nowMillis`, as if that time had not passed. */
export function shiftMemory(memory: SourceMemory, byMillis: Milliseconds, nowMillis: Milliseconds): SourceMemory {
  if (byMillis === 0) return memory;
  const { frontier, tip, disagreement } = memory;
  return {
    ...shift(memory),
    nodes: memory.nodes.map((node) => shift(node)),
    ...(frontier === undefined ? {} : { frontier: shift(frontier) }),
    ...(tip === undefined ? {} : { tip: shift(tip) }),
    ...(disagreement === undefined ? {} : { disagreement: shift(disagreement) }),
  };

  function shift<T extends object>(of: T): T {
    const entries = Object.entries(of).map(([name, value]: [string, unknown]) => {
      const isMoment = MOMENT.test(name) && typeof value === "number";
      return [name, isMoment ? Math.min(nowMillis, value + byMillis) : value];
    });
    return Object.fromEntries(entries) as T;
  }
}

/** The names of members that hold a moment of the monotonic clock. */
const MOMENT = /(?:at|since)Millis/iu;

/**
 * Whether the nodes disagree: some go on while at least as many, or a majority of the configured, stand still. A pause of
 * one side ends nothing; only proof that one side was wrong does.
 */
function judgeDisagreement(
  round: PollRound,
  belief: Belief,
  judgement: NetworkJudgement,
  voters: readonly Voter[],
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
): { readonly finding: Finding; readonly memory?: DisagreementMemory } {
  const now = round.atMillis;
  const configured = round.witnesses.length;
  const known = before?.disagreement;
  const standing = voters.filter(({ vote }) => vote === "stands");
  const contested = judgement.state === "contested";
  const moving = contested ? judgement.movers : standing.length * 2 > configured ? aheadOf(standing) : [];
  const isDivided = contested || (judgement.state !== "blind" && moving.length > 0);
  const quarrels = configured === 2 && belief.contradictions.length + belief.strangers.size > 0;
  const sinceMillis = known?.sinceMillis ?? now;
  if (isDivided) {
    const sides = { moving: namesOf(moving), standing: namesOf(standing) };
    return found({ ageMillis: now - ageStart(), ...sides });
  }
  if (quarrels) {
    const both = { moving: namesOf(voters), standing: [] };
    return found({ ageMillis: now - sinceMillis, ...both, quarrelledAtMillis: now });
  }
  if (!mayQuarrel(known, now) && isOver(judgement, voters, known, now, thresholds)) return { finding: "good" };
  return known === undefined ? { finding: "unknown" } : { finding: "unknown", memory: known };

  function found(sides: Omit<DisagreementMemory, "sinceMillis" | "rounds">): ReturnType<typeof judgeDisagreement> {
    // The count starts again after a pause.
    const isPaused = before === undefined || now - before.atMillis > thresholds.motionMillis;
    const memory: DisagreementMemory = { ...sides, sinceMillis, rounds: (isPaused ? 0 : (known?.rounds ?? 0)) + 1 };
    // One against one, none can be shown to be wrong: until the age is critical, it may as well be a node that lags.
    const isDue =
      memory.rounds >= DIVIDED_ROUNDS &&
      (sides.moving.length + sides.standing.length > 2 || memory.ageMillis >= thresholds.criticalMillis);
    return { finding: isDue ? "bad" : "unknown", memory };
  }

  function aheadOf(others: readonly Voter[]): readonly Voter[] {
    return voters.filter(({ vote, memory: { peak } }) => {
      return vote === "moves" && others.every((other) => isFurther(peak, other.memory.peak));
    });
  }

  /** The latest of the moments before which the two sides were not yet apart. */
  function ageStart(): Milliseconds {
    const stood = standing.map(({ memory: { movedAtMillis, stillSinceMillis } }) => movedAtMillis ?? stillSinceMillis);
    const began = Math.min(...moving.map(({ memory: { movingSinceMillis = now } }) => movingSinceMillis));
    const { frontier, confirmedAtMillis = -Infinity, watchedSinceMillis } = judgement.memory;
    const agreed = Math.max(frontier?.advancedAtMillis ?? watchedSinceMillis, confirmedAtMillis);
    if (judgement.state === "healthy") return Math.max(...stood, began);
    // Nodes that start again one after the other after a halt are no disagreement from the halt on.
    return Math.max(...stood, agreed, began - agreed > thresholds.stalledMillis ? began : -Infinity);
  }
}

/** Whether two nodes contradicted each other, and have not agreed for long enough since. */
function mayQuarrel(known: DisagreementMemory | undefined, nowMillis: Milliseconds): boolean {
  return known?.quarrelledAtMillis !== undefined && nowMillis - known.quarrelledAtMillis < AGREED_MILLIS;
}

/** Whether it is proven that the two sides agree, or that one of them was wrong. */
function isOver(
  { state, stalled }: NetworkJudgement,
  voters: readonly Voter[],
  known: DisagreementMemory | undefined,
  nowMillis: Milliseconds,
  { stalledMillis }: VerdictThresholds,
): boolean {
  // A node of which the first answer was just seen may stand still.
  if (state === "healthy") return stalled === "good" && voters.every(({ vote }) => vote !== "waits");
  if (state === "unconfirmed") return stalled === "good";
  if (state !== "stalled") return false;
  return (known?.moving ?? []).every((name) => {
    const mover = voters.find(({ memory: { node } }) => node === name)?.memory;
    if (mover === undefined || mover.disbelief !== undefined) return true;
    const wentBack = mover.peak !== undefined && mover.last !== undefined && mover.last.time < mover.peak.time;
    return wentBack || nowMillis - (mover.movedAtMillis ?? -Infinity) >= stalledMillis;
  });
}

function namesOf(some: readonly Voter[]): readonly string[] {
  return some.map(({ memory: { node } }) => node);
}

/**
 * While the network is healthy, time is measured against the furthest moving node; else, and in blocks, against the
 * confirmed frontier, or the furthest node where at most two are believed, or no advance was seen yet. Where none of two
 * moves, that is the furthest answer or the frontier: what one alone went on to and went back from is shown by nobody.
 */
function referencePositions(
  judgement: NetworkJudgement,
  voters: readonly Voter[],
  configured: number,
): ReferencePositions {
  const { state, basis, memory } = judgement;
  if (state === "blind") return {};
  if (configured >= 3 && (state === "contested" || state === "unconfirmed")) return {};
  const believed = voters.filter(({ vote }) => vote !== "silent");
  const frontier = believed.length <= 2 || basis === "age" ? undefined : memory.frontier;
  const stands = configured === 2 && basis === "advance" && (state === "stalled" || state === "syncing");
  const furthest = furthestOf(believed, stands ? "last" : "peak");
  const blocks = frontier ?? (stands && isFurther(memory.frontier, furthest) ? memory.frontier : furthest);
  const moving =
    state === "healthy" && basis === "advance" ? furthestOf(voters.filter(({ vote }) => vote === "moves")) : undefined;
  const time = moving ?? blocks;
  const positions: Mutable<ReferencePositions> = {};
  if (time !== undefined) positions.time = time;
  if (blocks !== undefined) positions.blocks = blocks;
  return positions;
}

/** Notes how far a node is behind the reference, and whether that is lagging. */
function place(
  said: Mutable<NodeVerdict>,
  time: NonNullable<NodeVerdict["time"]>,
  height: bigint | undefined,
  reference: ReferencePositions,
  thresholds: VerdictThresholds,
): void {
  if (reference.time !== undefined) said.behindMillis = Math.max(0, millisBetween(time, reference.time.time));
  const blocks = reference.blocks?.height;
  if (blocks !== undefined && height !== undefined) said.behindBlocks = blocks > height ? blocks - height : 0n;
  if (said.behindMillis !== undefined && said.behindMillis > thresholds.laggingMillis) {
    said.state = "lagging";
    said.why ??= `${formatDuration(said.behindMillis)} behind`;
  } else if (said.behindBlocks !== undefined && said.behindBlocks > thresholds.laggingBlocks) {
    said.state = "lagging";
    said.why ??= `${formatDecimal(decimal(said.behindBlocks))} blocks behind`;
  }
}

/** The believed nodes of which it shows another chain. */
function strangersOf({ strangers, nodes }: Belief, node: string): readonly string[] {
  return (strangers.get(node) ?? []).filter((other) => nodes.get(other)?.disbelief === undefined);
}

function strangerWords(others: readonly string[]): string {
  return `shows another chain than ${others.join(" and ")}`;
}

/** The verdict on one node after one poll. */
function judgeNode(
  { witness, memory, vote }: Voter,
  round: PollRound,
  reference: ReferencePositions,
  isDisputed: boolean,
  belief: Belief,
  thresholds: VerdictThresholds,
): NodeVerdict {
  const { node, time, height, roundTripMillis } = witness;
  if (!witness.reachable) {
    const why = witness.why ?? "does not answer";
    const answered = witness.answered === true ? { answered: true as const } : {};
    return { node, state: witness.refused === true ? "unknown" : "down", why, vote, ...answered };
  }
  const said: Mutable<NodeVerdict> = { node, state: "ok", vote };
  if (time !== undefined) said.time = time;
  if (height !== undefined) said.height = height;
  if (roundTripMillis !== undefined) said.roundTripMillis = roundTripMillis;
  if (time === undefined) return { ...said, state: "unknown", why: witness.why ?? "says no time", answered: true };
  if (memory.disbelief !== undefined) {
    const why = disbeliefWords(memory.disbelief, { ...witness, time });
    return { ...said, state: "unknown", why, disbelief: memory.disbelief, disbelieved: memory.disbelieved ?? 1 };
  }
  const strangers = strangersOf(belief, node);
  if (strangers.length > 0) said.why = strangerWords(strangers);
  if (isDisputed || strangers.length > 0) return { ...said, disputed: true };
  const contradicts = belief.contradictions.find(({ says }) => says.some((one) => one.node === node));
  if (contradicts !== undefined) {
    const others = contradicts.says.filter((one) => one.node !== node).map((one) => one.node);
    said.why = `contradicts ${others.join(" and ")} about block ${formatDecimal(decimal(contradicts.height))}`;
  }
  place(said, time, height, reference, thresholds);
  return said;

  function disbeliefWords(disbelief: NonNullable<NodeVerdict["disbelief"]>, timed: TimedWitness): string {
    switch (disbelief) {
      case "ahead":
        return `its time is ${formatDuration(aheadMillis(timed, round))} ahead of the bot's clock`;
      case "odd":
        return "its time and its block do not go together";
      case "outvoted":
        return strangersOf(belief, node).length > 0
          ? strangerWords(strangersOf(belief, node))
          : "the other nodes contradict it";
    }
  }
}
