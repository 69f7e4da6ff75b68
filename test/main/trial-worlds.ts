import { expect } from "vitest";

import { hoursOf } from "../../bench/support/days-of-three.ts";
import { configFor, observationOf, SourcesJudge } from "../../bench/verdicts/engine.ts";
import { drawPlan } from "../../bench/verdicts/plan.ts";
import { World } from "../../bench/verdicts/world.ts";
import { JudgeInMemory } from "../../src/alerts/judge/judge-in-memory.ts";
import type { RuleIndex } from "../../src/alerts/judge/judge.ts";
import type { ConditionKind } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import type { Episode } from "../../src/alerts/judge/rules/episode.ts";
import { type Rule, ruleFor } from "../../src/alerts/judge/rules/rules.ts";
import { inOrder, trialEpisode } from "../../src/alerts/trial/trial.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import { type Look, lookToText } from "../../src/looks/look.ts";
import { pageReader } from "../../src/looks/read.ts";
import { tryRules } from "../../src/main/trial.ts";
import type { Store } from "../../src/store/store.ts";
import { toMillis } from "../../src/units/nanoseconds.ts";
import { unknownBecause } from "../../src/watchers/schedule.ts";
import { keptRound } from "../../src/watchers/sources/kept-round.ts";
import { SourcesState } from "../../src/watchers/sources/sources-state.ts";

const NETWORK = "mainnet";
export const HOUR = 3_600_000;

/** Each kind that nodes have a threshold for, sensitive and patient. */
const TRIED: readonly (readonly [ConditionKind, Readonly<Record<string, number>>])[] = [
  ["node.lagging", { behind: 2000, blocks: 3, for: 0 }],
  ["node.lagging", { behind: 90_000, blocks: 500 }],
  ["node.down", { rounds: 1 }],
  ["node.down", { rounds: 9 }],
  ["node.refuses", { for: 10_000 }],
  ["network.stalled", { for: 5000, criticalFor: 20_000 }],
  ["network.stalled", { for: 90_000, criticalFor: 400_000 }],
  ["network.disagree", { for: 5000, criticalFor: 20_000 }],
  ["network.clock", { drift: 1500, for: 0 }],
  ["network.clock", { drift: 100_000 }],
  ["watch.blind", { rounds: 2 }],
];

/** Which of them are far from nearly all that is seen. */
const PATIENT = new Set([1, 3, 6, 9]);

/**
 * A world as a bot lived through it, with the looks that it kept and the episodes of each rule that it opened; both only
 * from the moment on at which somebody subscribed.
 */
function live(seed: number, hours: number, failing: number, subscribed: number) {
  const length = hours * HOUR;
  const drawn = drawPlan(seed);
  const plan = { ...drawn, length, away: drawn.away.filter(({ to }) => to < length) };
  const config = configFor(plan);
  const rules: readonly Rule[] = TRIED.map(([kind, given]) => ruleFor(kind, given, config));
  const indexOf = (rule: Rule, created: number): RuleIndex => ({
    rules: (kind) => (kind === rule.kind ? [rule] : []),
    subscribers: () => [{ created }],
  });
  const engines = rules.map((rule) => {
    const index =
      subscribed === 0 ? indexOf(rule, Number.NEGATIVE_INFINITY) : { rules: () => [], subscribers: () => [] };
    return { rule, engine: new JudgeInMemory(index, config), episodes: new Map<string, Episode>() };
  });
  const judge = new SourcesJudge(config);
  const looks: Look[] = [];
  let [process, rounds] = [0, 0];
  let last: readonly Reading[] = [];
  for (const round of new World(plan).rounds()) {
    if (round.process !== process) for (const { engine } of engines) engine.restart();
    process = round.process;
    rounds += 1;
    const isThere = rounds * plan.poll > subscribed;
    if (isThere && subscribed > 0 && looks.length === 0) {
      const created = Number(round.wallClock / 1_000_000n);
      for (const { engine, rule } of engines) engine.settle(indexOf(rule, created), config);
    }
    const failure = failing > 0 && rounds % failing === 0 && last.length > 0 ? "no answer within 30 s" : undefined;
    const kept = failure === undefined ? judge.judge(round) : undefined;
    last = kept?.readings ?? last.map((reading) => unknownBecause({ message: failure ?? "" }, reading));
    const why = failure === undefined ? {} : { failure };
    const observation = { ...observationOf(round, last, plan.poll), ...why };
    for (const { engine, episodes } of engines) {
      for (const [id, episode] of engine.see(observation, round.dueMillis).episodes) episodes.set(id, episode);
    }
    const seen =
      kept === undefined
        ? why
        : {
            seen: keptRound(SourcesState.encode(kept.state), kept.verdict, { readings: kept.readings, events: [] }),
          };
    const { dueMillis } = round;
    if (isThere) looks.push({ run: `process ${process}`, dueMillis, every: plan.poll, at: observation.at, ...seen });
  }
  const episodes = engines.map((one) => [...one.episodes.values()].map(trialEpisode).toSorted(inOrder));
  return { looks, rules, config, episodes };
}

/** So many looks are packed together: of a calm piece of an hour none is judged. */
const PIECE = 90;

/** The looks as a store has them: all packed but the last ones. */
async function stored(looks: readonly Look[]): Promise<Pick<Store, "read">> {
  const pieces = [...hoursOf(looks)].flatMap((hour) => [...piecesOf(hour)]);
  const tail = pieces.pop() ?? [];
  let number = 0;
  const chunks: { first: number; last: number; first_at: number; last_at: number; bytes: Uint8Array }[] = [];
  for (const piece of pieces) {
    const times = piece.map(({ at }) => toMillis(at));
    const row = { first: number + 1, last: (number += piece.length), bytes: await encodeChunk(piece) };
    chunks.push({ ...row, first_at: Math.min(...times), last_at: Math.max(...times) });
  }
  const rows = tail.map((look) => ({ number: (number += 1), at: toMillis(look.at), data: lookToText(look) }));
  const tables = {
    looks: {
      packed: async ({ after, limit }: { after: number; limit: number }) =>
        chunks.filter(({ first }) => first > after).slice(0, limit),
      tailBetween: async ({ after, limit }: { after: number; limit: number }) =>
        rows.filter((row) => row.number > after).slice(0, limit),
    },
  };
  return { read: async (ask) => ask(tables as never) };
}

function* piecesOf(hour: readonly Look[]): Generator<readonly Look[]> {
  for (let from = 0; from < hour.length; from += PIECE) yield hour.slice(from, from + PIECE);
}

/**
 * A trial over the looks that were kept of a world, from the moment on at which somebody subscribed, has the episodes that
 * the engine opened and closed from then on; gives their number.
 */
export async function expectAsLive(seed: number, hours: number, failing: number, subscribed = 0): Promise<number> {
  const { looks, rules, config, episodes } = live(seed, hours, failing, subscribed);
  const store = await stored(looks);
  const request = { network: NETWORK, from: 0, to: Number.MAX_SAFE_INTEGER, config };
  const each = rules.map((rule) => ({ rules: [rule], subjects: [] }));
  // Beside sensitive rules patient ones pass over less.
  for (const isIn of [() => true, (index: number) => PATIENT.has(index)]) {
    const tried = each.filter((_, index) => isIn(index));
    const { trials } = await tryRules(pageReader(store), { ...request, tried });
    expect(trials.map((one) => one.episodes)).toEqual(episodes.filter((_, index) => isIn(index)));
  }
  return episodes.flat().length;
}
