import type { AlertEngine } from "../../src/alerts/engine/engine.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import { systemClock } from "../../src/api/clock.ts";
import { down } from "../alerts/readings.ts";
import type { Talk } from "./talk.ts";

/** Observations of a watcher 5 s apart, with the upkeep in between. */
export async function see(
  talk: Talk,
  count: number,
  readings: readonly Reading[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const network = "mainnet";
  for (let round = 0; round < count; round += 1) {
    const watcher = { name: "sources", every: 5000 };
    await talk.engine.processObservation({
      network,
      watcher,
      snapshot: { ...SNAPSHOT, ...more },
      readings,
      events: [],
      at: talk.now(),
    });
    talk.advance(5000);
    await talk.engine.upkeep();
  }
}

/** An observation at this moment. */
export async function seeNow({ engine }: { readonly engine: AlertEngine }, ...readings: Reading[]): Promise<void> {
  const watcher = { name: "sources", every: 5000 };
  const at = systemClock.wallClock();
  await engine.processObservation({ network: "mainnet", watcher, snapshot: {}, readings, events: [], at });
}

/** Observations of node a:1 until the alert that it is down fires. */
export async function seeDown(alerting: { readonly engine: AlertEngine }): Promise<void> {
  for (const state of ["good", "bad", "bad", "bad"] as const) await seeNow(alerting, down(state));
}

const SNAPSHOT = {
  round: {
    witnesses: [
      { node: "a:1", reachable: true, height: "1200" },
      { node: "b:1", reachable: false },
    ],
  },
};
