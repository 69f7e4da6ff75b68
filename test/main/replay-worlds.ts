import { configFor, observationOf, SourcesJudge } from "../../bench/verdicts/engine.ts";
import { drawPlan } from "../../bench/verdicts/plan.ts";
import { type Round, World } from "../../bench/verdicts/world.ts";
import type { AlertsConfig } from "../../src/alerts/alerts-config.ts";
import { JudgeInMemory } from "../../src/alerts/judge/judge-in-memory.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import { buildSubscriptionIndex } from "../../src/alerts/route/subscription-index.ts";
import { Chunk } from "../../src/looks/chunk.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import type { Look } from "../../src/looks/look.ts";
import { changeOf, type KeptSettings, Replay, type ReplayedChange, settingsOf } from "../../src/main/replay.ts";
import { toMillis } from "../../src/units/time.ts";
import { unknownBecause } from "../../src/watchers/schedule.ts";
import { JUDGED_OF_ROUND, keptRound } from "../../src/watchers/sources/kept-round.ts";
import { SourcesState } from "../../src/watchers/sources/sources-state.ts";

export const NETWORK = "mainnet";
const HOUR = 3_600_000;

/**
 * A world as a bot lived through it: what it kept, and each change that it decided. From the second process on other
 * settings hold; in a third of the worlds a node is added then. In half of them the wall clock jumps by minutes.
 */
export function liveThrough(seed: number, hours: number, failing: number) {
  const length = hours * HOUR;
  const drawn = drawPlan(seed);
  // Restarts in every phase: the last one before the end, if there was none.
  const away = drawn.away.filter(({ to }) => to < length);
  const restart = { from: length / 2 + (seed % 1000) * 100, to: length / 2 + (seed % 1000) * 100 + 20_000 };
  const jump = { from: length / 4, to: length / 3, by: seed % 2 === 0 ? -150_000 : 400_000, gradual: false };
  const botClock = seed % 4 < 2 ? drawn.botClock : [jump];
  const plan = { ...drawn, length, botClock, away: away.length > 0 ? away : [restart] };
  const asked = (round: Round): Round => (seed % 3 === 0 && round.process === 0 ? withoutLastNode(round) : round);
  const first = configFor(plan);
  const second: AlertsConfig = { ...first, lagging: { ...first.lagging, behind: 20_000 } };
  const looks: Look[] = [];
  const decided: ReplayedChange[] = [];
  const settings: Look[] = [];
  const judge = new SourcesJudge(first);
  const engine = new JudgeInMemory(buildSubscriptionIndex([], [], first), first);
  let process = -1;
  let last: readonly Reading[] = [];
  let count = 0;
  for (const all of new World(plan).rounds()) {
    const round = asked(all);
    const config = round.process === 0 ? first : second;
    if (round.process !== process) {
      process = round.process;
      engine.restart();
      judge.settle(config);
      engine.settle(buildSubscriptionIndex([], [], config), config);
      const seen = { version: "1", nodes: ["a"], config: JSON.parse(JSON.stringify(config)) };
      settings.push({ run: `process ${process}`, dueMillis: 0, every: 0, at: observationOf(round, [], 1).at, seen });
    }
    count += 1;
    const failure = failing > 0 && count % failing === 0 && last.length > 0 ? "no answer within 30 s" : undefined;
    const kept = failure === undefined ? judge.judge(round) : undefined;
    last = kept?.readings ?? last.map((reading) => unknownBecause({ message: failure ?? "" }, reading));
    const why = failure === undefined ? {} : { failure };
    const observation = { ...observationOf(round, last, plan.poll), ...why };
    const { at } = observation;
    const { decisions } = engine.see(observation, round.dueMillis);
    decided.push(...decisions.flatMap((one) => changeOf(one, NETWORK, toMillis(at)) ?? []));
    const seen =
      kept === undefined
        ? why
        : {
            seen: keptRound(SourcesState.encode(kept.state), kept.verdict, { readings: kept.readings, events: [] }),
          };
    looks.push({ run: `process ${process}`, dueMillis: round.dueMillis, every: plan.poll, at, ...seen });
  }
  return { looks, decided, settings: settings.map(settingsOf) };
}

/** The same round before the last of several nodes was configured. */
function withoutLastNode(round: Round): Round {
  const nodes = Math.max(1, round.answers.length - 1);
  return { ...round, answers: round.answers.slice(0, nodes), again: round.again.slice(0, nodes) };
}

export async function replayed(
  looks: readonly Look[],
  settings: readonly KeptSettings[],
): Promise<readonly ReplayedChange[]> {
  const replay = new Replay({
    network: NETWORK,
    settings,
    subscriptions: [],
    range: { from: 0, to: Number.MAX_SAFE_INTEGER },
    changed: (config) => config,
    onGap: () => undefined,
  });
  const found: ReplayedChange[] = [];
  for (let from = 0; from < looks.length; from += 500) {
    const chunk = new Chunk(await encodeChunk(looks.slice(from, from + 500)));
    for (const look of chunk.looks(JUDGED_OF_ROUND)) found.push(...replay.see("sources", look));
  }
  return found;
}
