import { describe, it } from "vitest";

import { checkInvariant } from "./invariant.ts";

describe("whatever happens", () => {
  it("each destination is notified of each episode once, and of its end if and only if it was notified of it", async () => {
    await checkInvariant(2);
  }, 60_000);
});
