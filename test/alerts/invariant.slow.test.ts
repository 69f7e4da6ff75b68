import { describe, expect, it } from "vitest";

import { checkInvariant } from "./invariant.ts";

describe("whatever happens, hundreds of times", () => {
  it("each destination is notified of each episode once, and of its end if and only if it was notified of it", async () => {
    const { episodes, losses, sentAfterDeadLetter, held, released, flapping, grouped, refusals } =
      await checkInvariant(300);
    // Each law had something to judge.
    expect(
      Math.min(episodes, losses, sentAfterDeadLetter, held, released, flapping, grouped, refusals),
    ).toBeGreaterThan(0);
  });
});
