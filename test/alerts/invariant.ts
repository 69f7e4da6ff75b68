import * as fc from "fast-check";
import { expect } from "vitest";

import { judge, type Counts } from "./invariant-laws.ts";
import { move, World } from "./invariant-world.ts";

/**
 * Plays random scripts in a small world in which everything may fail at any time, and checks each against the laws.
 * Rejects with the first script that breaks one; returns the counts of all of them.
 */
export async function checkInvariant(runs: number): Promise<Counts> {
  const counts: Counts = {
    episodes: 0,
    losses: 0,
    sentAfterDeadLetter: 0,
    held: 0,
    released: 0,
    flapping: 0,
    grouped: 0,
    refusals: 0,
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 3, maxLength: 25 }),
      fc.constantFrom(1, 250),
      async (script, chunkRows) => {
        const world = await World.create(chunkRows);
        try {
          for (const one of script) await world.play(one);
          await world.recover();
          const { engine, store } = world.stage;
          expect(await engine.openEpisodes()).toEqual([]);
          expect(await store.transaction(({ alerts }) => alerts.outbox.depth())).toEqual([]);
          expect(await judge(world, counts)).toEqual([]);
        } finally {
          await world.stage.close();
        }
      },
    ),
    { numRuns: runs },
  );
  return counts;
}
