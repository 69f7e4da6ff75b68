import { encodeChunk } from "../../src/looks/columns.ts";
import { spanOf } from "../../src/looks/keep.ts";
import type { Look } from "../../src/looks/look.ts";
import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import type { Store } from "../../src/store/store.ts";
import { toMillis } from "../../src/units/time.ts";
import { keptRound } from "../../src/watchers/sources/kept-round.ts";
import { SourcesState } from "../../src/watchers/sources/sources-state.ts";
import { configFor, NETWORK, observationOf, SourcesJudge } from "../verdicts/engine.ts";
import { DAY, drawPlan, type Given } from "../verdicts/plan.ts";
import { World, type WorldPlan } from "../verdicts/world.ts";

// The looks at a network of three nodes that are polled every 5 s, over the days of `verdicts` one after the other.

export const POLL = 5000;
export const CONFIG = configFor({ poll: POLL });
export const SOURCES = { network: NETWORK, watcher: "sources" };

/** The drawn day with three nodes behind so many others. */
export function planOfThree(day: number, given: Given = {}): WorldPlan {
  for (let seed = 1, found = 0; ; seed += 1) {
    const plan = drawPlan(seed, { ...given, poll: POLL });
    if (plan.nodes !== 3) continue;
    if (found === day) return plan;
    found += 1;
  }
}

/** The looks of days one after the other, by the hour; where the wall clock is set back, an hour begins anew. */
export function* hoursOfLooks(plans: readonly WorldPlan[]): Generator<readonly Look[]> {
  for (const [day, plan] of plans.entries()) yield* hoursOf(looksOf(plan, day));
}

/** The looks of one day as often as asked for, a day after the other, by the hour. */
export function* hoursOfDays(plan: WorldPlan, days: number): Generator<readonly Look[]> {
  const hours = [...hoursOf(looksOf(plan, 0))];
  for (let day = 0; day < days; day += 1) {
    for (const hour of hours)
      yield hour.map((look) => ({ ...look, run: `${day} ${look.run}`, at: later(look.at, day) }));
  }
}

/** Looks in their order, in the pieces in which they are packed. */
export function* hoursOf(looks: Iterable<Look>): Generator<readonly Look[]> {
  let hour: Look[] = [];
  for (const look of looks) {
    const [first = look] = hour;
    const length = spanOf(first);
    if (Math.floor(toMillis(look.at) / length) !== Math.floor(toMillis(first.at) / length)) {
      yield hour;
      hour = [];
    }
    hour.push(look);
  }
  yield hour;
}

/** `day` days after the world's own. */
function* looksOf(plan: WorldPlan, day: number): Generator<Look> {
  const judge = new SourcesJudge(CONFIG);
  for (const round of new World(plan).rounds()) {
    const { run, poll, verdict, state, readings } = judge.judge(round);
    const seen = keptRound(SourcesState.encode(state), verdict, { readings, events: [] });
    const at = later(observationOf(round, readings, POLL).at, day);
    yield { run: `${day} ${run}`, dueMillis: poll.atMillis, every: POLL, at, seen };
  }
}

/** The same time so many days later. */
function later(at: Look["at"], days: number): Look["at"] {
  return (at + BigInt(days * DAY) * 1_000_000n) as Look["at"];
}

/** Keeps looks in a store, packed by the hour. Gives their number. */
export async function keepHours(
  store: Pick<Store, "transaction">,
  hours: Iterable<readonly Look[]>,
  of = SOURCES,
): Promise<number> {
  let number = 0;
  for (const looks of hours) {
    const bytes = await encodeChunk(looks);
    const times = looks.map(({ at }) => toMillis(at));
    const numbers = looks.map((_, index) => number + index + 1);
    const chunk = { first_at: Math.min(...times), last_at: Math.max(...times), bytes };
    await store.transaction(({ looks: tables }) => tables.pack(of, numbers, chunk));
    number += looks.length;
  }
  return number;
}

/** A database file with the looks of so many days, and their number. */
export async function storeOfDays(
  file: string,
  days: number,
): Promise<{ readonly store: Store; readonly count: number }> {
  const store = createStore({ url: `file:${file}`, log: silentLog() });
  await store.claim();
  await store.ping();
  const plans = Array.from({ length: days }, (_, day) => planOfThree(day));
  return { store, count: await keepHours(store, hoursOfLooks(plans)) };
}
