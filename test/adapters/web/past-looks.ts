import type { OneLook, PastLooks } from "../../../src/adapters/web/looks.ts";
import type { LaneState } from "../../../src/reply/chart.ts";
import { HOUR, MINUTE } from "../../support/kept-looks.ts";

const STATES: readonly LaneState[] = ["moves", "stands", "silent", "lags", "doubted", "moves"];

/** A day until now, with a node for each state and an alert that is over. */
export function pastUntilNow(): PastLooks {
  const to = Date.now();
  const from = to - 24 * HOUR;
  const [began, ended] = [to - 9 * HOUR, to - 8 * HOUR];
  const ages = Array.from({ length: 96 }, (_, at): [number, number] => {
    const moment = from + at * 15 * MINUTE;
    return [moment, moment >= began && moment <= ended ? 95_123 : 1234];
  });
  return {
    network: "mainnet",
    from,
    to,
    first: to - 9 * 24 * HOUR,
    partMillis: (24 * HOUR) / 400,
    scene: {
      title: "mainnet stood still for 1 h",
      from,
      to,
      zone: "UTC",
      simulated: true,
      note: "6 others kept up",
      lanes: STATES.map((state, at) => ({
        name: `node-${at + 1}`,
        parts: [
          { from, to: began, state: "moves" },
          { from: began, to: ended, state },
          { from: ended, to, state: "moves" },
        ],
      })),
      unit: "duration",
      lines: [{ name: "age of network time", runs: [ages] }],
      thresholds: [{ name: "told after 30 s", value: 30_000 }],
      bands: [],
      marks: [],
    },
    alt: "mainnet stood still for 1 h. node-2 stood still for 1 h.",
    alerts: [
      {
        episode: "network.stalled|mainnet||1",
        kind: "network.stalled",
        severity: "critical",
        what: "mainnet makes no block",
        from: began,
        to: ended,
      },
    ],
    moreAlerts: 2,
  };
}

export const NOTHING_KEPT: PastLooks = {
  network: "testnet",
  from: 0,
  to: 1,
  partMillis: 1,
  nothing: "Nothing is kept of testnet.",
  alerts: [],
};

export function someLook(at: number): OneLook {
  return {
    at,
    ageMillis: 1234,
    nodes: STATES.map((state, index) => ({
      node: `node-${index + 1}`,
      state,
      ...(state === "silent"
        ? { why: "did not answer within 3 s" }
        : { time: `${at}123456`, height: "9007199254740993", roundTripMillis: 41 }),
    })),
  };
}
