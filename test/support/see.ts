import type { Reading } from "../../src/alerts/kinds/reading.ts";
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

const SNAPSHOT = {
  round: {
    witnesses: [
      { node: "a:1", reachable: true, height: "1200" },
      { node: "b:1", reachable: false },
    ],
  },
};
