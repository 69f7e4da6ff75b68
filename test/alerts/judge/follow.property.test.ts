import * as fc from "fast-check";
import { expect, test } from "vitest";

import { parseAlertsConfig } from "../../../src/alerts/alerts-config.ts";
import type { Row, Subject } from "../../../src/alerts/judge/follow.ts";
import { JudgeInMemory } from "../../../src/alerts/judge/judge-in-memory.ts";
import type { RuleIndex } from "../../../src/alerts/judge/judge.ts";
import type { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import { type Episode, machineKey } from "../../../src/alerts/judge/rules/episode.ts";
import { ruleFor } from "../../../src/alerts/judge/rules/rules.ts";
import { fromMillis, type Nanoseconds, toMillis } from "../../../src/units/time.ts";
import { runs } from "../../support/runs.ts";
import { blind, down, stalled } from "../readings.ts";

const START = 1_717_416_000_000;
const config = parseAlertsConfig(
  JSON.stringify({ keep: { rounds: 2, for: "8s" }, flap: { episodes: 2, within: "120s" } }),
);
const RULES = [
  ruleFor("network.stalled", { for: 5000, criticalFor: 20_000 }, config),
  ruleFor("network.clock", { drift: 1000, for: 0 }, config),
  ruleFor("node.down", { rounds: 2 }, config),
  ruleFor("watch.blind", { rounds: 3 }, config),
];
const index: RuleIndex = {
  rules: (kind) => RULES.filter((rule) => rule.kind === kind),
  subscribers: () => [{ created: Number.NEGATIVE_INFINITY }],
};
const watcher = { name: "sources", every: 5000 };

function clock(driftMillis: number | undefined): Reading {
  const facts = driftMillis === undefined ? {} : { driftMillis };
  return { kind: "network.clock", network: "mainnet", subject: "", state: "good", seenBy: [], nodes: 1, facts };
}

const state = fc.constantFrom<Reading["state"]>("good", "bad", "bad", "unknown");
/** The looks of one subject: each reading lasts for some of them; undefined: it is not spoken of. */
const lasting = (reading: fc.Arbitrary<Reading | undefined>): fc.Arbitrary<readonly (Reading | undefined)[]> =>
  fc
    .array(fc.tuple(reading, fc.constantFrom(1, 1, 2, 5, 20)), { minLength: 60, maxLength: 60 })
    .map((all) => all.flatMap(([one, count]) => Array.from({ length: count }, () => one)).slice(0, 60));
const world = fc.record({
  subjects: fc.tuple(
    lasting(fc.constantFrom<Reading["state"]>("good", "good", "good", "bad").map((one) => blind(one))),
    lasting(
      fc.tuple(state, fc.constantFrom(undefined, undefined, 90_000)).map(([one, badForMillis]) =>
        // What a watcher measures itself.
        stalled(one, one === "bad" && badForMillis !== undefined ? { badForMillis } : {}),
      ),
    ),
    lasting(fc.constantFrom(undefined, 0, 900, 1500, 1500).map((drift) => clock(drift))),
    ...["a:1", "a:2"].map((node) =>
      lasting(fc.option(state, { freq: 4 }).map((one) => (one === null ? undefined : down(one, node)))),
    ),
  ),
  /** Wall clocks are set. */
  steps: fc.array(fc.constantFrom(0, 0, 0, 0, 0, -60_000, 60_000), { minLength: 60, maxLength: 60 }),
  /** Behind the first look, which is seen. */
  cuts: fc.uniqueArray(fc.integer({ min: 2, max: 59 }), { maxLength: 4 }),
});

test("looks that are followed leave what looks leave that are seen one after the other", () => {
  fc.assert(
    fc.property(world, ({ subjects: drawn, steps, cuts }) => {
      const at = (look: number): Nanoseconds =>
        fromMillis(START + look * 5000 + steps.slice(0, look + 1).reduce((sum: number, one) => sum + one, 0));
      const dueMillis = (look: number): number => look * 5000.25;
      const readingsOf = (look: number) => drawn.flatMap((all) => all[look] ?? []);
      const see = (judge: JudgeInMemory, look: number) =>
        judge.see(
          { network: "mainnet", watcher, snapshot: {}, readings: readingsOf(look), events: [], at: at(look) },
          dueMillis(look),
        );
      const [seen, followed] = [new JudgeInMemory(index, config), new JudgeInMemory(index, config)];
      const [expected, found] = [new Map<string, Episode>(), new Map<string, Episode>()];
      const [flapped, foundFlapped]: [Nanoseconds[], Nanoseconds[]] = [[], []];
      for (let look = 0; look < 60; look += 1) {
        const { episodes, changes } = see(seen, look);
        for (const [id, one] of episodes) expected.set(id, one);
        for (const { change } of changes) if (change === "flapping") flapped.push(at(look));
      }
      for (const [id, one] of see(followed, 0).episodes) found.set(id, one);
      const ends = [...cuts.toSorted((a, b) => a - b), 60];
      for (const [place, to] of ends.entries()) {
        const from = ends[place - 1] ?? 1;
        const row: Row = {
          network: "mainnet",
          watcher,
          from,
          to,
          at,
          atMillis: (look) => toMillis(at(look)),
          dueMillis,
          subjects: subjectsOf(drawn, from, to),
        };
        const all = followed.follow(row);
        for (const one of [...all.closed, ...followed.open.values()]) found.set(one.id, one);
        foundFlapped.push(...all.flapped);
      }
      const byId = (all: ReadonlyMap<string, Episode>) => Object.fromEntries(all);
      const machinesOf = (judge: JudgeInMemory) =>
        Object.fromEntries([...judge.machines.values()].map((one) => [machineKey(one.rule, one.subject), one]));
      expect(byId(found)).toEqual(byId(expected));
      expect(machinesOf(followed)).toEqual(machinesOf(seen));
      expect(new Set(foundFlapped)).toEqual(new Set(flapped));
    }),
    runs(3000),
  );
});

function subjectsOf(
  drawn: readonly (readonly (Reading | undefined)[])[],
  from: number,
  to: number,
): readonly Subject[] {
  return drawn.flatMap((all) => {
    const [known] = all.filter((one) => one !== undefined);
    const shown = all.slice(from, to);
    if (known === undefined || shown.every((one) => one === undefined)) return [];
    const { kind, subject } = known;
    const corners = shown.includes(undefined) ? undefined : shown.flatMap((one) => one ?? []);
    return [{ kind, subject, corners, readingOf: (look) => all[look], stateOf: (look) => all[look]?.state }];
  });
}
