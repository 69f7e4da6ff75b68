import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";

import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that wait more than they work: begun last, each would keep everybody else waiting for it alone. */
const LONG = ["rest-faults.test", "commands/time.test", "discord/supervision"];

/** Properties that stand among other tests. */
const DRAWING = globSync("test/**/*.test.ts").filter((file) =>
  /from "fast-check"|inject\("manyRuns"\)/u.test(readFileSync(file, "utf8")),
);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((part) => moduleId.includes(part));
    // oxlint-disable-next-line unicorn/no-array-sort -- it is vitest's own order of files, and changes no list
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// The processes of the tests compile each module once, and find it compiled at the next run, as `npm start` does.
process.env["NODE_COMPILE_CACHE"] ??= path.resolve("node_modules/.cache/bellwether");

// Two projects: what everybody runs at each change, and what takes minutes or a browser (`npm run test:full` runs both).
export default defineConfig({
  test: {
    // Node loads the modules itself, as it does for users: nothing is transformed on the way, and no module is replaced.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Three even on two cores, since many tests wait for a socket. Each loads and compiles the whole program: a fourth
    // costs more than it gains there. Vitest itself would keep one core free.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: LongFirst },
    // The sentences of errors stand among the other golden files.
    resolveSnapshotPath: (file) =>
      path.join("test/golden", path.relative("test", file).replace(/(?:\.slow)?\.test\.ts$/u, ".snap")),
    projects: [
      {
        test: {
          name: "fast",
          snapshotSerializers: ["test/support/lasting-words.ts"],
          setupFiles: ["test/support/properties.ts"],
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
          snapshotSerializers: ["test/support/lasting-words.ts"],
          // They start whole processes, which need a core each.
          maxWorkers: 2,
          // After the fast ones: two projects with different numbers of workers cannot run at the same time.
          sequence: { groupOrder: 1 },
          // What draws cases does so many times there, and a few times in the fast project: test/support/runs.ts.
          include: ["test/**/*.slow.test.ts", "test/**/*.property.test.ts", ...DRAWING],
          provide: { manyRuns: true },
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
