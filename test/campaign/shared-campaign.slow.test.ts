import { expect, onTestFinished, test } from "vitest";

import { postgresMissing, scratchPostgres } from "../support/postgres.ts";
import { playScene } from "./scene.ts";

// A form of `npm run campaign -- --processes 3`: three processes on one PostgreSQL, of which any may be killed, frozen or
// cut off at any time. Their clocks are 90 s apart, and the database goes back by some seconds.
const PACE = { outages: ["stall", "death of a node"], reset: false };

test.skipIf(postgresMissing !== undefined)(
  `three processes deliver everything, once and in order ${postgresMissing ?? ""}`,
  { timeout: 600_000 },
  async () => {
    const database = await scratchPostgres();
    onTestFinished(() => database.drop());
    const shared = { url: database.url, companions: 2, troubles: ["a failover", "a freeze"] as const };
    const kills = [
      { at: "after sending", times: 1 },
      { after: 900 },
      { at: "observation committed", times: 1 },
      { after: 2500 },
    ] as const;
    const { faults, counts, timeline } = await playScene(11, kills, { ...PACE, shared });
    // A failure shows the whole timeline.
    expect(faults.length === 0 ? [] : [...faults, ...timeline]).toEqual([]);
    expect(counts["checkpoints and snapshots"]).toBeGreaterThan(0);
    expect(counts["outages"]).toBeGreaterThan(0);
    expect(counts["failovers"]).toBe(1);
  },
);
