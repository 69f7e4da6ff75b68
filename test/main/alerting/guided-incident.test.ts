import { expect, onTestFinished, test } from "vitest";

import { guidedIncident } from "../../../src/main/alerting/guided-incident.ts";
import { FaultList } from "../../../src/simulator/faults/faults.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { Stage } from "../../alerts/stage.ts";

const START = 1_717_416_000_000;

async function setUp() {
  const stage = await Stage.open();
  onTestFinished(() => stage.close());
  let now = START;
  const store = { transaction: stage.store.transaction.bind(stage.store) };
  /** A process of its own: what it does not keep is gone with it. */
  const begin = () => {
    const faults = new FaultList(() => fromMillis(now));
    return { faults, incident: guidedIncident(faults, store, () => now) };
  };
  return { begin, pass: (millis: number) => (now += millis) };
}

test("a network stands still until it is set going, over a restart, since the same moment", async () => {
  const { begin, pass } = await setUp();
  const first = begin();
  await first.incident.resume();
  expect(first.incident.since("mainnet")).toBeUndefined();
  await first.incident.set("mainnet", true);
  pass(1000);
  await first.incident.set("mainnet", true);
  expect(first.incident.since("mainnet")).toBe(fromMillis(START));
  expect(first.incident.since("testnet")).toBeUndefined();

  const second = begin();
  await second.incident.resume();
  await second.incident.resume();
  expect(second.faults.list()).toMatchObject([{ kind: "stall", network: "mainnet", from: fromMillis(START) }]);
  await second.incident.set("mainnet", false);
  expect(second.faults.list()).toEqual([]);

  const third = begin();
  await third.incident.resume();
  expect(third.incident.since("mainnet")).toBeUndefined();
});

test("a restart keeps the standstills that are over, too: no block gets another number", async () => {
  const { begin, pass } = await setUp();
  const first = begin();
  for (const stalled of [true, false, true, false, true]) {
    await first.incident.set("mainnet", stalled);
    pass(60_500);
  }
  expect(first.faults.stalls("mainnet")).toHaveLength(3);
  const second = begin();
  await second.incident.resume();
  expect(second.faults.stalls("mainnet")).toEqual(first.faults.stalls("mainnet"));
  expect(second.faults.stalls("testnet")).toEqual([]);
});

test("what is wanted right after a restart holds, whatever was kept", async () => {
  const { begin } = await setUp();
  await begin().incident.set("mainnet", true);
  const second = begin();
  await second.incident.set("mainnet", false);
  await second.incident.resume();
  expect(second.faults.list()).toEqual([]);
});

test("it ends what somebody else began, whichever way, and leaves a single node's standstill alone", async () => {
  const { begin } = await setUp();
  const { faults, incident } = begin();
  faults.set({ kind: "stall" });
  faults.set({ kind: "stall", network: "mainnet", node: 2 });
  expect(incident.since("mainnet")).toBe(fromMillis(START));
  await incident.set("mainnet", false);
  expect(faults.list()).toMatchObject([{ node: 2 }]);
});

test("there are two networks, and no other", async () => {
  const { begin } = await setUp();
  await expect(begin().incident.set("devnet", true)).rejects.toThrow(RangeError);
  expect(begin().incident.since("devnet")).toBeUndefined();
});
