// How well alerts tell the truth: which of them were right, what was missed, how soon it was told and how it ended.

import { DAY, type Milliseconds, type Stretch } from "../../units/time.ts";
import type { ReplayedChange } from "../replay.ts";

/** The kinds of alert that are scored. */
export const SCORED = [
  "network.stalled",
  "network.disagree",
  "watch.blind",
  "node.lagging",
  "node.down",
  "node.lying",
  "network.clock",
  "network.time-back",
  "node.refuses",
  "node.slow",
  "network.slow",
  "snapshot.overdue",
] as const;
export type Kind = (typeof SCORED)[number];

/** It was true from `from` to `to`, in milliseconds since what is scored began. */
export interface Fact extends Stretch {
  readonly kind: Kind;
  /** A node; empty where it is the network's. */
  readonly subject: string;
  readonly why: string;
  /**
   * The longest stretch of it that could be observed, and the one at its very beginning: the bot ran; of most kinds an
   * honest majority answered, too; of what says nothing in a halt, the chain went on.
   */
  readonly seen: Milliseconds;
  readonly lead: Milliseconds;
}

export interface Truth {
  readonly facts: readonly Fact[];
  /** When an alert of a kind and subject is no false alarm, though nobody need give it. */
  readonly excused: readonly (Stretch & { readonly kind: Kind; readonly subject: string })[];
  /** When nobody could tell whether the chain stands, nor whether the clock is wrong: all that answered were behind. */
  readonly unfollowed: readonly Stretch[];
  /** When each node that lied did. */
  readonly lies: readonly (Stretch & { readonly subject: string })[];
}

/** What was watched. */
export interface Watched {
  /** For people. */
  readonly name: string;
  /** How many nodes, and the interval of their polls. */
  readonly nodes: number;
  readonly poll: Milliseconds;
  readonly length: Milliseconds;
  /** Nothing was wrong all the time. */
  readonly calm: boolean;
}

/** An alert that was given: its kind and subject, when it fired and ended. */
export interface Told {
  readonly kind: string;
  readonly subject: string;
  readonly fired: Milliseconds;
  readonly why: string;
  ended?: Milliseconds;
  whyEnded?: string;
}

/** Collects the alerts that changes of conditions give. */
export class Alerts {
  readonly told: Told[] = [];
  readonly #open = new Map<string, Told>();

  note(
    { change, rule, subject, why = "" }: Omit<ReplayedChange, "at"> & { readonly why?: string | undefined },
    at: Milliseconds,
  ): void {
    const key = `${rule}|${subject}`;
    if (change === "fired") {
      const told: Told = { kind: rule.split("{")[0] ?? "", subject, fired: at, why };
      this.#open.set(key, told);
      this.told.push(told);
    } else if (change === "resolved" || change === "gone") {
      const told = this.#open.get(key);
      if (told !== undefined) Object.assign(told, { ended: at, whyEnded: why });
      this.#open.delete(key);
    }
  }
}

/** What a kind is due after, in milliseconds: true for as long before the bot's eyes, it has to be told. */
function dueAfter(kind: Kind, poll: number): number {
  switch (kind) {
    case "network.stalled":
      return Math.max(45_000, 30_000 + 2 * poll);
    case "network.disagree":
      return 60_000;
    case "watch.blind":
    case "node.down":
      return 4 * poll + 5000;
    case "node.lying":
      return 60_000;
    case "node.lagging":
    case "network.clock":
      return 30_000 + 3 * poll;
    case "network.time-back":
      return 2 * poll;
    case "node.refuses":
      return 300_000 + 3 * poll;
    case "node.slow":
    case "network.slow":
      return 90_000 + 2 * poll;
    case "snapshot.overdue":
      return 150_000;
  }
}

/** An alert ended wrongly where its condition had been true, and could be seen, for as long, and went on. */
const OLD_ENOUGH = 45_000;
/** So long the contrary has to be seen until an alert ends. */
const KEEP = 15_000;
/** One that is open for longer after its condition has ended is late. */
const LATE = 300_000;

/** How soon a halt is told at the latest, by the poll's seconds. Only one that was observed for as long counts. */
export const PROMPT = { 5: 40_000, 15: 75_000 } as const;

/** So long it may take until two that contradict each other are told as such. */
const QUARREL = 180_000;

/** What was true of a node so shortly before counts as the same case. */
const SAME_CASE = 600_000;

/** Lengths of halts, in seconds: from, to. The first two need not be told, the very first must not. */
export const LENGTHS = [
  [5, 20],
  [20, 45],
  [45, 60],
  [60, 120],
  [120, 300],
  [300, 1800],
  [1800, 7300],
] as const;

/** How one kind of alert did. */
export interface KindScore {
  /** Alerts that were right, and wrong; excused ones are in neither. */
  right: number;
  wrong: number;
  /** What had to be told, and was. */
  due: number;
  caught: number;
  /** From when it became true until it was told: of what was due and told in time of it. */
  readonly delays: number[];
  /** How many ended, how many of them while it was still true, how many stayed open for long after it. */
  ended: number;
  endedWrongly: number;
  late: number;
  /** False alarms in calm worlds. */
  calm: number;
}

/** Something that went wrong, for people. */
export interface Mistake {
  readonly world: Watched;
  readonly at: number;
  readonly kind: Kind;
  readonly what: "missed" | "told late" | "false alarm" | "wrong end" | "late end";
  readonly detail: string;
}

export class Score {
  days = 0;
  calmDays = 0;
  readonly kinds = Object.fromEntries(SCORED.map((kind) => [kind, emptyScore()])) as Record<Kind, KindScore>;
  /** By length: halts, and those told. */
  readonly lengths = LENGTHS.map(() => ({ halts: 0, told: 0 }));
  /**
   * The halts that have to be told: 45 s or more with three or more nodes, an honest majority answering for as long, at
   * most one liar; told as stalled or disagree. By the number of liars.
   */
  readonly halts = [0, 1].map(() => ({ due: 0, told: 0, delays: { 5: [] as number[], 15: [] as number[] } }));
  readonly mistakes: Mistake[] = [];

  /** Adds what was told of what was watched. */
  add(world: Watched, truth: Truth, told: readonly Told[]): void {
    this.days += world.length / DAY;
    if (world.calm) this.calmDays += world.length / DAY;
    const grace = 2 * world.poll + 5000;
    for (const one of told) this.#judgeTold(world, truth, one, told, grace);
    const last = new Map<string, number>();
    for (const fact of truth.facts) {
      // A node that comes and goes is one case for as long as it does.
      const key = `${fact.kind}|${fact.subject}`;
      const isRepeated = fact.subject !== "" && fact.from - (last.get(key) ?? -Infinity) < SAME_CASE;
      last.set(key, fact.to);
      if (!isRepeated) this.#judgeFact(world, truth, fact, told, grace);
    }
  }

  #judgeTold(
    world: Watched,
    { facts, excused, unfollowed, lies }: Truth,
    told: Told,
    all: readonly Told[],
    grace: Milliseconds,
  ): void {
    const kind = told.kind as Kind;
    const score = this.kinds[kind];
    if (score === undefined) return;
    const isOf = (one: { readonly kind: string; readonly subject: string }): boolean =>
      one.kind === kind && one.subject === told.subject;
    const reaches = (one: { readonly from: number; readonly to: number }): boolean =>
      isOf(told) && one.from <= told.fired && told.fired <= one.to + grace;
    const fact = facts.find((one) => isOf(one) && reaches(one) && !isBrief(one));
    const isExcused =
      fact === undefined &&
      (excused.some((one) => isOf(one) && reaches(one)) || isQuarrel(world, lies, told, all, grace));
    const nearly = facts.some((one) => isOf(one) && reaches(one) && one.to - one.from >= 20_000);
    if (fact !== undefined) score.right += 1;
    else if (!isExcused && !nearly) {
      score.wrong += 1;
      if (world.calm) score.calm += 1;
      this.#note(world, told.fired, kind, "false alarm", `${told.subject} ${told.why}`);
    }
    if (told.ended === undefined) return;
    const { ended } = told;
    // Nodes that catch up make blocks as a chain that goes on, of times that the clock may well show.
    const isHidden =
      (kind === "network.stalled" || kind === "network.clock") &&
      unfollowed.some(({ from, to }) => from <= ended && ended <= to + grace + KEEP);
    const still = isHidden
      ? undefined
      : facts.find((one) => isOf(one) && isSeen(one) && one.from + OLD_ENOUGH <= ended && ended < one.to);
    // A single node can be taken for the network, whatever it does.
    if (world.nodes > 1 && (fact !== undefined || still !== undefined)) score.ended += 1;
    if (world.nodes > 1 && still !== undefined) {
      score.endedWrongly += 1;
      const left = Math.round((still.to - ended) / 1000);
      this.#note(
        world,
        ended,
        kind,
        "wrong end",
        `${told.subject} true for ${left} s more (${still.why}): ${told.whyEnded ?? ""}`,
      );
    }
    const lately = ended - LATE;
    const goesOn = [...facts, ...excused].some((one) => isOf(one) && one.from < ended && one.to + grace > lately);
    if (fact !== undefined && !goesOn) {
      score.late += 1;
      this.#note(world, ended, kind, "late end", `${told.subject} over for ${Math.round((ended - fact.to) / 1000)} s`);
    }
  }

  #judgeFact(world: Watched, truth: Truth, fact: Fact, told: readonly Told[], grace: number): void {
    const { kind, subject, from, to } = fact;
    const opens = (names: readonly string[]): Told | undefined =>
      told.find(
        (one) =>
          names.includes(one.kind) &&
          one.subject === subject &&
          one.fired <= to + grace &&
          (one.ended === undefined || one.ended >= from),
      );
    // With a node that goes on while the others stand, a halt is told as a disagreement.
    const one = opens(kind === "network.stalled" ? [kind, "network.disagree"] : [kind]);
    const score = this.kinds[kind];
    const long = (to - from) / 1000;
    const liars = new Set(truth.lies.filter((lie) => lie.from < to && from < lie.to).map((lie) => lie.subject)).size;
    if (fact.seen >= dueAfter(kind, world.poll)) {
      score.due += 1;
      if (one !== undefined) {
        score.caught += 1;
        if (one.fired >= from && fact.lead >= dueAfter(kind, world.poll)) score.delays.push(one.fired - from);
      } else {
        this.#note(world, from, kind, "missed", `${subject} for ${Math.round(long)} s, ${liars} lying (${fact.why})`);
      }
    }
    if (kind !== "network.stalled") return;
    const length = this.lengths[LENGTHS.findIndex(([least, most]) => long >= least && long < most)];
    if (length !== undefined) {
      length.halts += 1;
      if (one !== undefined) length.told += 1;
    }
    const halts = this.halts[liars];
    if (halts === undefined || world.nodes < 3 || fact.seen < dueAfter(kind, world.poll) + world.poll) return;
    halts.due += 1;
    if (one === undefined) return;
    halts.told += 1;
    const seconds = world.poll === 5000 ? 5 : 15;
    if (fact.lead < PROMPT[seconds] || one.fired < from) return;
    const delay = one.fired - from;
    halts.delays[seconds].push(delay);
    if (delay <= PROMPT[seconds]) return;
    this.#note(world, from, kind, "told late", `after ${Math.round(delay / 1000)} s: ${one.why}`);
  }

  #note(world: Watched, at: number, kind: Kind, what: Mistake["what"], detail: string): void {
    this.mistakes.push({ world, at, kind, what, detail });
  }
}

/**
 * Of two nodes the honest one may be called behind the one that lies until that is a disagreement; while the watch is
 * blind, or the node does not answer, nothing ends.
 */
function isQuarrel(
  { nodes }: Watched,
  lies: Truth["lies"],
  { kind, subject, fired, ended = Infinity }: Told,
  all: readonly Told[],
  grace: number,
): boolean {
  if (nodes !== 2 || kind !== "node.lagging") return false;
  let [seen, from] = [0, fired];
  for (const one of all) {
    if (one.kind !== "watch.blind" && (one.kind !== "node.down" || one.subject !== subject)) continue;
    seen += Math.max(0, Math.min(one.fired, ended) - from);
    from = Math.max(from, one.ended ?? ended);
  }
  seen += Math.max(0, ended - from);
  return seen <= QUARREL + grace && lies.some((lie) => lie.from <= fired && fired <= lie.to + grace);
}

/** Whether it could be observed for so long that its end may be wrong. */
function isSeen({ seen }: Fact): boolean {
  return seen >= OLD_ENOUGH;
}

/** A halt that is too short to be told. */
function isBrief({ kind, from, to }: Fact): boolean {
  return kind === "network.stalled" && to - from < 30_000;
}

function emptyScore(): KindScore {
  return { right: 0, wrong: 0, due: 0, caught: 0, delays: [], ended: 0, endedWrongly: 0, late: 0, calm: 0 };
}
