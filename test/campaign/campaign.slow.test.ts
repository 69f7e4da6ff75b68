import { expect, test } from "vitest";

import { DELIVERY_STEPS } from "../../src/alerts/dependencies.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Kill } from "./bot-runs.ts";
import { playScene } from "./scene.ts";

test("killed at every step and at eight random moments, the bot loses and doubles nothing", async () => {
  const seed = Math.trunc(Math.random() * 1e9);
  const random = new SeededRandom(seed);
  const kills = random.shuffled<Kill>([
    ...DELIVERY_STEPS.map((at) => ({ at, times: 1 })),
    ...Array.from({ length: 8 }, () => ({ after: Math.round(random.between(50, 4000)) })),
  ]);
  const { faults, timeline } = await playScene(seed, kills);
  // A failure shows the whole timeline.
  const report = faults.length === 0 ? [] : [...faults, `seed ${seed}`, ...timeline];
  expect(report).toEqual([]);
});
