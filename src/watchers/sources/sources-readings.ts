import { timeToText } from "../../alerts/kinds/json-fields.ts";
import type { Reading } from "../../alerts/kinds/reading.ts";
import {
  aheadMillis,
  millisBetween,
  type NodeVerdict,
  type PollRound,
  type TimedWitness,
  type Verdict,
} from "../../api/verdict/verdict.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";

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
  /** The latest plausible time of each node before this round. */
  readonly peaks: Readonly<Record<string, Nanoseconds>>;
  readonly aheadMillis: Milliseconds;
}

/**
 * Every condition of the sources, in every round. In a blind round all but the blindness itself is unknown, so that no
 * condition begins or ends by it.
 */
export function sourcesReadings(seen: JudgedRound): readonly Reading[] {
  const { round, verdict } = seen;
  const nodes = round.witnesses.length;
  const believed = plausibleWitnesses(seen).map(({ node }) => node);
  const blind = verdict.network === "blind";
  const common = { network: seen.network, subject: "", nodes, seenBy: believed };
  const known = (bad: boolean): Reading["state"] => (blind ? "unknown" : bad ? "bad" : "good");
  return [
    stalled(seen, common),
    {
      kind: "network.disagree",
      ...common,
      state: known(verdict.disagree !== undefined),
      ...(verdict.disagree === undefined ? {} : disagreeing(verdict.disagree)),
      facts: {
        advancing: [...(verdict.disagree?.advancing ?? [])],
        standing: [...(verdict.disagree?.standing ?? [])],
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
        nodes: verdict.nodes.map(({ node, why }) => ({ node, ...(why === undefined ? {} : { why }) })),
      },
    },
    ...round.witnesses.flatMap((_, index) => nodeReadings(seen, index, nodes)),
  ];
}

type CommonFields = Pick<Reading, "network" | "subject" | "nodes" | "seenBy">;

function stalled({ verdict }: JudgedRound, common: CommonFields): Reading {
  const { network, frontier, stillMillis } = verdict;
  const single = verdict.singleSource && network === "stalled";
  return {
    kind: "network.stalled",
    ...common,
    state: network === "blind" ? "unknown" : network === "stalled" ? "bad" : "good",
    why: single ? `${verdict.why}; seen from one node; network and node cannot be told apart` : verdict.why,
    ...(network === "stalled" && stillMillis !== undefined ? { badForMillis: stillMillis } : {}),
    ...(network === "stalled" && frontier?.advancedAt !== undefined ? { since: timeToText(frontier.advancedAt) } : {}),
    facts: {
      ...(frontier === undefined ? {} : { frontier: timeToText(frontier.time) }),
      ...(frontier?.height === undefined ? {} : { height: frontier.height.toString() }),
    },
  };
}

function disagreeing({ advancing, standing, forMillis }: NonNullable<Verdict["disagree"]>) {
  return {
    seenBy: [...advancing, ...standing],
    why: `${standing.join(", ")} stood still for ${formatDuration(forMillis)} while ${advancing.join(", ")} went on`,
  };
}

/** The age of the network's time when it last advanced; during a stall clocks cannot be compared. */
function clock({ verdict }: JudgedRound, common: CommonFields): Reading {
  const { network, ageMillis, stillMillis = 0 } = verdict;
  if (network !== "healthy" || ageMillis === undefined) {
    return { kind: "network.clock", ...common, state: "unknown", why: verdict.why, facts: {} };
  }
  return { kind: "network.clock", ...common, state: "good", facts: { driftMillis: ageMillis - stillMillis } };
}

function nodeReadings(seen: JudgedRound, index: number, nodes: number): readonly Reading[] {
  const { network, round, verdict, peaks } = seen;
  const witness = round.witnesses[index];
  const judged = verdict.nodes[index];
  if (witness === undefined || judged === undefined) return [];
  const { node } = witness;
  const common = { network, subject: node, nodes, seenBy: [node] };
  const said = historyMismatch(judged) ?? judged.why;
  const why = said === undefined ? {} : { why: said };
  const blind = verdict.network === "blind";
  const time = plausibleWitnesses(seen).find((one) => one.node === node)?.time;
  const placed = !blind && time !== undefined && judged.behindMillis !== undefined;
  const frontierNode = verdict.frontier?.node ?? node;
  return [
    {
      kind: "node.lagging",
      ...common,
      ...why,
      state: !placed ? "unknown" : judged.state === "lagging" ? "bad" : "good",
      seenBy: frontierNode === node ? [node] : [node, frontierNode],
      facts: {
        ...(placed && judged.behindMillis !== undefined ? { behindMillis: judged.behindMillis } : {}),
        ...(placed && judged.behindBlocks !== undefined ? { behindBlocks: judged.behindBlocks.toString() } : {}),
      },
    },
    {
      kind: "node.down",
      ...common,
      ...why,
      // A node that refuses us is up; whether it works cannot be known.
      state: blind || witness.refused === true ? "unknown" : witness.reachable ? "good" : "bad",
      seenBy: witness.reachable ? [node] : [],
      facts: {},
    },
    timeBack(common, blind ? undefined : time, peaks[node]),
  ];
}

/** More blocks a second than any network makes, and the longest time between two nodes' polls. */
const MAX_BLOCKS_PER_SECOND = 100;
const MAX_POLL_SPREAD: Milliseconds = 10_000;

/** Words for a node whose block is so far behind at about the same time that it cannot be of the same history. */
function historyMismatch({ behindBlocks, behindMillis, state }: NodeVerdict): string | undefined {
  if (state !== "lagging" || behindBlocks === undefined || behindMillis === undefined) return undefined;
  const most = Math.ceil(((behindMillis + MAX_POLL_SPREAD) / 1000) * MAX_BLOCKS_PER_SECOND);
  return behindBlocks > BigInt(most)
    ? `it says about the same time, yet a block ${behindBlocks} further down: its history began anew, or it serves another network; the past is to be asked of another node`
    : undefined;
}

/** Bad until the node has caught up with its own latest time. */
function timeBack(common: CommonFields, time: Nanoseconds | undefined, peak: Nanoseconds | undefined): Reading {
  if (time === undefined) return { kind: "network.time-back", ...common, state: "unknown", facts: {} };
  const backMillis = peak === undefined ? 0 : millisBetween(time, peak);
  if (peak === undefined || backMillis <= BACK_TOLERANCE) {
    return { kind: "network.time-back", ...common, state: "good", facts: { to: timeToText(time) } };
  }
  return {
    kind: "network.time-back",
    ...common,
    state: "bad",
    why: `it says a time ${formatDuration(backMillis)} before what it had said`,
    facts: { from: timeToText(peak), to: timeToText(time) },
  };
}

function plausibleWitnesses({ round, aheadMillis: most }: JudgedRound): readonly TimedWitness[] {
  return round.witnesses.filter(
    (one): one is TimedWitness =>
      one.reachable && one.time !== undefined && aheadMillis({ ...one, time: one.time }, round) <= most,
  );
}
