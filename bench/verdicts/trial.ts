import { Score, type Truth, type Watched } from "../../src/main/traces/score.ts";
import { Bellwether, toNanos, type Watch } from "./engine.ts";
import { drawPlan, type Given } from "./plan.ts";
import { HighestHeight, MajorityOfAdvances, NoBlockForX } from "./rivals.ts";
import type { Span } from "./sickness.ts";
import { Witness } from "./witness.ts";
import { World, type WorldPlan } from "./world.ts";

/** The rules that are compared, by the names under which their scores are printed. */
const RULES: Readonly<Record<string, (plan: WorldPlan, world: World) => Watch>> = {
  Bellwether: (plan, world) => new Bellwether(plan, world),
  [MajorityOfAdvances.label]: (plan) => new MajorityOfAdvances(plan),
  [NoBlockForX.label]: () => new NoBlockForX(),
  [HighestHeight.label]: () => new HighestHeight(),
};

/** The score of each rule over the same days, drawn from the seeds that follow `seed`; added to `scores` where given. */
export function trial(
  days: number,
  seed: number,
  rules: readonly string[] = Object.keys(RULES),
  given: Given = {},
  scores: ReadonlyMap<string, Score> = new Map(rules.map((name) => [name, new Score()])),
): { readonly scores: ReadonlyMap<string, Score>; readonly rounds: number } {
  let rounds = 0;
  for (let day = 0; day < days; day += 1) {
    const plan = drawPlan(seed + day, given);
    const world = new World(plan);
    const witness = new Witness(world);
    const watches = rules.flatMap((name) => {
      const watch = RULES[name]?.(plan, world);
      return watch === undefined ? [] : [{ name, watch }];
    });
    for (const round of world.rounds()) {
      rounds += 1;
      witness.see(round);
      for (const { watch } of watches) watch.see(round);
    }
    const truth = inNanos(witness.finish());
    for (const { name, watch } of watches) scores.get(name)?.add(watchedOf(plan), truth, watch.told);
  }
  return { scores, rounds };
}

/** What the score knows of a world. */
export function watchedOf(plan: WorldPlan): Watched {
  const { name, nodes, poll, length, faults, halts, botClock, chainClock } = plan;
  const calm = faults.length + halts.length + botClock.length + chainClock.length === 0;
  return { name, nodes, poll, length, calm };
}

/** The truth with moments of whole nanoseconds, as traces have them. */
export function inNanos({ facts, excused, unfollowed, lies }: Truth): Truth {
  const rounded = <T extends Span>(one: T): T => ({ ...one, from: toNanos(one.from), to: toNanos(one.to) });
  return {
    facts: facts.map(rounded),
    excused: excused.map(rounded),
    unfollowed: unfollowed.map(rounded),
    lies: lies.map(rounded),
  };
}
