import { defineConfig } from "vitest/config";

// Two projects: what everybody runs at each change, and what takes minutes or a browser (`npm run test:full` runs both).
export default defineConfig({
  test: {
    // All cores: left to itself, vitest keeps one free, which on two cores doubles the time.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.slow.test.ts"],
          // Loading every module anew for each file takes a third of the time. No file may leave anything behind for
          // the next one; `npm test -- --sequence.shuffle.files` shows whether one does.
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        test: {
          name: "slow",
          include: ["test/**/*.slow.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
