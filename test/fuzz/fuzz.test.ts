import { randomInt } from "node:crypto";

import { expect, test } from "vitest";

import { FAULTS } from "./faults.ts";
import { fuzzCases, nameOf, runCase } from "./fuzz.ts";

// A sample of `npm run fuzz`.

const SAMPLES = 24;

test("there are at least 90 faults, each with a name of its own", () => {
  expect(FAULTS.length).toBeGreaterThanOrEqual(90);
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});

test("whatever a node says, no command ends in a bug or in words for programmers", async () => {
  const seed = randomInt(2 ** 31);
  // Faults that wait for a time-out or send megabytes are left to the whole.
  const quick = fuzzCases(seed).filter(({ fault }) => !/^(?:speed|size)/u.test(fault.name));
  const outcomes = await Promise.all(
    quick.slice(0, SAMPLES).map(async (one) => [nameOf(one), (await runCase(one)).wrong] as const),
  );
  for (const [name, wrong] of outcomes) expect.soft(wrong, `${name}, of fuzz ${seed}`).toBeUndefined();
});
