import { expect, test } from "vitest";

import { DELIVERY_STEPS } from "../../src/alerts/dependencies.ts";
import { Dice } from "./chance.ts";
import type { Death } from "./lives.ts";
import { playScene } from "./scene.ts";

test("killed at every step and at eight random moments, the bot loses and doubles nothing", async () => {
  const seed = Math.trunc(Math.random() * 1e9);
  const dice = new Dice(seed);
  const deaths = dice.shuffled<Death>([
    ...DELIVERY_STEPS.map((at) => ({ at, times: 1 })),
    ...Array.from({ length: 8 }, () => ({ after: Math.round(dice.between(50, 4000)) })),
  ]);
  const { faults, story } = await playScene(seed, deaths);
  // A failure tells the whole story.
  const told = faults.length === 0 ? [] : [...faults, `seed ${seed}`, ...story];
  expect(told).toEqual([]);
});
