import { expect, test } from "vitest";

import type { Verdict, Witness } from "../../../src/api/verdict/verdict.ts";
import { at, gone, play, says, type Script, Watch } from "./watch.ts";

const first = (...witnesses: readonly Witness[]): Verdict => new Watch().round(0, witnesses);
const after = (seconds: number, script: Script): Verdict => play(script, seconds).get(seconds)!;
const silent = (count: number): Script =>
  Object.fromEntries(["p", "q", "r", "s", "t"].slice(0, count).map((node) => [node, [[-15, "off"]]]));
const answers = (node: string, foreign = false): Witness => ({
  node,
  reachable: false,
  answered: true,
  ...(foreign ? { foreign: true } : {}),
});
const useless = (node: string): Witness => ({ node, reachable: true });
const odd = (seconds: number): Witness => says("a", seconds, 10_000);

/** The time of one node runs while its block stands, until it is not believed; the other one goes on, and ends so. */
function withOdd(other?: Witness): Verdict {
  const watch = new Watch();
  const b = (seconds: number): Witness[] => (other === undefined ? [] : [says("b", seconds)]);
  for (let seconds = 0; seconds < 35; seconds += 5) watch.round(seconds, [odd(seconds), ...b(seconds)]);
  return watch.round(35, [odd(35), ...(other === undefined ? [] : [other])]);
}

const block = (node: string, seconds: number): Witness => ({ ...says(node, 0, 77), blockTime: at(seconds) });
const still: Script[string] = [[0, "still"]];
const late: Script[string] = [[-15, "-120"]];

const VERDICTS: Readonly<Record<string, () => Verdict>> = {
  "it advances": () => after(10, { a: [] }),
  "it advanced": () => after(10, { a: still }),
  "a first poll, ahead": () => first(says("a", 1)),
  "a first poll, in the present": () => first(says("a", 0)),
  "a first poll, near": () => first(says("a", -20)),
  "a first poll, old": () => first(says("a", -600)),
  "a first poll, few": () => first(says("a", -600), gone("b")),
  "a first poll, few of five": () => first(says("a", -600), says("b", -600), gone("c"), gone("d"), gone("e")),
  "one against one": () => after(40, { a: [], b: still }),
  "two against two": () => after(40, { a: [], b: [], c: still, d: still, ...silent(3) }),
  "one unconfirmed": () => after(40, { a: [], b: [[0, "off"]], c: [[0, "off"]] }),
  "two unconfirmed": () => after(40, { a: [], b: [], ...silent(5) }),
  "nobody looked": () => {
    const watch = new Watch();
    for (const seconds of [0, 5]) watch.round(seconds, [says("a", seconds)]);
    return watch.round(3600, [says("a", 5)]);
  },
  "a stall": () => after(40, { a: still }),
  "a stall of a chain that is 10 s back": () => after(40, { a: [[-15, "-10"], ...still] }),
  "a stall of a chain that is 11 s back": () => after(40, { a: [[-15, "-11"], ...still] }),
  "two catch up behind one that stands": () => after(40, { a: still, b: late, c: late }),
  "one catches up behind one that stands": () => after(40, { a: still, b: late, c: [[-15, "off"]] }),
  "one catches up behind two that stand, of seven": () => after(40, { a: still, b: still, c: late, ...silent(4) }),
  "two catch up behind none": () =>
    after(60, {
      a: [[40, "off"]],
      b: late,
      c: [[-15, "-120"]],
    }),
  "one node, silent": () => first(gone("a")),
  "two nodes, silent": () => first(gone("a"), gone("b")),
  "one node, no data node": () => first(answers("a", true)),
  "two nodes, no data nodes": () => first(answers("a", true), answers("b", true)),
  "two nodes, one no data node": () => first(answers("a", true), gone("b")),
  "one node, of no use": () => first(answers("a")),
  "one node without a time": () => first(useless("a")),
  "two nodes, one of no use": () => first(answers("a"), gone("b")),
  "two nodes, one without a time": () => first(useless("a"), gone("b")),
  "two nodes, one ahead": () => first(says("a", 60), gone("b")),
  "two nodes, both ahead": () => first(says("a", 60), says("b", 90)),
  "one node at odds": () => withOdd(),
  "two nodes, one at odds and one ahead": () => withOdd(says("b", 3600)),
  "two nodes, one at odds and one silent": () => withOdd(gone("b")),
  "two contradict each other": () => first(block("a", 0), block("b", -1)),
  "three contradict each other": () => first(block("a", 0), block("b", -1), block("c", -2)),
  "two contradict each other, a third does not": () => first(block("a", 0), block("b", -1), says("c", 0)),
  "one is outvoted": () => first(block("a", -1), block("b", 0), block("c", 0)),
  "one lags": () => after(80, { a: [], b: [], c: still }),
  "one lags in blocks": () => first(says("a", 0, 1000), says("b", -1, 899)),
  "one lags and contradicts": () =>
    first({ ...says("a", 0, 77), blockTime: at(0) }, { ...says("b", -70, 77), blockTime: at(-1) }),
};

test("what is said of a network and its nodes, word for word", () => {
  const words = Object.entries(VERDICTS).map(([name, verdict]) => {
    const { why, nodes } = verdict();
    const notes = nodes.flatMap((one) => (one.why === undefined ? [] : [`${one.node}: ${one.why}`]));
    return [name, notes.length === 0 ? why : [why, ...notes]];
  });
  expect(Object.fromEntries(words)).toMatchSnapshot();
});
