import type { Milliseconds } from "../../units/duration.ts";
import { judgeNetwork } from "./judge-network.ts";
import { findContradictions, findDisagreement, findRegressions, judgeNode, rememberNodes } from "./judge-nodes.ts";
import {
  aheadMillis,
  type Frontier,
  millisBetween,
  type Mutable,
  type PollRound,
  type SourceMemory,
  type TimedWitness,
  type Verdict,
  type VerdictThresholds,
} from "./verdict.ts";

/**
 * Judges the nodes first, then the network. Pure: the same poll with the same memory gives the same verdict. A blind
 * poll freezes every timer.
 */
export function judgeSources(
  round: PollRound,
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
): Verdict {
  const timed = round.witnesses.filter((one): one is TimedWitness => one.reachable && one.time !== undefined);
  const believable = timed.filter((one) => aheadMillis(one, round) <= thresholds.aheadMillis);
  const contradictions = findContradictions(believable);
  const judgement = judgeNetwork(round, believable, contradictions, before, thresholds);
  const blind = judgement.state === "blind";
  const frozenMillis = blind ? sinceLastPoll(round, before) : 0;
  const frontier = shiftedBy(judgement.frontier, frozenMillis);
  const memory: Mutable<SourceMemory> = {
    watchedSinceMillis: judgement.watchedSinceMillis + frozenMillis,
    atMillis: round.atMillis,
    nodes: rememberNodes(round, believable, before, thresholds, blind),
  };
  if (frontier !== undefined) memory.frontier = frontier;
  const verdict: Mutable<Verdict> = {
    network: judgement.state,
    why: judgement.why,
    basis: judgement.basis,
    singleSource: round.witnesses.length === 1,
    nodes: round.witnesses.map((one) => judgeNode(one, round, frontier, contradictions, thresholds)),
    contradictions,
    implausible: timed
      .filter((one) => !believable.includes(one))
      .map((one) => ({ node: one.node, aheadMillis: aheadMillis(one, round) })),
    wentBack: findRegressions(believable, before),
    at: round.wallClock,
    atMillis: round.atMillis,
    memory,
  };
  if (frontier !== undefined) {
    verdict.frontier = frontier;
    if (believable.length > 0) verdict.ageMillis = millisBetween(frontier.time, round.wallClock);
  }
  if (judgement.stillMillis !== undefined) verdict.stillMillis = Math.max(0, judgement.stillMillis - frozenMillis);
  const disagree = findDisagreement(believable, memory.nodes, round.atMillis, thresholds);
  if (disagree !== undefined) verdict.disagree = disagree;
  return verdict;
}

/** Shifts the frontier, since blind time does not count as a stall. */
function shiftedBy(frontier: Frontier | undefined, millis: Milliseconds): Frontier | undefined {
  if (millis === 0 || frontier?.advancedAtMillis === undefined) return frontier;
  return { ...frontier, advancedAtMillis: frontier.advancedAtMillis + millis };
}

function sinceLastPoll(round: PollRound, before: SourceMemory | undefined): Milliseconds {
  return before === undefined ? 0 : Math.max(0, round.atMillis - before.atMillis);
}
