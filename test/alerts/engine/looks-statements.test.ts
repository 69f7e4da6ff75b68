import { StatementSync } from "node:sqlite";

import { expect, onTestFinished, test, vi } from "vitest";

import { stalled } from "../readings.ts";
import { openStage } from "../stage.ts";

/** The SQL of all statements that run from now on. */
function statements(): string[] {
  const found: string[] = [];
  for (const name of ["all", "run"] as const) {
    const original = StatementSync.prototype[name];
    const spy = vi.spyOn(StatementSync.prototype, name).mockImplementation(function (this: StatementSync, ...given) {
      found.push(this.sourceSQL);
      return Reflect.apply(original, this, given) as never;
    });
    onTestFinished(() => spy.mockRestore());
  }
  return found;
}

test("an observation whose look is not kept takes no statement more, and one that is kept takes one", async () => {
  const stage = await openStage();
  const see = async (look?: string) => {
    const [at, watcher] = [stage.clock.wallClock(), { name: "w", every: 5000 }];
    const found = { readings: [stalled("good")], events: [], snapshot: { at: String(at) }, at };
    await stage.engine.processObservation({ network: "mainnet", watcher, ...found, ...(look && { look }) });
    await stage.clock.advance(5000);
  };
  await see();
  await see();
  const found = statements();
  await see();
  const without = found.splice(0);
  await see('{"at":"1"}');
  expect(without.filter((sql) => sql.includes("watcher_snapshots")).length).toBeGreaterThan(0);
  expect(without.filter((sql) => sql.includes("looks"))).toEqual([]);
  expect(found.filter((sql) => sql.includes("looks_tail"))).toHaveLength(1);
  expect(found).toHaveLength(without.length + 1);
});
