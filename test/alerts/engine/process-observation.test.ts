import { expect, it } from "vitest";

import { createAlertEngine } from "../../../src/alerts/engine/engine.ts";
import { silentLog } from "../../../src/log.ts";
import type { Store } from "../../../src/store/store.ts";
import { openStage } from "../stage.ts";

it.each([
  ["stored at once", 10, ["stored", "others"]],
  ["stored after others had their turn, where it is large", 10_000_000, ["others", "stored"]],
])("an observation is %s", async (_when, length, expected) => {
  const { store: stored, config, clock } = await openStage();
  const order: string[] = [];
  const store: Pick<Store, "transaction"> = {
    transaction(work) {
      order.push("stored");
      return stored.transaction(work);
    },
  };
  const engine = createAlertEngine({ store, config, clock, log: silentLog(), simulated: new Set() });
  const watcher = { name: "w", every: 5000 };
  const snapshot = "x".repeat(length);
  const others = new Promise<void>((resolve) => {
    setImmediate(() => {
      order.push("others");
      resolve();
    });
  });
  const at = clock.wallClock();
  await engine.processObservation({ network: "mainnet", watcher, snapshot, readings: [], events: [], at });
  await others;
  expect(order.slice(0, 2)).toEqual(expected);
});
