import { expect, test } from "vitest";

import { playScene } from "./scene.ts";

// The short form of `npm run campaign`: a stall and two deaths, one of them between a message and its receipt.
const PACE = { outages: ["stall"], longMillis: 2500, looksMillis: 2000, lastMillis: 20_000, reset: false };

test("killed while it delivers, the bot tells everything, once and in order", { timeout: 240_000 }, async () => {
  const { faults, counts, reached, story } = await playScene(
    7,
    [{ at: "after sending", times: 1 }, { after: 900 }],
    PACE,
  );
  // A failure tells the whole story.
  const told = faults.length === 0 ? [] : [...faults, ...story];
  expect(told).toEqual([]);
  expect(counts["checkpoints and snapshots"]).toBeGreaterThan(0);
  expect(counts["outages"]).toBeGreaterThan(0);
  expect([...reached]).toEqual(["after sending"]);
});
