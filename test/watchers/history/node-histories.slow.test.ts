import { test } from "vitest";

import type { FaultRequest } from "../../../src/simulator/faults/faults.ts";
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
])("while %s, nothing diverges in three hours", (_name, faults, least) => neverDiverges(faults, least));
