import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import {
  type Contradiction,
  type Frontier,
  millisBetween,
  type Mutable,
  type NetworkState,
  type PollRound,
  type SourceMemory,
  type TimedWitness,
  type VerdictThresholds,
} from "./verdict.ts";

/** The state of the network in one poll, before blind time is subtracted. */
export interface NetworkJudgement {
  readonly state: NetworkState;
  readonly why: string;
  readonly basis: "advance" | "age";
  readonly frontier: Frontier | undefined;
  readonly watchedSinceMillis: Milliseconds;
  readonly stillMillis?: Milliseconds;
}

/**
 * Healthy if the frontier advances, even at a single node; stalled if it does not though a majority answered; else
 * blind.
 */
export function judgeNetwork(
  round: PollRound,
  believable: readonly TimedWitness[],
  contradictions: readonly Contradiction[],
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
): NetworkJudgement {
  const previous = before?.frontier;
  const watchedSinceMillis = before?.watchedSinceMillis ?? round.atMillis;
  const best = latestOf(believable);
  const [contradiction] = contradictions;
  if (contradiction !== undefined) {
    // Which of them is right cannot be known, so neither moves the frontier.
    return { ...blind(contradictionWords(contradiction)), ...unmoved() };
  }
  if (best === undefined) return { ...blind(silenceWords(round)), ...unmoved() };
  if (previous === undefined) return judgeByAge(round, best, believable);
  if (best.time > previous.time) {
    const gap = round.atMillis - (before?.atMillis ?? round.atMillis);
    // After a long pause the network may have stopped in between: hardly any time may be lost.
    const lost = gap - millisBetween(previous.time, best.time);
    if (gap > thresholds.stalledMillis && lost > thresholds.stalledMillis) return judgeByAge(round, best, believable);
    const frontier = frontierAt(best);
    frontier.advancedAtMillis = round.atMillis;
    frontier.advancedAt = round.wallClock;
    return {
      state: "healthy",
      why: "the network time advances",
      basis: "advance",
      frontier,
      watchedSinceMillis,
      stillMillis: 0,
    };
  }
  return judgeStandstill(previous, best);

  function unmoved(): Pick<NetworkJudgement, "frontier" | "watchedSinceMillis" | "stillMillis"> {
    const rest = { frontier: previous, watchedSinceMillis };
    return previous === undefined ? rest : { ...rest, stillMillis: stillFor(previous) };
  }

  function stillFor(frontier: Frontier): Milliseconds {
    return round.atMillis - (frontier.advancedAtMillis ?? watchedSinceMillis);
  }

  /** Without earlier polls, judges by the wall clock alone. */
  function judgeByAge(given: PollRound, witness: TimedWitness, among: readonly TimedWitness[]): NetworkJudgement {
    return {
      ...stateByAge(millisBetween(witness.time, given.wallClock), isMajority(among, given)),
      frontier: frontierAt(witness),
      watchedSinceMillis: given.atMillis,
    };
  }

  function judgeStandstill(frontier: Frontier, witness: TimedWitness): NetworkJudgement {
    const stillMillis = stillFor(frontier);
    const rest = { frontier: withHeight(frontier, witness), watchedSinceMillis, stillMillis };
    const majority = isMajority(believable, round);
    if (!majority && witness.time < frontier.time) return { ...blind(fewWords(believable, round)), ...rest };
    if (stillMillis >= thresholds.stalledMillis) {
      if (!majority) return { ...blind(fewWords(believable, round)), ...rest };
      const why = `${stallWords(stillMillis, frontier, round)}, seen at ${countWords(believable, round)}`;
      return { state: "stalled", why, basis: "advance", ...rest };
    }
    if (frontier.advancedAtMillis === undefined) {
      return { ...stateByAge(millisBetween(frontier.time, round.wallClock), majority), ...rest };
    }
    return {
      state: "healthy",
      why: `the network time advanced ${formatDuration(stillMillis)} ago`,
      basis: "advance",
      ...rest,
    };
  }

  function stateByAge(age: Milliseconds, majority: boolean): Pick<NetworkJudgement, "state" | "why" | "basis"> {
    if (age < thresholds.stalledMillis) {
      const why = age < 0 ? "the network time is the present" : `the network time is ${formatDuration(age)} old`;
      return { state: "healthy", why, basis: "age" };
    }
    if (!majority) return blind(fewWords(believable, round));
    const why = `the network time is ${formatDuration(age)} old, seen at ${countWords(believable, round)}`;
    return { state: "stalled", why, basis: "age" };
  }
}

function blind(why: string): Pick<NetworkJudgement, "state" | "why" | "basis"> {
  return { state: "blind", why, basis: "advance" };
}

/** The latest time; among equals the highest block, so never a node with a reset history. */
function latestOf(believable: readonly TimedWitness[]): TimedWitness | undefined {
  let best: TimedWitness | undefined;
  for (const one of believable) {
    const better = best === undefined || one.time > best.time;
    if (better || (one.time === best?.time && (one.height ?? -1n) > (best.height ?? -1n))) best = one;
  }
  return best;
}

function frontierAt(witness: TimedWitness): Mutable<Frontier> {
  const frontier: Mutable<Frontier> = { time: witness.time, node: witness.node };
  if (witness.height !== undefined) frontier.height = witness.height;
  return frontier;
}

/** The frontier with its height, where that was unknown before. */
function withHeight(frontier: Frontier, witness: TimedWitness): Frontier {
  return frontier.height === undefined && witness.time === frontier.time && witness.height !== undefined
    ? { ...frontier, height: witness.height }
    : frontier;
}

function isMajority(believable: readonly TimedWitness[], round: PollRound): boolean {
  return believable.length * 2 > round.witnesses.length;
}

/** The age of the last block is mentioned if it exceeds the observed stall by this much. */
const UNSEEN_STALL_MILLIS: Milliseconds = 10_000;

/** The observed stall, and the block's age if the network stalled before observation began. */
function stallWords(stillMillis: Milliseconds, frontier: Frontier, round: PollRound): string {
  const age = millisBetween(frontier.time, round.wallClock);
  const seen = `no block seen for ${formatDuration(stillMillis)}`;
  return age - stillMillis > UNSEEN_STALL_MILLIS ? `${seen} (the last block is ${formatDuration(age)} old)` : seen;
}

function countWords(believable: readonly TimedWitness[], round: PollRound): string {
  const all = round.witnesses.length;
  return all === 1 ? "the one node there is" : `${believable.length} of ${all} nodes`;
}

function fewWords(believable: readonly TimedWitness[], round: PollRound): string {
  const verb = believable.length === 1 ? "answers" : "answer";
  return `only ${believable.length} of ${round.witnesses.length} nodes ${verb}, and no advance is seen there`;
}

function silenceWords(round: PollRound): string {
  if (round.witnesses.some((one) => one.reachable && one.time !== undefined)) {
    return "no node says a time that can be believed: each is ahead of the wall clock, unless that is what is wrong";
  }
  const single = round.witnesses.length === 1;
  if (round.witnesses.every((one) => one.foreign === true)) {
    return single
      ? "what answers at the node's address is no data node"
      : "what answers at the nodes' addresses are no data nodes";
  }
  if (round.witnesses.some((one) => one.reachable || one.answered === true)) {
    return single ? "the one node there is gives no usable answer" : "no node gives a usable answer";
  }
  return single ? "the one node there is does not answer" : "no node answers";
}

function contradictionWords({ height, says }: Contradiction): string {
  return `${says.map((one) => one.node).join(" and ")} say different times for block ${height}`;
}
