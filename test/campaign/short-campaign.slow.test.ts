import { expect, test } from "vitest";

import { playScene } from "./scene.ts";

// The short form of `npm run campaign`: a stall and four kills, one of them between a message and its receipt, and one
// between an alert's picture and its arrival.
const PACE = { outages: ["stall"], longMillis: 2500, observeMillis: 2000, lastMillis: 100_000, reset: false };

test("killed while it delivers, the bot delivers everything, once and in order", { timeout: 280_000 }, async () => {
  const { faults, counts, reached, timeline } = await playScene(
    7,
    [{ at: "after sending", times: 1 }, { after: 900 }, { at: "picture drawn", times: 1 }, { after: 900 }],
    PACE,
  );
  // A failure shows the whole timeline.
  const report = faults.length === 0 ? [] : [...faults, ...timeline];
  expect(report).toEqual([]);
  expect(counts["checkpoints and snapshots"]).toBeGreaterThan(0);
  expect(counts["outages"]).toBeGreaterThan(0);
  expect(counts["pictures"]).toBeGreaterThan(0);
  expect([...reached]).toEqual(["after sending", "picture drawn"]);
});
