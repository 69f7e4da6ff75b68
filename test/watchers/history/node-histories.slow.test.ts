import { expect, test } from "vitest";

import type { FaultRequest } from "../../../src/simulator/faults/faults.ts";
import { checkpointsWatcher, rotationsWatcher, snapshotsWatcher } from "../../../src/watchers/history/lists.ts";
import { simulatedNetwork } from "../simulated-network.ts";
import { neverDiverges } from "./compared.ts";

test.each<[string, readonly FaultRequest[], number]>([
  ["nothing happens", [], 36],
  [
    "one keeps fewer rows, and another none",
    [
      { kind: "prune", node: 1, seconds: 900 },
      { kind: "prune", node: 2, seconds: 0 },
    ],
    20,
  ],
  ["all list their rows in another order each time, and some twice", [{ kind: "disorder" }], 36],
  [
    "one lags, another stands still",
    [
      { kind: "lag", node: 2, seconds: 600 },
      { kind: "stall", node: 3 },
    ],
    24,
  ],
  [
    "they fail in turn",
    [
      { kind: "die", node: 1, forSeconds: 600 },
      { kind: "garbage", node: 2, forSeconds: 300 },
      { kind: "server-error", node: 3 },
    ],
    20,
  ],
  ["the core is upgraded", [{ kind: "upgrade", forSeconds: 120, version: "v0.74.9" }], 36],
])("while %s, nothing diverges in three hours", (_name, faults, least) => neverDiverges(faults, least));

test("lists in disorder and with rows twice are read as they are: each row is told once", async () => {
  const { simulator, pass, watch, network, config } = await simulatedNetwork();
  const options = { network, nodes: 3, config };
  const lists = [checkpointsWatcher(options), snapshotsWatcher(options), rotationsWatcher(options)].map((one) =>
    watch(one as never),
  );
  const told: string[] = [];
  simulator.faults.set({ kind: "disorder" });
  for (let count = 0; count < 24; count += 1) {
    for (const one of lists) told.push(...(await one.observe()).events.map(({ kind, key }) => `${kind} ${key}`));
    await pass(300);
  }
  expect(told.length).toBeGreaterThan(120);
  expect(new Set(told).size).toBe(told.length);
  expect(told.filter((one) => one.startsWith("history."))).toEqual([]);
});
