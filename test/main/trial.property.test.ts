import * as fc from "fast-check";
import { test } from "vitest";

import { runs } from "../support/runs.ts";
import { expectAsLive, expectListsAsLive, HOUR } from "./trial-worlds.ts";

test("a trial over kept looks has the episodes that the engine opened and closed, with their times and severities", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(100_000), fc.constantFrom(0, 7, 40), async (seed, failing) => {
      await expectAsLive(seed, 2, failing);
    }),
    runs(6),
  );
});

test("a subscription made after a trial tells what a trial over the time since then says", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(100_000), fc.constantFrom(0, 7, 40), async (seed, failing) => {
      await expectAsLive(seed, 1, failing, HOUR / 2);
    }),
    runs(10),
  );
});

test("the same of markets, checkpoints and snapshots", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
      await expectListsAsLive(seed);
    }),
    runs(40),
  );
});
