import { formatDuration, fromMillis, type Milliseconds, nanoseconds } from "../../units/time.ts";
import type { Belief } from "./believe.ts";
import { positionOf, type Voter } from "./motion.ts";
import {
  type Finding,
  type Frontier,
  isFurther,
  isTimed,
  millisBetween,
  type Mutable,
  type NetworkState,
  type PollRound,
  type Position,
  type SourceMemory,
  type Tip,
  type VerdictThresholds,
} from "./verdict.ts";

/** The state of the network in one poll, before blind time is subtracted. */
export interface NetworkJudgement {
  readonly state: NetworkState;
  readonly why: string;
  readonly basis: "advance" | "age";
  readonly stalled: Finding;
  readonly stillMillis?: Milliseconds;
  /** The nodes that move beyond the frontier and the mark. */
  readonly movers: readonly Voter[];
  /** Without the nodes. */
  readonly memory: Omit<SourceMemory, "nodes" | "disagreement" | "tip" | "clockBehindMillis">;
}

type State = Pick<NetworkJudgement, "state" | "why" | "basis" | "stalled">;

/** How many nodes must have been somewhere for the network to have been there. */
export function quorumOf(nodes: number): number {
  return nodes === 1 ? 1 : nodes <= 6 ? 2 : 3;
}

/** The state of the network by the votes of its nodes, and how long it has stood still. */
export function judgeNetwork(
  round: PollRound,
  belief: Belief,
  { voters, tip }: { readonly voters: readonly Voter[]; readonly tip: Tip | undefined },
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
): NetworkJudgement {
  const now = round.atMillis;
  const { motionMillis } = thresholds;
  const configured = round.witnesses.length;
  const believed = voters.filter(({ vote }) => vote !== "silent");
  const was: SourceMemory = before ?? { watchedSinceMillis: now, atMillis: now, nodes: [] };
  const { frontier: previous, unopposedSinceMillis = now, mark, confirmedAtMillis } = was;
  const unseen = now - was.atMillis;
  const unseenAtMillis = unseen > motionMillis ? now : was.unseenAtMillis;
  const memory: Mutable<NetworkJudgement["memory"]> = { watchedSinceMillis: was.watchedSinceMillis, atMillis: now };
  // With a tip its mark is forgotten.
  if (mark !== undefined && !isFurther(was.tip, tip)) memory.mark = mark;
  if (confirmedAtMillis !== undefined) memory.confirmedAtMillis = confirmedAtMillis;
  if (unseenAtMillis !== undefined) memory.unseenAtMillis = unseenAtMillis;
  const reached = confirm(voters, quorumOf(configured), previous);
  const advancedAgo = reached === undefined ? undefined : advanceTo(reached);
  const frontier = reached && advancedAgo !== undefined ? { ...reached, ...momentBefore(round, advancedAgo) } : reached;
  if (frontier !== undefined) memory.frontier = frontier;
  const movers = voters.filter(
    ({ vote, memory: { peak } }) => vote === "moves" && isFurther(peak, frontier) && isFurther(peak, memory.mark),
  );
  return decide();

  /** How long ago the network advanced to there; undefined where it did not, or too long ago. */
  function advanceTo(to: Frontier): Milliseconds | undefined {
    if (previous === undefined || !isFurther(to, previous) || !isFurther(to, memory.mark)) return undefined;
    // A node of which the first answer was just seen may move, until it stands.
    const mayMove = voters.filter(
      ({ vote, isBehind, memory: { fresh } }) =>
        vote === "moves" || (fresh === true && !isBehind && (vote === "waits" || vote === "climbs")),
    );
    if (mayMove.length < quorumOf(configured)) return undefined;
    if (unseen <= motionMillis) return 0;
    const missing = missingMillis(previous, to, now - (previous.advancedAtMillis ?? was.atMillis));
    return missing > motionMillis ? undefined : missing;
  }

  function decide(): NetworkJudgement {
    if (belief.believed.length === 0) return joined(blind(silenceWords(round, voters)));
    const advancedAt = frontier?.advancedAtMillis;
    if (advancedAt !== undefined && now - advancedAt <= motionMillis) {
      const ago = now - advancedAt;
      const why = ago === 0 ? "the network time advances" : `the network time advanced ${formatDuration(ago)} ago`;
      return joined({ state: "healthy", why, basis: "advance", stalled: "good" });
    }
    if (memory.unseenAtMillis !== undefined && now - memory.unseenAtMillis <= motionMillis) {
      const why = "nobody has looked for a while, and no advance is seen yet";
      return joined({ state: "unconfirmed", why, basis: "advance", stalled: "unknown" });
    }
    const byAge = judgeByAge();
    if (byAge !== undefined) return { ...byAge, movers, memory };
    const standing = voters.filter(({ vote }) => vote === "stands");
    if (movers.length > 0 && standing.length >= movers.length) {
      const why = `${namesOf(movers)} ${movers.length === 1 ? "goes" : "go"} on, ${namesOf(standing)} ${standing.length === 1 ? "stands" : "stand"} still`;
      return joined({ state: "contested", why, basis: "advance", stalled: "unknown" });
    }
    if (movers.length > 0) return joined(unconfirmed());
    const syncing = voters.filter(({ vote, isBehind, memory: { fresh } }) => {
      return vote === "syncs" || (vote === "waits" && isBehind && fresh === true);
    });
    const atTip = believed.filter(({ isBehind }) => !isBehind);
    if (syncing.length > 0 && atTip.length < quorumOf(configured)) {
      if (tip !== undefined && isFurther(tip, memory.mark)) memory.mark = positionOf(tip);
      const stillAtTip = stillOf(atTip, now);
      return joined(catchUp(syncing.length, atTip.length, stillAtTip >= thresholds.criticalMillis), stillAtTip);
    }
    if (believed.length * 2 <= configured) return joined(blind(fewWords(believed.length, configured)));
    return joined(standstill());
  }

  function joined({ state, why, basis, stalled }: State, still = stillMillis()): NetworkJudgement {
    return { state, why, basis, stalled, stillMillis: still, movers, memory };
  }

  /** Before an advance is seen, by the wall clock and the furthest node; undefined once one was missed for long enough. */
  function judgeByAge(): Omit<NetworkJudgement, "movers" | "memory"> | undefined {
    const furthest = furthestOf(believed);
    const watched = now - memory.watchedSinceMillis;
    if (furthest === undefined || watched > motionMillis) return undefined;
    const age = millisBetween(furthest.time, round.wallClock);
    if (age < thresholds.stalledMillis) {
      const why = age <= 0 ? "the network time is the present" : `the network time is ${formatDuration(age)} old`;
      return { state: "healthy", why, basis: "age", stalled: "unknown", stillMillis: watched };
    }
    if (movers.length > 0) return undefined;
    if (believed.length * 2 <= configured) return blind(fewWords(believed.length, configured));
    const why = `the network time is ${formatDuration(age)} old`;
    return { state: "stalled", why, basis: "age", stalled: "unknown", stillMillis: watched };
  }

  /** Too few nodes move to confirm an advance; good once the others have been silent or climbing for long enough. */
  function unconfirmed(): State {
    const isUnopposed = voters.every(({ vote }) => vote !== "stands" && vote !== "waits");
    if (isUnopposed) memory.unopposedSinceMillis = unopposedSinceMillis;
    const why = `${namesOf(movers)} ${movers.length === 1 ? "goes" : "go"} on, which no other node confirms`;
    const good = isUnopposed && now - unopposedSinceMillis >= thresholds.keepMillis;
    if (good) {
      memory.confirmedAtMillis = now;
      delete memory.mark;
    }
    return { state: "unconfirmed", why, basis: "advance", stalled: good ? "good" : "unknown" };
  }

  function standstill(): State {
    // No node moves now, so the position of each is known.
    const furthest = furthestOf(believed);
    if (furthest !== undefined && isFurther(furthest, memory.mark)) memory.mark = furthest;
    const still = stillMillis();
    const isBad = Math.min(still, now - memory.watchedSinceMillis) >= motionMillis;
    return {
      state: "stalled",
      why: stallWords(still, frontier, round),
      basis: "advance",
      stalled: isBad ? "bad" : "unknown",
    };
  }

  /**
   * From the last move of the node that showed the tip, if it is there: who comes later confirms what was known. Else from
   * the last advance. Not before an unconfirmed advance that was good.
   */
  function stillMillis(): Milliseconds {
    const first = believed.find(({ memory: { node, last } }) => node === tip?.node && !isFurther(frontier, last));
    const start = first?.memory.movedAtMillis ?? frontier?.advancedAtMillis ?? memory.watchedSinceMillis;
    return now - Math.max(start, memory.confirmedAtMillis ?? -Infinity);
  }
}

/** The network may have stopped in a pause: for as long as it advanced by less than the time went on. */
function missingMillis(from: Position, to: Position, gone: Milliseconds): Milliseconds {
  return Math.max(0, gone - millisBetween(from.time, to.time));
}

/** When the network advanced, so long before the poll. */
function momentBefore({ atMillis, wallClock }: PollRound, millis: Milliseconds) {
  return { advancedAtMillis: atMillis - millis, advancedAt: nanoseconds(wallClock - fromMillis(millis)) };
}

/** The age of the last block is mentioned if it exceeds the observed stall by this much. */
const UNSEEN_STALL_MILLIS: Milliseconds = 10_000;

/** No length that the next look makes wrong; how old the last block was as the stall began, if it stood unobserved. */
function stallWords(still: Milliseconds, frontier: Frontier | undefined, { wallClock }: PollRound): string {
  const before = frontier === undefined ? 0 : millisBetween(frontier.time, wallClock) - still;
  const old = before > UNSEEN_STALL_MILLIS ? `; the last one was ${formatDuration(before)} old by then` : "";
  return `no block is seen${old}`;
}

/**
 * The time and the height that a quorum has reached, or the earlier ones. Nodes that are not believed do not count. Each
 * is counted by itself: of nodes that say one time, one may say heights of its own.
 */
function confirm(voters: readonly Voter[], quorum: number, previous: Frontier | undefined): Frontier | undefined {
  const voting: { readonly node: string; readonly peak: Position }[] = [];
  const heights: bigint[] = [];
  for (const {
    memory: { node, peak, disbelief },
  } of voters) {
    if (peak === undefined || disbelief !== undefined) continue;
    voting.push({ node, peak });
    if (peak.height !== undefined) heights.push(peak.height);
  }
  const reached = voting.toSorted((a, b) => (isFurther(a.peak, b.peak) ? -1 : 1))[quorum - 1];
  if (reached === undefined) return previous;
  const height = heights.toSorted((a, b) => (a > b ? -1 : 1))[quorum - 1] ?? reached.peak.height;
  const confirmed: Mutable<Frontier> = { node: reached.node, time: reached.peak.time };
  if (height !== undefined) confirmed.height = height;
  if (!isFurther(confirmed, previous)) return previous;
  // A further position is not yet an advance: the moment of the last advance stays.
  if (previous?.advancedAtMillis !== undefined) confirmed.advancedAtMillis = previous.advancedAtMillis;
  if (previous?.advancedAt !== undefined) confirmed.advancedAt = previous.advancedAt;
  return confirmed;
}

/** For how long those at the tip have stood. */
function stillOf(atTip: readonly Voter[], nowMillis: Milliseconds): Milliseconds {
  const moved = atTip.map(({ memory: { movedAtMillis, stillSinceMillis } }) => movedAtMillis ?? stillSinceMillis);
  return nowMillis - Math.max(...moved, moved.length === 0 ? nowMillis : -Infinity);
}

/** Only nodes behind the tip go on, which says nothing of the network: it may stand, or go on unseen. */
function catchUp(late: number, atTip: number, isBad: boolean): State {
  const why =
    atTip === 0
      ? `${late} ${late === 1 ? "node is" : "nodes are"} catching up behind the last block that was seen`
      : `${atTip} ${atTip === 1 ? "node stands" : "nodes stand"} at the last block; ${late} ${late === 1 ? "is" : "are"} catching up behind it`;
  return { state: "syncing", why, basis: "advance", stalled: isBad ? "bad" : "unknown" };
}

export function furthestOf(voters: readonly Voter[], place: "peak" | "last" = "peak"): Position | undefined {
  let furthest: Position | undefined;
  for (const { memory } of voters) if (isFurther(memory[place], furthest)) furthest = memory[place];
  return furthest;
}

function blind(why: string): State {
  return { state: "blind", why, basis: "advance", stalled: "unknown" };
}

function namesOf(voters: readonly Voter[]): string {
  return voters.map(({ memory }) => memory.node).join(" and ");
}

function fewWords(believed: number, all: number): string {
  return `only ${believed} of ${all} nodes ${believed === 1 ? "answers" : "answer"}, and no advance is seen there`;
}

function silenceWords(round: PollRound, voters: readonly Voter[]): string {
  if (round.witnesses.some((one) => isTimed(one))) {
    const known = "no node says a time that can be believed";
    const ahead = voters.every(({ memory: { disbelief } }) => disbelief === undefined || disbelief === "ahead");
    return ahead ? `${known}: each is ahead of the bot's clock, unless that clock is wrong` : known;
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
