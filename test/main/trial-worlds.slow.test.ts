import { expect, test } from "vitest";

import { expectAsLive } from "./trial-worlds.ts";

/** So many worlds, of so many hours each. */
const WORLDS = 1000;
const HOURS = 1;
/** Each so-many-th look failed; 0: none did. */
const FAILING = [0, 7, 40] as const;

test("1,000 worlds are tried as the engine lived through them", async () => {
  let episodes = 0;
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    episodes += await expectAsLive(seed, HOURS, FAILING[seed % FAILING.length] ?? 0);
  }
  expect(episodes).toBeGreaterThan(WORLDS);
}, 3_600_000);
