import { describe, expect, test } from "vitest";

import type { Disbelief, Witness } from "../../../src/api/verdict/verdict.ts";
import { at, gone, NAMES, says, Watch } from "./watch.ts";

/** Who is not believed after rounds of five seconds, and why; `of` gives each node's answer at a second. */
function disbelieved(
  seconds: number,
  of: (node: string, second: number) => Witness,
  names: readonly string[] = NAMES,
): Record<string, Disbelief> {
  const watch = new Watch();
  let last = watch.round(
    0,
    names.map((node) => of(node, 0)),
  );
  for (let second = 5; second <= seconds; second += 5) {
    last = watch.round(
      second,
      names.map((node) => of(node, second)),
    );
  }
  return Object.fromEntries(
    last.memory.nodes.flatMap(({ node, disbelief }) => (disbelief === undefined ? [] : [[node, disbelief]])),
  );
}

const height = (second: number): number => 10_000 + 2 * second;
const honest = (node: string, second: number): Witness => says(node, second, height(second));
const block = (node: string, second: number, made: number): Witness => ({
  ...honest(node, second),
  blockTime: at(made),
});

describe("a node is not believed", () => {
  type Row = [string, number, (node: string, second: number) => Witness, Record<string, Disbelief>];
  test.each<Row>([
    ["when it is more than 10 s ahead", 5, (n, s) => (n === "a" ? says(n, s + 11) : honest(n, s)), { a: "ahead" }],
    ["not when it is 10 s ahead", 5, (n, s) => (n === "a" ? says(n, s + 10) : honest(n, s)), {}],
    [
      "until it is within 8 s",
      10,
      (n, s) => (n === "a" ? says(n, s + (s < 10 ? 11 : 9)) : honest(n, s)),
      { a: "ahead" },
    ],
    ["again within 8 s", 10, (n, s) => (n === "a" ? says(n, s + (s < 10 ? 11 : 8)) : honest(n, s)), {}],
    [
      "not when most are ahead: then the clock is wrong",
      5,
      (n, s) => (n === "c" ? honest(n, s) : says(n, s + 3600)),
      {},
    ],
    ["nor when most are half as much ahead", 5, (n, s) => says(n, s + (n === "a" ? 11 : n === "b" ? 5.001 : 0)), {}],
    ["but no less", 5, (n, s) => says(n, s + (n === "a" ? 11 : n === "b" ? 5 : 0)), { a: "ahead" }],
    [
      "when its time runs while its height stands for 30 s",
      35,
      (n, s) => (n === "a" ? says(n, s, 10_000) : honest(n, s)),
      { a: "odd" },
    ],
    ["not before", 30, (n, s) => (n === "a" ? says(n, s, 10_000) : honest(n, s)), {}],
    [
      "when its height runs while its time stands",
      35,
      (n, s) => (n === "a" ? says(n, 0, height(s) + 500) : honest(n, s)),
      { a: "odd" },
    ],
    [
      "for so long after it last was at odds with itself",
      55,
      (n, s) => (n === "a" ? says(n, Math.min(s, 40), 10_000) : honest(n, s)),
      { a: "odd" },
    ],
    ["and no longer", 60, (n, s) => (n === "a" ? says(n, Math.min(s, 40), 10_000) : honest(n, s)), {}],
    [
      "though it stands for as long in between",
      35,
      (n, s) => (n === "a" ? says(n, s > 20 && s < 35 ? 20 : s, 10_000) : honest(n, s)),
      { a: "odd" },
    ],
    [
      "not when it stands for longer in between: then it begins anew",
      60,
      (n, s) => (n === "a" ? says(n, s > 20 && s < 40 ? 20 : s, 10_000) : honest(n, s)),
      {},
    ],
    [
      "when it falls silent meanwhile",
      20,
      (n, s) => (n === "a" ? (s < 10 ? says(n, s + 11) : gone(n)) : honest(n, s)),
      { a: "ahead" },
    ],
    ...[51, -51].map((blocks): Row => [
      `when its blocks are too many for their times, ${blocks} in two seconds`,
      5,
      (n, s) => ({ ...says(n, s, height(s) + (n === "a" ? blocks : 0)), blockTime: at(n === "a" ? s - 2 : s) }),
      { a: "outvoted" },
    ]),
    [
      "not when a chain could make as many",
      5,
      (n, s) => ({ ...says(n, s, height(s) + (n === "a" ? -50 : 0)), blockTime: at(n === "a" ? s - 2 : s) }),
      {},
    ],
    ["when two contradict it about one block", 5, (n, s) => block(n, s, n === "a" ? s - 1 : s), { a: "outvoted" }],
    [
      "when its heights run against the others' times",
      5,
      (n, s) => (n === "a" ? says(n, s - 1, height(s) + 50) : honest(n, s)),
      { a: "outvoted" },
    ],
    ...[11, -11].map((blocks): Row => [
      `when its block is another one than the others', ${blocks} apart, of the very same time`,
      5,
      (n, s) => ({ ...says(n, s, height(s) + (n === "a" ? blocks : 0)), blockTime: at(s) }),
      { a: "outvoted" },
    ]),
    ...[10, -10].map((blocks): Row => [
      `not ${blocks} apart, where the time may be cut to the second`,
      5,
      (n, s) => ({ ...says(n, s, height(s) + (n === "a" ? blocks : 0)), blockTime: at(s) }),
      {},
    ]),
    [
      "nor where a height may be older than the time beside it",
      5,
      (n, s) => says(n, s, height(s) - (n === "a" ? 96 : 0)),
      {},
    ],
    ...[100, -100].map((blocks): Row => [
      `though the heights are ${blocks} apart`,
      5,
      (n, s) => (n === "a" ? says(n, s - Math.sign(blocks), height(s) + blocks) : honest(n, s)),
      { a: "outvoted" },
    ]),
    ...[101, -101].map((blocks): Row => [
      `not when they are ${blocks} apart, too far to compare`,
      5,
      (n, s) => (n === "a" ? says(n, s - Math.sign(blocks), height(s) + blocks) : honest(n, s)),
      {},
    ]),
  ])("%s", (_name, seconds, of, expected) => {
    expect(disbelieved(seconds, of)).toEqual(expected);
  });

  test("for what its answer says when it comes, not when the poll ends", () => {
    const late = (node: string, second: number): Witness =>
      node === "a" ? { ...honest(node, second + 9), receivedAt: at(second - 4) } : honest(node, second);
    expect(disbelieved(5, late)).toEqual({ a: "ahead" });
  });

  test("of two that contradict each other neither is outvoted; both are named", () => {
    const watch = new Watch();
    const verdict = watch.round(0, [block("a", 0, 0), block("b", 0, -1)]);
    expect(verdict.nodes.map(({ disbelief }) => disbelief)).toEqual([undefined, undefined]);
    expect(verdict.contradictions.flatMap(({ says: all }) => all.map(({ node }) => node))).toEqual(["a", "b"]);
  });

  const lied = (node: string, second: number): Witness =>
    block(node, second, node === "a" && second < 10 ? second - 1 : second);

  test("until it agreed for a minute, as long as the others are a majority", () => {
    expect([65, 70].map((second) => disbelieved(second, lied))).toEqual([{ a: "outvoted" }, {}]);
    // From the third poll that it missed, b is none of them.
    const lonely = (node: string, second: number): Witness =>
      node === "b" && second > 10 ? gone(node) : lied(node, second);
    expect(disbelieved(20, lonely)).toEqual({ a: "outvoted" });
    expect(disbelieved(25, lonely)).toEqual({});
    const back = (node: string, second: number): Witness =>
      node === "b" && second > 10 && second < 30 ? gone(node) : lied(node, second);
    expect([25, 30].map((second) => disbelieved(second, back))).toEqual([{}, { a: "outvoted" }]);
    const both = (node: string, second: number): Witness =>
      node === "a" && second === 25 ? gone(node) : lonely(node, second);
    expect(disbelieved(25, both)).toEqual({});
    const ahead = (node: string, second: number): Witness =>
      node === "b" && second > 10 ? says(node, second + 11) : lied(node, second);
    expect(disbelieved(15, ahead)).toEqual({ b: "ahead" });
  });

  type Deviation = (node: string, second: number) => Witness | undefined;
  test.each<[string, Deviation, number]>([
    ["while it does not answer", (n, s) => (n === "a" && s > 20 && s <= 600 ? gone(n) : undefined), 645],
    ["while no other answers", (n, s) => (n !== "a" && s > 20 && s <= 80 ? gone(n) : undefined), 125],
    [
      "with none of the others, but with one alone",
      (n, s) => (n === "b" && s > 20 && s <= 60 ? gone(n) : undefined),
      70,
    ],
    [
      "more than 100 blocks from the others",
      (n, s) => (n === "a" && s > 20 && s <= 80 ? block(n, s - 51, s - 51) : undefined),
      125,
    ],
    [
      "100 blocks from the others, but there",
      (n, s) => (n === "a" && s > 20 && s <= 80 ? block(n, s - 50, s - 50) : undefined),
      70,
    ],
    [
      "before it contradicts one of them again",
      (n, s) => (n === "a" && s === 40 ? block(n, s, s - 1) : undefined),
      105,
    ],
  ])("no time passes %s", (_name, deviates, until) => {
    const of = (node: string, second: number): Witness => deviates(node, second) ?? lied(node, second);
    expect([until - 5, until].map((second) => disbelieved(second, of))).toEqual([{ a: "outvoted" }, {}]);
  });

  test("two that were outvoted alike are no witnesses for each other", () => {
    // From 20 s on the others stand, too far behind to be compared with.
    const of = (node: string, second: number): Witness => {
      if (node !== "a" && node !== "b") return block(node, Math.min(second, 15), Math.min(second, 15));
      if (second < 20) return block(node, second, second - 1);
      return { ...block(node, second, second), height: BigInt(height(second) + 300) };
    };
    const five = ["a", "b", "c", "d", "e"];
    expect(disbelieved(300, of, five)).toEqual({ a: "outvoted", b: "outvoted" });
  });

  test("no time passes before a single one contradicts it that is not outvoted itself", () => {
    const of = (node: string, second: number): Witness => {
      if (second !== 40 || (node !== "a" && node !== "b")) return lied(node, second);
      return block(node, second - 1, node === "a" ? second - 1.5 : second - 1);
    };
    const five = ["a", "b", "c", "d", "e"];
    expect([100, 105].map((second) => disbelieved(second, of, five))).toEqual([{ a: "outvoted" }, {}]);
  });

  test("of two that were outvoted, one is believed again though the other goes on to contradict it", () => {
    const of = (node: string, second: number): Witness =>
      block(node, second, node === "a" && second === 0 ? -2 : node === "b" ? second - 1 : second);
    expect(disbelieved(100, of, ["a", "b", "c", "d", "e"])).toEqual({ b: "outvoted" });
  });

  test("of two that were outvoted one after the other, each is believed again", () => {
    const of = (node: string, second: number): Witness =>
      block(node, second, node === "a" && second === 0 ? -1 : node === "b" && second === 30 ? 29 : second);
    const again = (node: string, second: number): Witness =>
      node === "c" && second > 120 ? block(node, second, second - 1) : of(node, second);
    expect(disbelieved(125, again)).toEqual({ c: "outvoted" });
  });

  test("for twelve polls, where a minute has fewer", () => {
    const watch = new Watch();
    const seconds = Array.from({ length: 15 }, (_, round) => 15 * round);
    const beliefs = seconds.map((second) =>
      watch
        .round(
          second,
          NAMES.map((node) => lied(node, second)),
        )
        .nodes.some(({ disbelief }) => disbelief !== undefined),
    );
    expect(beliefs.lastIndexOf(true)).toBe(11);
  });

  test("with those that are outvoted themselves it agrees in vain", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const of = (node: string, second: number): Witness => {
      if (node === "a" || node === "b" || node === "c") return block(node, second, second - 1);
      return block(node, second, second);
    };
    const outvoted = { a: "outvoted", b: "outvoted", c: "outvoted" };
    expect(disbelieved(200, of, names)).toEqual(outvoted);
  });

  test("a clock that is behind stays so while most nodes stand, until one goes on that is not ahead", () => {
    const watch = new Watch();
    const doubted = (now: number, answers: readonly Witness[]) => {
      const { nodes } = watch.round(now, answers);
      return nodes.flatMap(({ node, disbelief }) => (disbelief === undefined ? [] : [node]));
    };
    const ahead = (now: number, ...stand: string[]) =>
      NAMES.map((node) => says(node, stand.includes(node) ? 80 : 80 + now));
    for (let now = -30; now <= 0; now += 5) expect(doubted(now, ahead(now))).toEqual([]);
    // Two of three are cut off: their time becomes the present, and then the past.
    for (let now = 5; now <= 200; now += 5) expect(doubted(now, ahead(now, "b", "c"))).toEqual([]);
    // One that says yet more than the clock is wrong by is ahead, though most others are.
    const far = (now: number) => [...ahead(now).slice(0, 2), says("c", now + 500)];
    for (let now = 205; now <= 230; now += 5) expect(doubted(now, far(now))).toEqual(["c"]);
    // One alone goes on at the present: the clock was set right.
    expect(doubted(310, [says("a", 310), says("b", 311), says("c", 80)])).toEqual([]);
    expect(doubted(312, [says("a", 310), says("b", 312), says("c", 392)])).toEqual(["c"]);
    // The clock is set right; what is as far ahead of it as before is not.
    expect(doubted(315, [says("a", 314), says("b", 314), says("c", 395)])).toEqual(["c"]);
  });

  test("a clock is as far behind in polls in which no node goes on", () => {
    const watch = new Watch();
    const doubted = [];
    for (let now = -30; now <= 70; now += 5) {
      // The one that goes on has a new block in every other poll.
      const answers = NAMES.map((node) =>
        says(node, 80 + (node === "a" ? Math.floor(now / 10) * 10 : Math.min(0, now))),
      );
      doubted.push(...watch.round(now, answers).nodes.filter(({ disbelief }) => disbelief !== undefined));
    }
    expect(doubted).toEqual([]);
  });

  test.each<[string, (node: string, now: number) => number]>([
    [
      "that catches up",
      (n, now) => (n === "a" ? Math.floor(now / 10) * 10 : n === "b" ? now / 2 - 60 : Math.min(0, now)),
    ],
    ["and one, of five", (n, now) => (n === "a" || n === "b" ? now : Math.min(0, now))],
    ["once the chain goes on", (n, now) => (n === "a" && now > 60 ? now : Math.min(0, now))],
  ])(
    "a clock is as far behind while most nodes stand, and believed is one that goes on, beside one %s",
    (name, said) => {
      const watch = new Watch();
      const names = name.endsWith("five") ? ["a", "b", "c", "d", "e"] : NAMES;
      const doubted = [];
      for (let now = -30; now <= 80; now += 5) {
        const { nodes } = watch.round(
          now,
          names.map((node) => says(node, 30 + said(node, now))),
        );
        doubted.push(
          ...nodes.filter(({ disbelief }) => disbelief !== undefined).map(({ node }) => `${node} at ${now}`),
        );
      }
      expect(doubted).toEqual([]);
    },
  );

  test("a clock that is set nearer to the present is behind by what is left", () => {
    const watch = new Watch();
    for (let now = -30; now <= 0; now += 5)
      watch.round(
        now,
        NAMES.map((node) => says(node, now + 600)),
      );
    const { nodes } = watch.round(605, [says("a", 635), says("b", 635), says("c", 905)]);
    expect(nodes.map(({ disbelief }) => disbelief)).toEqual([undefined, undefined, "ahead"]);
  });

  test("a clock is behind by what most nodes show that go on, not by one that falls back", () => {
    const watch = new Watch();
    const doubted = [];
    for (let now = -30; now <= 60; now += 5) {
      const answers = NAMES.map((node) => says(node, now + 80 - (node === "a" ? Math.max(0, now) * 0.5 : 0)));
      doubted.push(...watch.round(now, answers).nodes.filter(({ disbelief }) => disbelief !== undefined));
    }
    expect(doubted).toEqual([]);
  });

  test("after a halt with a clock that was behind, nodes that catch up are believed", () => {
    const watch = new Watch();
    const halted = (now: number) => NAMES.map((node) => says(node, 20 + Math.min(0, now)));
    for (let now = -30; now <= 600; now += 5) watch.round(now, halted(now));
    const doubted = [605, 610, 615].flatMap((now) =>
      watch
        .round(now, [says("a", now - 400), says("b", now - 400), says("c", 20)])
        .nodes.filter(({ disbelief }) => disbelief !== undefined),
    );
    expect(doubted).toEqual([]);
  });

  test("being ahead of the clock counts first, outvoted or not", () => {
    const lied = (node: string, second: number): Witness =>
      node === "a" && second > 5 ? says(node, second + 11) : block(node, second, node === "a" ? second - 1 : second);
    expect(disbelieved(10, lied)).toEqual({ a: "ahead" });
  });

  test("as long as a majority of the configured is left, not half of them", () => {
    const of = (silent: string, liars: readonly string[]) => (node: string, second: number) =>
      node === silent && second > 10 ? gone(node) : block(node, second, liars.includes(node) ? second - 1 : second);
    const four = of("d", ["a"]);
    expect([10, 25].map((second) => disbelieved(second, four, ["a", "b", "c", "d"]))).toEqual([{ a: "outvoted" }, {}]);
    const five = of("e", ["a", "b"]);
    const both = { a: "outvoted", b: "outvoted" };
    expect([10, 25].map((second) => disbelieved(second, five, ["a", "b", "c", "d", "e"]))).toEqual([both, {}]);
  });

  test("by half of them it is not outvoted, nor by those that are not believed themselves", () => {
    const half = (node: string, second: number): Witness =>
      node === "d" ? says(node, second) : block(node, second, node === "a" ? second - 1 : second);
    expect(disbelieved(5, half, ["a", "b", "c", "d"])).toEqual({});
    const future = (node: string, second: number): Witness => {
      if (node === "a" || node === "b") return says(node, second + 60, height(second) + 50);
      if (node === "c") return says(node, second - 1, height(second) + 60);
      return node === "d" || node === "e" ? honest(node, second) : says(node, second, height(second) + 5000);
    };
    expect(disbelieved(5, future, ["a", "b", "c", "d", "e", "f", "g"])).toEqual({ a: "ahead", b: "ahead" });
  });

  test("the own times of blocks are compared where all send them", () => {
    const without = new Watch().round(0, [block("a", 0, -1), honest("b", 0)]);
    expect(without.contradictions).toEqual([]);
  });

  test.each<[string, readonly string[], Record<string, Disbelief>]>([
    ["two against two settles nothing", ["a", "b", "c", "d"], {}],
    ["three outvote two", ["a", "b", "c", "d", "e"], { a: "outvoted", b: "outvoted" }],
  ])("%s", (_name, names, expected) => {
    const split = (node: string, second: number): Witness =>
      block(node, second, node === "a" || node === "b" ? second - 1 : second);
    expect(disbelieved(5, split, names)).toEqual(expected);
  });

  test.each<[string, ("on" | "ahead" | "off")[], number | undefined]>([
    ["each poll", ["ahead", "ahead"], 2],
    ["from the first one in a row", ["ahead", "ahead", "on", "ahead"], 1],
    ["none before it", ["on", "off", "ahead"], 1],
    ["past some that go unanswered", ["ahead", "ahead", "off", "off", "off", "ahead"], 3],
    ["anew past more", ["ahead", "ahead", "off", "off", "off", "off", "ahead"], 1],
  ])("counts %s in which it is not", (_name, deeds, count) => {
    const watch = new Watch();
    const counts = deeds.map((deed, index) => {
      const a = deed === "off" ? gone("a") : says("a", index * 5 + (deed === "ahead" ? 60 : 0));
      return watch.round(index * 5, [a, says("b", index * 5)]).nodes[0]?.disbelieved;
    });
    expect(counts.at(-1)).toBe(count);
  });
});

test("a node that is not believed moves nothing, and begins anew when it is believed again", () => {
  const watch = new Watch();
  watch.round(0, [says("a", 0), says("b", 0)]);
  const lied = watch.round(5, [says("a", 5), says("b", 3605)]);
  expect(lied.memory.frontier).toMatchObject({ time: at(0) });
  expect(lied.implausible).toEqual([{ node: "b", aheadMillis: 3_600_000 }]);
  expect(lied.nodes[1]).toMatchObject({ vote: "silent", disbelief: "ahead", disbelieved: 1 });
  expect(watch.round(10, [says("a", 10), says("b", 10)]).wentBack).toEqual([]);
  expect(watch.round(15, [says("a", 15), says("b", 15)]).nodes.map(({ vote }) => vote)).toEqual(["moves", "moves"]);
});
