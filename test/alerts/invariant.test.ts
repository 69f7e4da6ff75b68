import { describe, it } from "vitest";

import { holdInvariant } from "./invariant.ts";

describe("whatever happens", () => {
  it("each destination is told of each episode once, and of its end if and only if it was told of it", async () => {
    await holdInvariant(12);
  }, 60_000);
});
