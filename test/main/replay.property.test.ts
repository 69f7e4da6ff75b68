import * as fc from "fast-check";
import { expect, test } from "vitest";

import { CHANGES } from "../../src/alerts/judge/rules/state-machine.ts";
import type { Look } from "../../src/looks/look.ts";
import { changeOf } from "../../src/main/replay.ts";
import { runs } from "../support/runs.ts";
import { liveThrough, NETWORK, replayed } from "./replay-worlds.ts";

test("kept looks that are judged again give every change that was decided, and no other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(100_000), fc.constantFrom(0, 7, 40), async (seed, failing) => {
      const { looks, decided, settings } = liveThrough(seed, 1, failing);
      expect(await replayed(looks, settings)).toEqual(decided);
    }),
    runs(10),
  );
});

test("each change of a condition is read out of its decision, and nothing else is one", () => {
  const read = (what: string) => changeOf({ what, episode: `market.price{high=5}|${NETWORK}|m1|2` }, NETWORK, 7);
  expect(CHANGES.map((one) => read(one))).toEqual(
    CHANGES.map((change) => ({ at: 7, change, rule: "market.price{high=5}", subject: "m1" })),
  );
  expect(CHANGES).toContain("surpassed");
  expect(read("seen")).toBeUndefined();
});

test("a look that differs shows as a difference", async () => {
  for (let seed = 1; ; seed += 1) {
    const { looks, decided, settings } = liveThrough(seed, 1, 0);
    if (!decided.some(({ change }) => change === "fired")) continue;
    const calm = looks.map((look): Look => ({ ...look, seen: look.seen === undefined ? {} : (looks[0]?.seen ?? {}) }));
    expect(await replayed(calm, settings)).not.toEqual(decided);
    return;
  }
});
