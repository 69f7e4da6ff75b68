import { expect, test } from "vitest";

import { liveThrough, replayed } from "./replay-worlds.ts";

const WORLDS = 1000;
/** Every so many looks one fails; 0: none. */
const FAILING = [0, 7, 40];

test("kept looks of a thousand worlds give every change that was decided, and no other", async () => {
  let changes = 0;
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const world = liveThrough(seed, 1, FAILING[seed % FAILING.length] ?? 0);
    expect(await replayed(world.looks, world.settings), `world ${seed}`).toEqual(world.decided);
    changes += world.decided.length;
  }
  expect(changes).toBeGreaterThan(WORLDS);
}, 900_000);
