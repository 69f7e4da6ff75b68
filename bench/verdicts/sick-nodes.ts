import type { Told } from "../../src/main/traces/score.ts";
import { Bellwether } from "./engine.ts";
import { fault, type Sickness, type Span } from "./sickness.ts";
import { World, type WorldPlan } from "./world.ts";

const MINUTE = 60_000;

/** Ways in which one node of three is sick. */
export const SICK_NODES: readonly (readonly [name: string, sick: Sickness, heights?: false])[] = [
  ["repeats an old block", { sort: "frozen" }],
  ["its time runs on, its height stands", { sort: "frozen", but: "time" }],
  ["its height runs on, its time stands", { sort: "frozen", but: "height" }],
  ["is 5 s ahead", { sort: "ahead", by: 5000 }],
  ["is an hour ahead", { sort: "ahead", by: 3_600_000 }],
  ["goes back by 2 min every minute", { sort: "back", by: 120_000, every: MINUTE }],
  ["is restored from an hour ago", { sort: "restored", by: 3_600_000, speed: 4 }],
  ["goes on plausibly", { sort: "plausible" }],
  ["goes on plausibly, no heights", { sort: "plausible" }, false],
  ["lies otherwise every 40 s", { sort: "changing", every: 40_000 }],
  ["says each block's time 1.5 s earlier", { sort: "other-times", by: -1500 }],
  ["says each block's time 3 s later", { sort: "other-times", by: 3000 }],
  ["says heights 1,000 higher", { sort: "other-heights", by: 1000 }],
  ["says heights 1,000 lower", { sort: "other-heights", by: -1000 }],
  ["its clock loses 1 s in 50", { sort: "drifting", rate: -0.02 }],
  ["balances over one 30 s behind", { sort: "balanced", over: "stale", by: 30_000, share: 0.5 }],
  ["balances over one 10 min behind", { sort: "balanced", over: "stale", by: 600_000, share: 0.5 }],
  ["balances over a dead one", { sort: "balanced", over: "dead", by: 0, share: 0.5 }],
  ["balances over one that goes on", { sort: "balanced", over: "liar", by: 0, share: 0.5 }],
  ["bans us", { sort: "banned" }],
  ["mostly answers too late", { sort: "sluggish", share: 0.7 }],
  ["answers with a page", { sort: "garbage" }],
  ["answers without a time", { sort: "empty" }],
  ["comes and goes every 20 s", { sort: "comes-and-goes", every: 20_000 }],
];

/** When the chain halts, and when the node is sick: all the time, or only amid the halt. */
const HALT: Span = { from: 20 * MINUTE, to: 30 * MINUTE };
const SCENES: readonly Span[] = [
  { from: 5 * MINUTE, to: 55 * MINUTE },
  { from: 23 * MINUTE, to: 27 * MINUTE },
];
/** A halt that has not been told by then is hidden. */
const HIDDEN_AFTER = MINUTE;
const SEEDS = [1, 2, 3];

/** What a sick node did to the telling of a halt, in all scenes and seeds together. */
export interface SickNode {
  readonly name: string;
  readonly hidden: number;
  readonly ended: number;
  readonly invented: number;
  /** Alerts of blindness, though two healthy nodes answer: no part of the expectation. */
  readonly blinded: number;
}

/** Tries every way. None should hide the halt, end it or invent one. */
export function trySickNodes(): readonly SickNode[] {
  return SICK_NODES.map(([name, sick, heights = true]) => {
    const found = { name, hidden: 0, ended: 0, invented: 0, blinded: 0 };
    for (const scene of SCENES) {
      for (const seed of SEEDS) {
        const told = watched({
          name,
          seed,
          length: 60 * MINUTE,
          nodes: 3,
          poll: 5000,
          block: 800,
          heights,
          loss: 0.002,
          halts: [HALT],
          faults: [fault(0, scene.from, scene.to, sick)],
          away: [],
          botClock: [],
          chainClock: [],
        });
        const telling = told.filter(({ kind }) => kind === "network.stalled" || kind === "network.disagree");
        const inTime = telling.filter(({ fired }) => fired >= HALT.from && fired < HALT.to);
        const [first] = inTime;
        if (first === undefined || first.fired > HALT.from + HIDDEN_AFTER) found.hidden += 1;
        if (first !== undefined && toldUntil(inTime, first) < HALT.to) found.ended += 1;
        found.invented += telling.some(({ fired }) => fired < HALT.from || fired > HALT.to + 15_000) ? 1 : 0;
        found.blinded += told.some(({ kind }) => kind === "watch.blind") ? 1 : 0;
      }
    }
    return found;
  });
}

function watched(plan: WorldPlan): readonly Told[] {
  const watch = new Bellwether(plan);
  for (const round of new World(plan).rounds()) watch.see(round);
  return watch.told;
}

/** Until when one of the alerts was open, without a gap since the first. */
function toldUntil(all: readonly Told[], first: Told): number {
  let until = first.ended ?? Infinity;
  for (const { fired, ended = Infinity } of all) if (fired <= until) until = Math.max(until, ended);
  return until;
}
