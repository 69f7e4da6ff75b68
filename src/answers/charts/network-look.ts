import type { LooksPart } from "../../chart/thin.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { LooksContext } from "./charts.ts";
import { ageReader, stateReader } from "./network-chart.ts";

/** Nobody looks more seldom. */
const LONGEST_BEFORE: Milliseconds = 3_600_000;

/**
 * The last look until a moment, with what every node said in it; undefined where nobody had looked for an hour. Exact
 * numbers are decimal text, times of nodes Unix nanoseconds.
 */
export async function networkLook(context: LooksContext, at: Milliseconds) {
  const { network, past, signal } = context;
  let found: (() => ReturnType<typeof lookOf>) | undefined;
  for await (const part of past({ network, watcher: "sources", from: at - LONGEST_BEFORE, to: at }, signal)) {
    let last: number | undefined;
    for (let look = 0; look < part.size && part.from(look) <= at; look += 1) last = look;
    if (last === undefined || part.from(last) < at - LONGEST_BEFORE) continue;
    const look = last;
    // Of most parts it is not the last one.
    found = () => lookOf(context, part, look);
  }
  return found?.();
}

function lookOf({ api, alerts }: LooksContext, part: LooksPart, look: number) {
  const age = ageReader(part, api.nodes)(look);
  return {
    at: part.from(look),
    ...(Number.isFinite(age) ? { ageMillis: age } : {}),
    nodes: api.nodes.map(({ name }) => {
      const said = (fact: string) => part.facts("nodes", name, fact).at(look);
      const state = stateReader(part, name, alerts.config.lagging.behind)(look);
      const [time, height, why, roundTripMillis] = ["time", "height", "why", "roundTripMillis"].map(said);
      return {
        node: name,
        ...(state === undefined ? {} : { state }),
        ...(typeof time === "string" ? { time } : {}),
        ...(typeof height === "string" ? { height } : {}),
        ...(typeof roundTripMillis === "number" ? { roundTripMillis } : {}),
        ...(typeof why === "string" ? { why } : {}),
      };
    }),
  };
}
