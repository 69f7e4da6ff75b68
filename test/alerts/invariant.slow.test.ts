import { describe, expect, it } from "vitest";

import { holdInvariant } from "./invariant.ts";

describe("whatever happens, hundreds of times", () => {
  it("each destination is told of each episode once, and of its end if and only if it was told of it", async () => {
    const { episodes, losses, toldAfterAll, held, released, flapping, refusals } = await holdInvariant(400);
    // Each law had something to judge.
    expect(Math.min(episodes, losses, toldAfterAll, held, released, flapping, refusals)).toBeGreaterThan(0);
  });
});
