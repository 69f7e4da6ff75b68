import { expect, onTestFinished, test } from "vitest";

import { AlertsConfig } from "../../src/alerts/alerts-config.ts";
import type { ApiClient } from "../../src/api/api-client.ts";
import { ApiError } from "../../src/api/api-error.ts";
import { silentLog } from "../../src/log.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createWatchers } from "../../src/watchers/create-watchers.ts";
import { startSchedule } from "../../src/watchers/schedule.ts";
import type { Observation } from "../../src/watchers/schedule.ts";
import { clientOf } from "../api/client-under-test.ts";
import { VirtualClock } from "../api/virtual-clock.ts";
import { requestsUnderWay } from "./requests-under-way.ts";

const SECONDS = 62;
const PEOPLE = 100;

test("a hundred people who never stop asking cause no ban, and the watchers miss no observation", async () => {
  const clock = new VirtualClock();
  // As strict as a real node: 20 requests a second, a burst of 100, and a ban for those who go on.
  const simulator = await startSimulator({ now: () => clock.wallClock(), nodesPerNetwork: 1 });
  onTestFinished(() => simulator.close());
  const outcomes = new Map<string, number>();
  const api = clientOf(
    simulator.networks.testnet.map(({ url }) => url),
    {
      clock,
      network: "testnet",
      onRequest: ({ outcome }) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1),
    },
  );
  const settle = requestsUnderWay();
  const config = AlertsConfig.parse({});
  const seen: Observation[] = [];
  const { orders } = simulator.freshSamples("testnet");
  const schedule = startSchedule({
    api,
    watchers: createWatchers({ network: "testnet", nodes: 1, config, clock }),
    load: () => Promise.resolve(undefined),
    subjects: (_network, kind) => (kind === "order.final" ? Object.values(orders) : []),
    sink: (observation) => Promise.resolve(void seen.push(observation)),
    log: silentLog(),
    clock,
    random: () => 0.5,
  });
  onTestFinished(() => schedule.stop());
  const leave = new AbortController();
  const people = Array.from({ length: PEOPLE }, (_, person) => hammer(api, person, clock, leave.signal));

  for (let step = 0; step < SECONDS * 5; step += 1) {
    await clock.advance(200);
    await settle();
  }
  leave.abort(new Error("everybody goes home"));
  const counts = await Promise.all(people);

  expect([...outcomes.keys()].filter((outcome) => outcome === "http 429" || outcome === "http 403")).toEqual([]);
  const observations = (name: string): number => seen.filter(({ watcher }) => watcher.name === name).length;
  expect(seen.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect({
    sources: observations("sources"),
    checkpoints: observations("checkpoints"),
    markets: observations("markets"),
    orders: observations("orders"),
  }).toEqual({
    sources: 13,
    checkpoints: 5,
    markets: 2,
    orders: 2,
  });
  const blind = seen
    .flatMap(({ readings }) => readings)
    .filter(({ kind, state }) => kind === "watch.blind" && state !== "good");
  expect(blind).toEqual([]);
  // People got their share of the budget, and were told when to ask for the rest again.
  const answered = counts.reduce((sum, one) => sum + one.answered, 0);
  expect(answered).toBeGreaterThan(SECONDS * 8);
  expect(counts.reduce((sum, one) => sum + one.refused, 0)).toBeGreaterThan(0);
});

/** Asks something else each time, so that no answer can be shared. */
async function hammer(
  api: ApiClient,
  person: number,
  clock: VirtualClock,
  signal: AbortSignal,
): Promise<{ answered: number; refused: number }> {
  const counts = { answered: 0, refused: 0 };
  for (let turn = 0; !signal.aborted; turn += 1) {
    const id = (person * 1_000_000 + turn).toString(16).padStart(64, "0");
    try {
      await api.getOrder(id, undefined, { signal });
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof ApiError)) throw error;
      if (error.kind === "not-found") counts.answered += 1;
      else counts.refused += 1;
      if (error.kind !== "not-found") await clock.sleep(1000, signal).catch(() => undefined);
    }
  }
  return counts;
}
