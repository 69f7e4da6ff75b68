import { expect, test } from "vitest";

import { expectAsLive, HOUR } from "./trial-worlds.ts";

/** So many worlds, of so many hours each. */
const WORLDS = 1000;
const HOURS = 2;
/** Each so-many-th look failed; 0: none did. */
const FAILING = [0, 7, 40] as const;

async function tryWorlds(count: number, hours: number, subscribed: number): Promise<number> {
  let episodes = 0;
  for (let seed = 1; seed <= count; seed += 1) {
    try {
      episodes += await expectAsLive(seed, hours, FAILING[seed % FAILING.length] ?? 0, subscribed);
    } catch (thrown) {
      throw new Error(`seed ${seed}`, { cause: thrown });
    }
  }
  return episodes;
}

test("1,000 worlds are tried as the engine lived through them", async () => {
  expect(await tryWorlds(WORLDS, HOURS, 0)).toBeGreaterThan(WORLDS);
}, 3_600_000);

test("in 200 worlds a subscription that is made later tells what a trial over the hours from then on says", async () => {
  expect(await tryWorlds(200, 4, 2 * HOUR)).toBeGreaterThan(200);
}, 3_600_000);
