import { expect, test } from "vitest";

import { drawPlan } from "../../bench/verdicts/plan.ts";
import { fault } from "../../bench/verdicts/sickness.ts";
import { watchedOf } from "../../bench/verdicts/trial.ts";
import { Witness } from "../../bench/verdicts/witness.ts";
import { World, type WorldPlan } from "../../bench/verdicts/world.ts";
import { type Kind, Score, type Told, type Truth } from "../../src/main/traces/score.ts";

const MINUTE = 60_000;

/** An hour of three nodes in which nothing happens but what is given. */
function hour(given: Partial<WorldPlan>): WorldPlan {
  const nothing = { halts: [], faults: [], away: [], botClock: [], chainClock: [], loss: 0 };
  const usual = { name: "an hour", seed: 7, length: 60 * MINUTE, nodes: 3, poll: 5000, block: 800, heights: true };
  return { ...usual, ...nothing, ...given };
}

function truthOf(plan: WorldPlan): Truth {
  const world = new World(plan);
  const witness = new Witness(world);
  for (const round of world.rounds()) witness.see(round);
  return witness.finish();
}

const HALT = { from: 20 * MINUTE, to: 30 * MINUTE };
const between = (from: number, to: number) => [from * MINUTE, to * MINUTE] as const;

const spanOf = (from: number, to: number) => ({ from: from * MINUTE, to: to * MINUTE });

test.each<[name: string, plan: Partial<WorldPlan>, facts: [kind: Kind, subject: string, from: number, to: number][]]>([
  ["nothing happens", {}, []],
  ["the chain halts", { halts: [HALT] }, [["network.stalled", "", 20, 30]]],
  [
    "two of three are cut off from the chain",
    { faults: [0, 1].map((node) => fault(node, ...between(20, 30), { sort: "cut", speed: 1000 })) },
    [["network.disagree", "", 20, 30]],
  ],
  [
    "one goes on while the chain stands",
    { halts: [HALT], faults: [fault(2, 0, 60 * MINUTE, { sort: "plausible" })] },
    [["network.stalled", "", 20, 30]],
  ],
  [
    "one is of another chain",
    { faults: [fault(1, ...between(20, 30), { sort: "other-chain", by: 1e6, lag: 300 })] },
    [["node.lying", "node-2:3008", 20, 30]],
  ],
  [
    "one of three is cut off",
    { faults: [fault(1, ...between(20, 30), { sort: "cut", speed: 1000 })] },
    [["node.lagging", "node-2:3008", 21, 30]],
  ],
  [
    "the bot is cut off",
    { faults: [0, 1, 2].map((node) => fault(node, ...between(20, 30), { sort: "unreachable" })) },
    [["watch.blind", "", 20, 30]],
  ],
  [
    "one is down",
    { faults: [fault(1, ...between(20, 30), { sort: "dead", speed: 1000 })] },
    [["node.down", "node-2:3008", 20, 30]],
  ],
  [
    "one says another time of each block",
    { faults: [fault(1, ...between(20, 30), { sort: "other-times", by: -1500 })] },
    [["node.lying", "node-2:3008", 20, 30]],
  ],
  [
    "one is swapped for one that is 30 s behind",
    { faults: [fault(1, ...between(20, 30), { sort: "stale", by: 30_000 })] },
    [["network.time-back", "node-2:3008", 20, 20.5]],
  ],
  [
    "one bans the bot",
    { faults: [fault(1, ...between(20, 30), { sort: "banned" })] },
    [["node.refuses", "node-2:3008", 20, 30]],
  ],
  [
    "one takes more than two seconds for each answer",
    { faults: [fault(1, ...between(20, 50), { sort: "tardy", by: 2300, share: 1 })] },
    [["node.slow", "node-2:3008", 21.05, 59]],
  ],
  [
    "blocks come ten times more slowly",
    { slow: [{ ...spanOf(20, 45), factor: 10 }] },
    [["network.slow", "", 28.9, 46.1]],
  ],
  [
    "blocks come more slowly, and for two minutes one node alone shows it",
    {
      slow: [{ ...spanOf(20, 45), factor: 10 }],
      faults: [0, 1].map((node) => fault(node, ...between(24, 26), { sort: "cut", speed: 1000 })),
    },
    [
      ["network.disagree", "", 24, 26],
      ["network.slow", "", 30.9, 46.1],
    ],
  ],
  [
    "no snapshot is made",
    { length: 120 * MINUTE, withheld: [spanOf(10, 90)] },
    [["snapshot.overdue", "", 48.43, 93.4]],
  ],
  [
    "the chain's clock goes ahead while one of three follows the chain",
    {
      faults: [0, 1].map((node) => fault(node, ...between(20, 30), { sort: "cut", speed: 1000 })),
      chainClock: [{ ...spanOf(25, 40), by: 100_000, gradual: false }],
    },
    [
      ["network.disagree", "", 20, 25],
      ["network.clock", "", 25, 41.2],
    ],
  ],
  [
    "the bot's clock is wrong",
    { botClock: [{ from: 20 * MINUTE, to: 30 * MINUTE, by: 120_000, gradual: false }] },
    [["network.clock", "", 20, 30]],
  ],
  [
    "two of three are ahead, and the third bans the bot",
    {
      faults: [
        fault(0, 0, 60 * MINUTE, { sort: "ahead", by: 26_000 }),
        fault(1, ...between(20, 30), { sort: "banned" }),
        fault(2, 0, 60 * MINUTE, { sort: "ahead", by: 16_000 }),
      ],
    },
    [["node.refuses", "node-2:3008", 20, 30]],
  ],
  [
    "the bot restarts while its clock is wrong, and one is slow",
    {
      faults: [fault(1, ...between(20, 30), { sort: "tardy", by: 2300, share: 1 })],
      away: [spanOf(31, 32)],
      botClock: [{ ...spanOf(15, 55), by: 20_000, gradual: true }],
    },
    [["node.slow", "node-2:3008", 21.05, 32]],
  ],
])("labels what is true where %s", (_, given, facts) => {
  const known = truthOf(hour(given)).facts;
  const names = known.map(({ kind, subject }) => `${kind} ${subject}`);
  expect(names.toSorted()).toEqual(facts.map(([kind, subject]) => `${kind} ${subject}`).toSorted());
  // A block more or less, and a poll, until it shows.
  const slack = 8000;
  for (const [kind, subject, from, to] of facts) {
    const fact = known.find((one) => one.kind === kind && one.subject === subject);
    expect(Math.abs((fact?.from ?? 0) - from * MINUTE), `${kind} from`).toBeLessThan(slack);
    expect(Math.abs((fact?.to ?? 0) - to * MINUTE), `${kind} to`).toBeLessThan(slack);
  }
});

test("excuses a disagreement of one against one beside a liar after three minutes, where heights give the liar away", () => {
  const faults = [
    fault(0, 0, 60 * MINUTE, { sort: "plausible" }),
    fault(1, ...between(20, 30), { sort: "cut", speed: 1000 }),
  ];
  const excusedWith = (given: Partial<WorldPlan>) =>
    truthOf(hour({ ...given, faults })).excused.flatMap(({ kind, from }) =>
      kind === "network.disagree" && from > 15 * MINUTE ? [from] : [],
    );
  const halts = [spanOf(5, 10)];
  expect(excusedWith({ halts })).toEqual([23 * MINUTE]);
  expect(excusedWith({ halts, heights: false })).toEqual([]);
  // Until it made up blocks in a halt, it says what the others say.
  expect(excusedWith({})).toEqual([]);
});

test("excuses that honest nodes are called behind a quorum of liars, or one that the clock does not give away", () => {
  const excusedWith = (given: Partial<WorldPlan>): boolean =>
    truthOf(hour(given)).excused.some(({ kind, subject }) => kind === "node.lagging" && subject === "node-3:3008");
  const ahead = (by: number, node: number) => fault(node, 0, 60 * MINUTE, { sort: "ahead", by });
  const chainClock = [{ ...spanOf(20, 40), by: -120_000, gradual: false }];
  expect([
    excusedWith({ nodes: 5, faults: [ahead(9000, 0), ahead(9000, 1)] }),
    excusedWith({ nodes: 5, faults: [ahead(9000, 0)] }),
    excusedWith({ chainClock, faults: [ahead(100_000, 0)] }),
    excusedWith({ chainClock, faults: [ahead(40_000, 0)] }),
  ]).toEqual([true, false, true, false]);
});

test("expects nothing of a clock while one node alone follows the chain, nor sight where it may be the wrong one", () => {
  const clock = [{ ...spanOf(20, 30), by: -120_000, gradual: false }];
  const alone = [1, 2].map((node) => fault(node, ...between(10, 50), { sort: "cut", speed: 1000 }));
  const truth = truthOf(hour({ botClock: clock, faults: alone }));
  expect(truth.facts.filter(({ kind }) => kind === "network.clock").map(({ seen }) => seen)).toEqual([0]);
  expect(truth.excused.some(({ kind, from }) => kind === "watch.blind" && from === 20 * MINUTE)).toBe(true);
});

test("scores alerts: right and wrong ones, missed ones, wrong ends, delays", () => {
  const plan = hour({ halts: [HALT, { from: 50 * MINUTE, to: 55 * MINUTE }] });
  const stalled = (fired: number, ended: number): Told => {
    return { kind: "network.stalled", subject: "", fired: fired * MINUTE, ended: ended * MINUTE, why: "" };
  };
  const score = new Score();
  score.add(watchedOf(plan), truthOf(plan), [stalled(5, 6), stalled(21, 25), stalled(27, 31)]);
  const { right, wrong, due, caught, ended, endedWrongly, delays } = score.kinds["network.stalled"];
  expect({ right, wrong, due, caught, ended, endedWrongly }).toEqual({
    right: 2,
    wrong: 1,
    due: 2,
    caught: 1,
    ended: 2,
    endedWrongly: 1,
  });
  expect(delays.map((millis) => Math.round(millis / 1000))).toEqual([61]);
  expect(score.mistakes.map(({ what }) => what).toSorted()).toEqual([
    "false alarm",
    "missed",
    "told late",
    "wrong end",
  ]);
});

test("no end of a halt, nor of a drift of the clock, is wrong while all nodes catch up, nor is one of what was not seen", () => {
  const endsWrongly = (kind: Kind, unfollowed: Truth["unfollowed"], seen = 5 * MINUTE): number => {
    const fact = { kind, subject: "", ...spanOf(20, 30), why: "", seen, lead: 0 };
    const told = { kind, subject: "", fired: 22 * MINUTE, ended: 26 * MINUTE, why: "" };
    const score = new Score();
    score.add(watchedOf(hour({})), { facts: [fact], excused: [], unfollowed, lies: [] }, [told]);
    return score.kinds[kind].endedWrongly;
  };
  const kinds = ["network.stalled", "network.clock", "network.disagree"] as const;
  expect(kinds.map((kind) => endsWrongly(kind, []))).toEqual([1, 1, 1]);
  expect(kinds.map((kind) => endsWrongly(kind, [spanOf(25, 27)]))).toEqual([0, 0, 1]);
  // What they did last is told after 15 s more.
  expect([25.5, 25.4].map((to) => endsWrongly("network.stalled", [spanOf(25, to)]))).toEqual([0, 1]);
  expect([44, 45].map((seconds) => endsWrongly("network.disagree", [], 1000 * seconds))).toEqual([0, 1]);
});

test("the honest one of two may be called behind the liar for three minutes in which the bot sees", () => {
  const wrong = (others: readonly Told[]): number => {
    const told = { kind: "node.lagging", subject: "node-1:3008", fired: 20 * MINUTE, ended: 25 * MINUTE, why: "" };
    const score = new Score();
    const truth = { facts: [], excused: [], unfollowed: [], lies: [{ subject: "node-2:3008", ...spanOf(10, 30) }] };
    score.add(watchedOf(hour({ nodes: 2 })), truth, [...others, told]);
    return score.kinds["node.lagging"].wrong;
  };
  const blind = { kind: "watch.blind", subject: "", fired: 22 * MINUTE, ended: 26 * MINUTE, why: "" };
  const down = { ...blind, kind: "node.down", subject: "node-1:3008" };
  const other = { ...down, subject: "node-2:3008" };
  expect([[], [blind], [down], [other]].map((others) => wrong(others))).toEqual([1, 0, 0, 1]);
});

test("draws the same day from the same seed", () => {
  expect(drawPlan(3)).toEqual(drawPlan(3));
  const [one, other] = [1, 2].map(() => new World(drawPlan(3)).rounds());
  for (let round = 0; round < 300; round += 1) expect(one?.next().value).toEqual(other?.next().value);
});
