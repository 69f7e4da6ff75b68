import * as fc from "fast-check";
import { expect } from "vitest";

import { judge, type Befallen } from "./invariant-laws.ts";
import { move, World } from "./invariant-world.ts";

/**
 * Plays so many random scripts in a small world in which everything may go wrong at any time, and holds each to the
 * laws. Rejects with the first script that breaks one; gives what befell in all of them.
 */
export async function holdInvariant(runs: number): Promise<Befallen> {
  const befallen: Befallen = {
    episodes: 0,
    losses: 0,
    toldAfterAll: 0,
    held: 0,
    released: 0,
    flapping: 0,
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
          await world.settle();
          const { engine, store } = world.stage;
          expect(await engine.openEpisodes()).toEqual([]);
          expect(await store.transaction(({ alerts }) => alerts.outbox.depth())).toEqual([]);
          expect(await judge(world, befallen)).toEqual([]);
        } finally {
          await world.stage.close();
        }
      },
    ),
    { numRuns: runs },
  );
  return befallen;
}
