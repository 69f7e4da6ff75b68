import { describe, expect, test } from "vitest";

import type { Verdict, Witness } from "../../../src/api/verdict/verdict.ts";
import { at, gone, NAMES, says, Watch } from "./watch.ts";

describe("two nodes that contradict each other about one block", () => {
  test("make the network blind, are named, and move no frontier", () => {
    const watch = new Watch();
    watch.round(0, [says("a", 0, 10), says("b", 0, 10), says("c", 0, 10)]);
    const verdict = watch.round(5, [says("a", 5, 17), says("b", 4, 17), says("c", 5, 17)]);
    expect(verdict).toMatchObject({ network: "blind", frontier: { time: at(0) } });
    expect(verdict.contradictions).toEqual([
      {
        height: 17n,
        says: [
          { node: "a", time: at(5) },
          { node: "b", time: at(4) },
          { node: "c", time: at(5) },
        ],
      },
    ]);
    expect(verdict.why).toContain("block 17");
    expect(watch.round(10, [says("a", 10, 24), says("b", 10, 24), says("c", 10, 24)]).network).toBe("healthy");
  });

  test("are judged by the block's own time where both send it", () => {
    const witness = (node: string, seconds: number, block: number): Witness => ({
      ...says(node, seconds, 17),
      blockTime: at(block),
    });
    const round = (a: Witness, b: Witness): Verdict => new Watch().round(0, [a, b]);
    expect(round(witness("a", 0, -1), witness("b", -1, -1)).contradictions).toEqual([]);
    expect(round(witness("a", 0, -1), witness("b", 0, -2)).contradictions).toHaveLength(1);
  });

  test("do not when the liar is known by its clock", () => {
    const verdict = new Watch().round(0, [says("a", 0, 17), says("b", 3600, 17)]);
    expect(verdict).toMatchObject({ network: "healthy", contradictions: [] });
  });
});

describe("nodes disagree", () => {
  /** b and c stop at 0; a goes on until `end`. */
  function split(end: number, stopped = ["b", "c"]): Verdict {
    const watch = new Watch();
    let verdict = watch.round(-5, [says("a", -5), says("b", -5), says("c", -5)]);
    for (let seconds = 0; seconds <= end; seconds += 5) {
      verdict = watch.round(
        seconds,
        NAMES.map((node) => says(node, stopped.includes(node) ? 0 : seconds)),
      );
    }
    return verdict;
  }

  test("when a majority has stood still for three minutes while a minority went on", () => {
    expect(split(175).disagree).toBeUndefined();
    expect(split(180)).toMatchObject({
      network: "healthy",
      disagree: { advancing: ["a"], standing: ["b", "c"], forMillis: 180_000 },
    });
  });

  test("but not when only a minority stands still", () => {
    expect(split(300, ["b"]).disagree).toBeUndefined();
  });

  test("nor when as many go on as stand still", () => {
    const watch = new Watch();
    let verdict = watch.round(-5, [says("a", -5), says("b", -5)]);
    for (let seconds = 0; seconds <= 300; seconds += 5)
      verdict = watch.round(seconds, [says("a", seconds), says("b", 0)]);
    expect(verdict.nodes.map((node) => node.state)).toEqual(["ok", "lagging"]);
    expect(verdict.disagree).toBeUndefined();
  });

  test("nor when the minority only catches up behind those that stand still", () => {
    const watch = new Watch();
    let verdict = watch.round(-5, [says("a", -2000), says("b", -5), says("c", -5)]);
    for (let seconds = 0; seconds <= 400; seconds += 5) {
      verdict = watch.round(seconds, [says("a", 4 * seconds - 1990), says("b", 0), says("c", 0)]);
    }
    expect(verdict.network).toBe("stalled");
    expect(verdict.disagree).toBeUndefined();
  });

  test("nor when nodes start again one after the other after a halt", () => {
    const watch = new Watch();
    for (const seconds of [-5, 0])
      watch.round(
        seconds,
        NAMES.map((node) => says(node, seconds)),
      );
    for (let seconds = 5; seconds < 600; seconds += 5)
      watch.round(
        seconds,
        NAMES.map((node) => says(node, 0)),
      );
    const verdict = watch.round(600, [says("a", 600), says("b", 0), says("c", 0)]);
    expect(verdict.network).toBe("healthy");
    expect(verdict.disagree).toBeUndefined();
  });

  test("nor by the time in which the majority contradicted itself", () => {
    const watch = new Watch();
    const rounds = (from: number, until: number, b: Witness, c: Witness): Verdict => {
      let verdict = watch.round(from, [says("a", from), b, c]);
      for (let seconds = from + 5; seconds <= until; seconds += 5) {
        verdict = watch.round(seconds, [says("a", seconds), b, c]);
      }
      return verdict;
    };
    const block = (node: string, made: number): Witness => ({ ...says(node, 0, 7), blockTime: at(made) });
    rounds(-5, 100, says("b", 0), says("c", 0));
    expect(rounds(105, 300, block("b", -1), block("c", -2)).network).toBe("blind");
    expect(rounds(305, 370, says("b", 0), says("c", 0)).disagree).toBeUndefined();
    expect(rounds(375, 390, says("b", 0), says("c", 0)).disagree).toBeDefined();
  });

  test("nor once those that stood still are gone", () => {
    const watch = new Watch();
    for (let seconds = -5; seconds <= 200; seconds += 5)
      watch.round(seconds, [says("a", seconds), says("b", 0), says("c", 0)]);
    expect(watch.round(205, [says("a", 205), says("b", 0), gone("c")]).disagree).toBeUndefined();
    expect(watch.round(210, [says("a", 210), says("b", 0), says("c", 0)]).disagree).toBeDefined();
  });

  test("nor by the time in which the others could not be seen", () => {
    const watch = new Watch();
    for (const seconds of [-5, 0])
      watch.round(
        seconds,
        NAMES.map((node) => says(node, seconds)),
      );
    for (let seconds = 5; seconds < 600; seconds += 5) watch.round(seconds, [says("a", seconds), gone("b"), gone("c")]);
    const verdict = watch.round(600, [says("a", 600), says("b", 0), says("c", 0)]);
    expect(verdict.disagree).toBeUndefined();
    expect(verdict.nodes.map((node) => node.state)).toEqual(["ok", "lagging", "lagging"]);
  });
});
