import { timeToText } from "../../alerts/judge/kinds/kind.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import {
  type Finding,
  millisBetween,
  type NodeVerdict,
  type PollRound,
  type SourceMemory,
  type Verdict,
  type Witness,
} from "../../api/verdict/verdict.ts";
import { decimal, formatDecimal } from "../../units/decimal.ts";
import { formatDuration, fromMillis, type Milliseconds, nanoseconds, type Nanoseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { blockPace, lateAnswers, type Pace, type PaceConfig } from "./sources-state.ts";

/**
 * Several nodes may answer in turn behind one URL; their blocks are a few seconds apart. A node that was swapped or
 * restored is back by more than that.
 */
const BACK_TOLERANCE: Milliseconds = 5000;

/** One round with its verdict. */
export interface JudgedRound {
  readonly network: string;
  readonly round: PollRound;
  readonly verdict: Verdict;
  /** Before this round. */
  readonly before: SourceMemory | undefined;
}

/** A node that is not believed for so many rounds is reported. */
const LYING_ROUNDS = 3;

/**
 * Every condition of the sources, in every round. In a blind round all but the blindness itself is unknown, so that no
 * condition begins or ends by it.
 */
export function sourcesReadings(seen: JudgedRound): readonly Reading[] {
  const { round, verdict } = seen;
  const nodes = round.witnesses.length;
  const believed = verdict.nodes.filter(({ vote }) => vote !== "silent").map(({ node }) => node);
  const blind = verdict.network === "blind";
  const common = { network: seen.network, subject: "", nodes, seenBy: believed };
  return [
    stalled(seen, common),
    {
      kind: "network.disagree",
      ...common,
      state: verdict.disagreed,
      ...(verdict.disagree === undefined ? {} : disagreeing(verdict.disagree)),
      facts: {
        advancing: [...(verdict.disagree?.moving ?? [])],
        standing: [...(verdict.disagree?.standing ?? [])],
        ...(verdict.disagree === undefined ? {} : votes(verdict)),
      },
    },
    clock(seen, common),
    {
      kind: "watch.blind",
      ...common,
      state: blind ? "bad" : "good",
      seenBy: blind ? [] : believed,
      why: verdict.why,
      facts: {
        nodes: verdict.nodes.map(({ node, why }) => (why === undefined ? { node } : { node, why })),
      },
    },
    ...round.witnesses.flatMap((_, index) => nodeReadings(seen, index, nodes)),
  ];
}

type CommonFields = Pick<Reading, "network" | "subject" | "nodes" | "seenBy">;

function stalled({ verdict }: JudgedRound, common: CommonFields): Reading {
  const { at, network, frontier, stillMillis = 0, stalled: state } = verdict;
  const doubted = state === "bad" ? doubtedBeyond(verdict) : [];
  const stopped = nanoseconds(at - fromMillis(stillMillis));
  // What was blind is no part of the age. Where nodes only sync, the frontier says nothing of those at the tip.
  const advanced = network === "syncing" ? stopped : (frontier?.advancedAt ?? stopped);
  const since = timeToText(advanced < stopped ? advanced : stopped);
  const single = verdict.singleSource && state === "bad";
  return {
    kind: "network.stalled",
    ...common,
    state,
    why: single ? `${verdict.why}; seen from one node; network and node cannot be told apart` : verdict.why,
    ...(state === "bad" ? { badForMillis: stillMillis, since } : {}),
    facts: {
      ...withoutUndefined({ frontier: frontier?.time.toString(), height: frontier?.height?.toString() }),
      ...(doubted.length === 0 ? {} : { doubted }),
      ...(state === "bad" ? votes(verdict) : {}),
    },
  };
}

/** The nodes that say a later time than was confirmed, and why they are not believed. */
function doubtedBeyond({ nodes, frontier }: Verdict) {
  return nodes.flatMap(({ node, disbelief, time, why = "" }) =>
    disbelief === undefined || time === undefined || frontier === undefined || time <= frontier.time
      ? []
      : [{ node, why }],
  );
}

function votes({ nodes }: Verdict) {
  return {
    votes: nodes.map(({ node, vote, time, height }) => ({
      node,
      vote,
      ...withoutUndefined({ time: time?.toString(), height: height?.toString() }),
    })),
  };
}

function disagreeing({ moving, standing, forMillis }: NonNullable<Verdict["disagree"]>) {
  return {
    seenBy: [...moving, ...standing],
    badForMillis: forMillis,
    why:
      standing.length === 0
        ? `${moving.join(" and ")} contradict each other; of two nodes none can be shown to be wrong`
        : `${standing.join(", ")} stood still for ${formatDuration(forMillis)} while ${moving.join(", ")} went on`,
  };
}

/** How far the wall clock is from the furthest moving node's time as it moved; during a stall clocks cannot be compared. */
function clock({ verdict }: JudgedRound, common: CommonFields): Reading {
  const { network, basis } = verdict;
  const drifts = driftsOf(verdict);
  // Where as many nodes say that the clock is behind, it is not known whether the clock is right.
  const isDisputed = verdict.implausible.length >= drifts.length;
  if (network !== "healthy" || basis !== "advance" || isDisputed) {
    return { kind: "network.clock", ...common, state: "unknown", why: verdict.why, facts: {} };
  }
  return { kind: "network.clock", ...common, state: "good", facts: { driftMillis: Math.min(...drifts) } };
}

/** Of each node that moves: the wall clock minus its time, as it moved. */
function driftsOf({ at, atMillis, memory, nodes }: Verdict): readonly Milliseconds[] {
  const moving = memory.nodes.filter((_, index) => nodes[index]?.vote === "moves");
  return moving.flatMap(({ peak, movedAtMillis }) =>
    peak === undefined || movedAtMillis === undefined
      ? []
      : [millisBetween(peak.time, at) - (atMillis - movedAtMillis)],
  );
}

function nodeReadings(seen: JudgedRound, index: number, nodes: number): readonly Reading[] {
  const { network, round, verdict } = seen;
  const witness = round.witnesses[index];
  const judged = verdict.nodes[index];
  if (witness === undefined || judged === undefined) return [];
  const { node } = witness;
  const common = { network, subject: node, nodes, seenBy: [node] };
  const said = historyMismatch(judged) ?? judged.why;
  const told = said === undefined ? common : { ...common, why: said };
  const blind = verdict.network === "blind";
  const reply = replyOf(witness);
  const believed = witness.reachable && judged.disbelief === undefined;
  // A node is not proven before it has moved, nor, once it was outvoted, before it has agreed with others for long enough;
  // of two nodes that contradict each other, either may be right.
  const { fresh, outvotedAtMillis } = verdict.memory.nodes[index] ?? {};
  const isFresh = fresh === true;
  const isContradicted = verdict.contradictions.some(({ says }) => says.some((one) => one.node === node));
  const isProven = !isFresh && outvotedAtMillis === undefined && !isContradicted;
  return [
    { ...lagging(told, judged, !blind && believed, verdict.frontier?.node ?? node), ...stoodSince(seen, index) },
    {
      kind: "node.down",
      ...told,
      state: blind ? "unknown" : DOWN[reply],
      seenBy: witness.reachable ? [node] : [],
      facts: {},
    },
    {
      kind: "node.refuses",
      ...told,
      state: blind ? "unknown" : REFUSES[reply],
      facts: {},
    },
    {
      kind: "node.lying",
      ...told,
      state: blind ? "unknown" : honesty(judged, believed && isProven),
      facts: judged.disbelief === undefined ? {} : { by: judged.disbelief },
    },
    timeBack(
      common,
      blind || judged.disbelief === "ahead" ? undefined : judged.time,
      peakBefore(seen, node),
      catchesUp(judged, isFresh),
    ),
  ];
}

function lagging(
  told: CommonFields & { readonly why?: string },
  { node, state, disputed, behindMillis, behindBlocks }: NodeVerdict,
  isBelieved: boolean,
  frontierNode: string,
): Reading {
  const placed = isBelieved && (behindMillis !== undefined || behindBlocks !== undefined);
  return {
    kind: "node.lagging",
    ...told,
    // Where two nodes contradict each other, neither is called behind for long.
    state: placed ? (state === "lagging" ? "bad" : "good") : isBelieved && disputed === true ? "good" : "unknown",
    seenBy: frontierNode === node ? [node] : [node, frontierNode],
    facts: placed ? withoutUndefined({ behindMillis, behindBlocks: behindBlocks?.toString() }) : {},
  };
}

/** What comes from a node's address: `refusal`, if the bot is limited or banned, or if it is no data node. */
type ReplySort = "answer" | "refusal" | "silence";

function replyOf({ refused, foreign, reachable }: Witness): ReplySort {
  if (refused === true || foreign === true) return "refusal";
  return reachable ? "answer" : "silence";
}

/** Where something answers, it is up; whether it works is not known. */
const DOWN = { answer: "good", refusal: "unknown", silence: "bad" } as const satisfies Record<ReplySort, Finding>;
const REFUSES = { answer: "good", refusal: "bad", silence: "unknown" } as const satisfies Record<ReplySort, Finding>;

/** When a node that stands made its last move. */
function stoodSince({ verdict: { at, atMillis, nodes, memory } }: JudgedRound, index: number): Pick<Reading, "since"> {
  const movedAtMillis = nodes[index]?.vote === "stands" ? memory.nodes[index]?.movedAtMillis : undefined;
  return movedAtMillis === undefined
    ? {}
    : { since: timeToText(nanoseconds(at - fromMillis(atMillis - movedAtMillis))) };
}

/** The state of `node.lying`: good only for a node whose answer is proven. */
function honesty({ time, disbelieved = 0 }: NodeVerdict, isTrusted: boolean): Reading["state"] {
  if (time === undefined) return "unknown";
  if (disbelieved >= LYING_ROUNDS) return "bad";
  return isTrusted ? "good" : "unknown";
}

/** Whether it goes on behind the others, or has just begun anew there. */
function catchesUp({ vote, state }: NodeVerdict, isFresh: boolean): boolean {
  return vote === "syncs" || (isFresh && state === "lagging");
}

function peakBefore({ before }: JudgedRound, name: string): Nanoseconds | undefined {
  return before?.nodes.find(({ node }) => node === name)?.peak?.time;
}

/** More blocks a second than any network makes, and the longest time between two nodes' polls. */
const MAX_BLOCKS_PER_SECOND = 100;
const MAX_POLL_SPREAD: Milliseconds = 10_000;

/** Words for a node whose block is so far behind at about the same time that it cannot be of the same history. */
function historyMismatch({ behindBlocks, behindMillis, state }: NodeVerdict): string | undefined {
  if (state !== "lagging" || behindBlocks === undefined || behindMillis === undefined) return undefined;
  const most = Math.ceil(((behindMillis + MAX_POLL_SPREAD) / 1000) * MAX_BLOCKS_PER_SECOND);
  return behindBlocks > BigInt(most)
    ? `it says about the same time, yet a block ${formatDecimal(decimal(behindBlocks))} further down: its history began anew, or it serves another network; the past is to be asked of another node`
    : undefined;
}

/** Bad until the node has caught up with its own latest time; that is not known while it begins anew behind the others. */
function timeBack(
  common: CommonFields,
  time: Nanoseconds | undefined,
  peak: Nanoseconds | undefined,
  isBehind: boolean,
): Reading {
  if (time === undefined || peak === undefined) {
    return { kind: "network.time-back", ...common, state: "unknown", facts: {} };
  }
  const backMillis = millisBetween(time, peak);
  if (backMillis <= BACK_TOLERANCE) {
    const state = isBehind ? "unknown" : "good";
    return { kind: "network.time-back", ...common, state, facts: { to: timeToText(time) } };
  }
  return {
    kind: "network.time-back",
    ...common,
    state: "bad",
    why: `it says a time ${formatDuration(backMillis)} before what it had said`,
    facts: { from: timeToText(peak), to: timeToText(time) },
  };
}

/** So large a part of the answers may come late. */
const LATE_PART = 0.1;
/** Below so large a part of a threshold a condition ends. */
const ENDS_BELOW = 5 / 6;

/** How fast each node answers, and how fast blocks come; unknown where nothing is known of it in this round. */
export function paceReadings(
  { network, round: { witnesses }, verdict }: JudgedRound,
  pace: Pace,
  config: PaceConfig,
): readonly Reading[] {
  const nodes = witnesses.length;
  const seenBy = verdict.nodes.filter(({ vote }) => vote !== "silent").map(({ node }) => node);
  return [networkPace(), ...witnesses.map(({ node, reachable }) => nodePace(node, reachable))];

  function networkPace(): Reading {
    const facts = blockPace(pace, config);
    const { blockMillis, usualMillis } = facts;
    const common = { kind: "network.slow", network, subject: "", nodes, seenBy, facts } as const;
    // One node alone, far from the present, may show what is long over, or be slow itself; between two moves of it nobody
    // knows how far.
    const [drift = Infinity, ...others] = driftsOf(verdict);
    const isPast = others.length === 0 && Math.abs(drift) > config.clock.drift;
    if (blockMillis === undefined || usualMillis === undefined || isPast) return { ...common, state: "unknown" };
    const state = stateOf(blockMillis * config.pace.below, usualMillis);
    const why = `a block came every ${formatDuration(blockMillis)}, usually every ${formatDuration(usualMillis)}`;
    return { ...common, state, why };
  }

  function nodePace(node: string, reachable: boolean): Reading {
    const common = { kind: "node.slow", network, subject: node, nodes, seenBy: [node] } as const;
    const known = reachable ? lateAnswers(pace, node, config) : undefined;
    if (known === undefined) return { ...common, state: "unknown", facts: {} };
    const limitMillis = config.slow.roundTrip;
    const why = `${known.late} of ${known.answers} answers took more than ${formatDuration(limitMillis)}`;
    return { ...common, state: stateOf(known.late, known.answers * LATE_PART), why, facts: { ...known, limitMillis } };
  }
}

/** Near the threshold it neither begins nor ends. */
function stateOf(value: number, threshold: number): Reading["state"] {
  return value > threshold ? "bad" : value < threshold * ENDS_BELOW || value === 0 ? "good" : "unknown";
}
