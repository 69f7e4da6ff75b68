import type { Milliseconds } from "../../units/duration.ts";
import type { NetworkJudgement } from "./judge-network.ts";
import type { Voter } from "./motion.ts";
import {
  type DisagreementMemory,
  type Finding,
  isFurther,
  type PollRound,
  type SourceMemory,
  type VerdictThresholds,
} from "./verdict.ts";

/** A division for fewer polls, or for less time, is no disagreement yet. */
const DIVIDED_ROUNDS = 2;
const DIVIDED_MILLIS: Milliseconds = 10_000;

/**
 * Whether the nodes disagree: some go on while at least as many, or a majority of the configured, stand still. A pause of
 * one side ends nothing; only proof that one side was wrong does.
 */
export function judgeDisagreement(
  round: PollRound,
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
  if (contested || (judgement.state !== "blind" && moving.length > 0)) {
    // The count starts again after a pause.
    const isPaused = before === undefined || now - before.atMillis > thresholds.motionMillis;
    const memory: DisagreementMemory = {
      sinceMillis: known?.sinceMillis ?? now,
      rounds: (isPaused ? 0 : (known?.rounds ?? 0)) + 1,
      ageMillis: now - ageStart(),
      moving: moving.map(({ memory: { node } }) => node),
      standing: standing.map(({ memory: { node } }) => node),
    };
    // Of two nodes, none can be shown to be wrong: until the age is critical, the node behind counts as lagging.
    const isDue =
      memory.rounds >= DIVIDED_ROUNDS &&
      now - memory.sinceMillis >= DIVIDED_MILLIS &&
      (configured > 2 || memory.ageMillis >= thresholds.criticalMillis);
    return { finding: isDue ? "bad" : "unknown", memory };
  }
  if (isOver()) return { finding: "good" };
  return known === undefined ? { finding: "unknown" } : { finding: "unknown", memory: known };

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

  function isOver(): boolean {
    // A node of which the first answer was just seen may stand still.
    if (judgement.state === "healthy")
      return judgement.stalled === "good" && voters.every(({ vote }) => vote !== "waits");
    if (judgement.state === "unconfirmed") return judgement.stalled === "good";
    if (judgement.state !== "stalled") return false;
    return (known?.moving ?? []).every((name) => {
      const mover = voters.find(({ memory: { node } }) => node === name)?.memory;
      if (mover === undefined || mover.disbelief !== undefined) return true;
      const wentBack = mover.peak !== undefined && mover.last !== undefined && mover.last.time < mover.peak.time;
      return wentBack || now - (mover.movedAtMillis ?? -Infinity) >= thresholds.stalledMillis;
    });
  }
}
