import * as fc from "fast-check";
import { expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import type { Witness } from "../../../src/api/verdict/verdict.ts";
import { fromMillis } from "../../../src/units/time.ts";
import {
  decodeSources,
  judgeRound,
  snapshotOf,
  type SourcesSnapshot,
} from "../../../src/watchers/sources/sources-state.ts";
import { sourcesWatcher, sourceThresholds } from "../../../src/watchers/sources/sources.ts";
import { runs } from "../../support/runs.ts";
import { systemClock } from "../../../src/api/clock.ts";

const START = 1_682_942_400_000;
const NAMES = ["a", "b", "c"];
const thresholds = sourceThresholds(DEFAULT_ALERTS_CONFIG);

type Deed = "on" | "still" | "back" | "down" | "shut" | "ahead";
const deed = fc.constantFrom<Deed>("on", "on", "still", "still", "back", "down", "shut", "ahead");
const rounds = fc.array(
  fc.record({
    deeds: fc.tuple(deed, deed, deed),
    seconds: fc.constantFrom(1, 5, 5, 5, 60, 4000),
    restart: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 1, maxLength: 30 },
);

test("whatever nodes do: blindness knows nothing else, an advance is health, and no standstill is longer than it was", () => {
  fc.assert(
    fc.property(rounds, fc.integer({ min: 1, max: 3 }), (steps, count) => {
      const watcher = sourcesWatcher({ network: "mainnet", config: DEFAULT_ALERTS_CONFIG, clock: systemClock });
      const said = new Map<string, number>();
      let kept: SourcesSnapshot | undefined;
      let [now, run, booted] = [START, 0, START];
      // When a quorum was last seen to go on. Liars ahead of the clock may be taken for the truth, where most are.
      let [advancedAt, isHonest, wentOn] = [START, true, false];
      for (const { deeds, seconds, restart } of steps) {
        now += seconds * 1000;
        if (restart) [run, booted] = [run + 1, now];
        const witnesses = NAMES.slice(0, count).map((node, index): Witness => {
          const doing = deeds[index]!;
          if (doing === "down") return { node, reachable: false, why: "is down" };
          if (doing === "shut") return { node, reachable: false, refused: true, why: "bans us" };
          if (doing === "ahead") return { node, reachable: true, time: fromMillis(now + 3_600_000) };
          const before = said.get(node) ?? now - 1000;
          said.set(node, doing === "on" ? now - 500 : doing === "back" ? before - 90_000 : before);
          return { node, reachable: true, time: fromMillis(said.get(node)!) };
        });
        isHonest &&= !deeds.slice(0, count).includes("ahead");
        const goesOn = deeds.slice(0, count).filter((one) => one === "on").length >= Math.min(2, count);
        const advances = isHonest && seconds <= 5 && goesOn && wentOn;
        wentOn = goesOn;
        if (advances) advancedAt = now;
        const round = { witnesses, atMillis: now - booted, wallClock: fromMillis(now) };
        const after = watcher.snapshot.parse(
          JSON.parse(
            JSON.stringify(
              snapshotOf(String(run), round, judgeRound(String(run), round, decodeSources(kept), thresholds)),
            ),
          ),
        );
        const { readings, events } = watcher.judge(kept, after, fromMillis(now));
        const read = (kind: string) => readings.find((one) => one.kind === kind);
        const bad = readings.filter(({ state }) => state === "bad").map(({ kind }) => kind);
        const blind = bad.includes("watch.blind");
        const known = readings.filter(({ state }) => state !== "unknown").length;
        const wronged = readings.filter(
          ({ kind, subject, state }) =>
            kind === "node.down" && state === "bad" && deeds[NAMES.indexOf(subject)] !== "down",
        );
        expect({
          events,
          readings: readings.length,
          knownWhileBlind: blind ? known : 1,
          stalledInAnAdvance: advances && read("network.stalled")?.state !== "good",
          wronged,
        }).toEqual({
          events: [],
          readings: 4 + 5 * count,
          knownWhileBlind: 1,
          stalledInAnAdvance: false,
          wronged: [],
        });
        expect(read("network.stalled")?.badForMillis ?? 0).toBeLessThanOrEqual(now - advancedAt);
        kept = after;
      }
    }),
    runs(150),
  );
});
