import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ThinLane, ThinLine } from "../../src/chart/thin.ts";
import { DAY } from "../support/kept-looks.ts";
import { runs } from "../support/runs.ts";

const EVERY = 5000;
const MONTH = { from: 0, to: 30 * DAY };
const LOOKS = MONTH.to / EVERY;

describe("of the 518,400 looks of a month", () => {
  test("a single bad one is seen in its lane, and the lane has few parts", () => {
    const lane = new ThinLane(MONTH);
    for (let look = 0; look < LOOKS; look += 1)
      lane.add(look * EVERY, (look + 1) * EVERY, look === 123_456 ? "stands" : "moves");
    const parts = lane.parts();
    expect(parts.map(({ state }) => state)).toEqual(["moves", "stands", "moves"]);
    // Narrower than what is drawn, and said with its own length.
    expect(parts[1]).toMatchObject({ from: 123_456 * EVERY, to: 123_457 * EVERY });
    expect(lane.lengths.get("stands")).toBe(EVERY);
  });

  test("one that changes at every look has few parts too, and its worst state is never hidden", () => {
    const lane = new ThinLane(MONTH);
    for (let look = 0; look < LOOKS; look += 1000)
      lane.add(look * EVERY, (look + 1000) * EVERY, look % 2000 === 0 ? "stands" : "moves");
    const parts = lane.parts();
    expect(parts.length).toBeLessThanOrEqual(130);
    expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([MONTH.from, MONTH.to]);
    expect(new Set(parts.map(({ state }) => state))).toContain("stands");
  });

  test("a single peak, and a single dip, are points of their line", () => {
    const line = new ThinLine(MONTH);
    for (let look = 0; look < LOOKS; look += 1)
      line.add(look * EVERY, look === 777 ? 9 : look === 400_000 ? -9 : 1, (look + 1) * EVERY);
    const points = line.runs().flat();
    expect(points).toContainEqual([777 * EVERY, 9]);
    expect(points).toContainEqual([400_000 * EVERY, -9]);
    expect(points.length).toBeLessThan(1210);
  });
});

test("where nobody looked a line ends, and another run begins", () => {
  const line = new ThinLine({ from: 0, to: 400 });
  for (let at = 0; at <= 400; at += 10) if (at < 100 || at > 300) line.add(at, at, at + 10);
  expect(line.runs().map((run) => [run[0]?.[0], run.at(-1)?.[0]])).toEqual([
    [0, 90],
    [310, 400],
  ]);
});

test("whatever was seen, the least and the greatest value of a line survive, with what was kept of them", () => {
  const value = fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: -50, max: 50 }));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 200 }), (all) => {
      const line = new ThinLine({ from: 0, to: 1000 }, 7);
      for (const [at, one] of all.toSorted(([a], [b]) => a - b)) line.add(at, one, at, `${one}.0`);
      const [points, rows] = [line.runs().flat(), line.rows()];
      const values = all.map(([, one]) => one);
      for (const extreme of [Math.min(...values), Math.max(...values)]) {
        expect(points.map(([, one]) => one)).toContain(extreme);
        expect(rows.flatMap(({ least, most }) => [least.text, most.text])).toContain(`${extreme}.0`);
      }
      expect(points.at(-1)?.[0]).toBe(Math.max(...all.map(([at]) => at)));
      expect(points.map(([at]) => at)).toEqual(points.map(([at]) => at).toSorted((a, b) => a - b));
    }),
    runs(50),
  );
});
