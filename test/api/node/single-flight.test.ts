import { describe, expect, test } from "vitest";

import type { Lane } from "../../../src/api/node/rate-budget.ts";
import { SingleFlight } from "../../../src/api/node/single-flight.ts";

describe("identical calls", () => {
  test.each<[Lane, Lane, number]>([
    ["people", "people", 1],
    ["watchers", "watchers", 1],
    // The watchers' call is running, so joining it takes no longer.
    ["watchers", "people", 1],
    // What people asked may still stand in the queue of the budget.
    ["people", "watchers", 2],
  ])("first %s, then %s: %i requests", async (first, second, requests) => {
    const flights = new SingleFlight();
    const { promise, resolve } = Promise.withResolvers<string>();
    let asked = 0;
    const ask = (lane: Lane): Promise<string> =>
      flights.run(lane, "/time", undefined, () => {
        asked += 1;
        return promise;
      });
    const answers = [ask(first), ask(second)];
    resolve("now");
    expect(await Promise.all(answers)).toEqual(["now", "now"]);
    expect(asked).toBe(requests);
    await ask(first);
    expect(asked).toBe(requests + 1);
  });
});
