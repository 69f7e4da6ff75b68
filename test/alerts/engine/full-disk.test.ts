import { expect, test } from "vitest";

import { createAlertEngine } from "../../../src/alerts/engine/engine.ts";
import { StorageError } from "../../../src/errors.ts";
import type { Log } from "../../../src/log.ts";
import type { TransactionTables } from "../../../src/store/store.ts";
import { stalled } from "../readings.ts";
import { openStage } from "../stage.ts";

const LOOK = { network: "mainnet", watcher: "w" };

test("on a full disk an observation is stored without its look, and that is said once an hour", async () => {
  const stage = await openStage();
  let isFull = true;
  const warned: string[] = [];
  const write = (_: object, event: string): void => void warned.push(event);
  const log: Log = { debug: write, info: write, warn: write, error: write, fatal: write };
  const withoutRoom = (tables: TransactionTables): TransactionTables => {
    const { watch } = tables.alerts;
    const putSnapshot: typeof watch.putSnapshot = (network, watcher, at, data, look) => {
      if (isFull && look !== undefined) throw new StorageError("full", { title: "full", isFull: true });
      return watch.putSnapshot(network, watcher, at, data, look);
    };
    return { ...tables, looks: tables.looks, alerts: { ...tables.alerts, watch: { ...watch, putSnapshot } } };
  };
  const engine = createAlertEngine({
    store: { transaction: (work) => stage.store.transaction((tables) => work(withoutRoom(tables))) },
    config: stage.config,
    clock: stage.clock,
    log,
    simulated: new Set(),
  });
  const see = async (look: string) => {
    const at = stage.clock.wallClock();
    const watcher = { name: "w", every: 5000 };
    const found = { readings: [stalled("bad")], events: [], snapshot: { look }, at, look };
    await engine.processObservation({ network: "mainnet", watcher, ...found });
    await stage.clock.advance(5000);
  };
  for (const look of ["1", "2"]) await see(look);
  await stage.clock.advance(3_600_000);
  await see("3");
  isFull = false;
  await see("4");
  const { snapshot, tail } = await stage.store.read(async ({ alerts, looks }) => ({
    snapshot: await alerts.watch.snapshot("mainnet", "w"),
    tail: await looks.tail(LOOK, 10),
  }));
  expect(snapshot?.data).toBe('{"look":"4"}');
  expect(tail.map(({ number, data }) => [number, data])).toEqual([[1, "4"]]);
  expect(warned).toEqual(["look not kept", "look not kept"]);
  expect(await engine.openEpisodes()).toHaveLength(1);
});
