import { defineConfig } from "vitest/config";

// One file that imports all tests: a mutant then loads the modules once. Stryker does not support `isolate: false`,
// which does the same: it counts coverage for the first file only.
export default defineConfig({
  test: { include: ["test/mutation/tests.ts"], provide: { manyRuns: true }, testTimeout: 15_000, hookTimeout: 60_000 },
});
