// Mutation tests: Stryker breaks one expression after the other and runs the tests that reach it. A survivor is
// equivalent (equivalent.ts), dead code, or lacks a test. MUTATION_ROOM says what is broken (room.ts). All mutants of the
// alert engine and the outbox take more than an hour, so a run takes a sample: MUTATION_SEED chooses another one,
// MUTATION_SHARE=1 all of them, and `npm run mutation -- --mutate src/alerts/deliver/outbox/claim.ts:40-90` some lines.
import type { PartialStrykerOptions } from "@stryker-mutator/api/core";

import { ROOM, SAMPLE } from "./room.ts";

process.stdout.write(`Sample: ${SAMPLE.share * 100} % of the mutants, chosen by MUTATION_SEED=${SAMPLE.seed}\n`);

export default {
  mutate: [...ROOM.mutate],
  testRunner: "vitest",
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  checkers: ["mutant-chooser"],
  plugins: ["@stryker-mutator/vitest-runner", "./test/mutation/mutant-chooser.ts"],
  // Strings are wording; an object without its members does not fit its type.
  mutator: { excludedMutations: ["StringLiteral", "ObjectLiteral"] },
  coverageAnalysis: "perTest",
  concurrency: 2,
  // Stryker looks for tsconfig.json and reads it with an interface that TypeScript 7 does not have: the mutant chooser
  // runs the compiler.
  tsconfigFile: "none",
  disableTypeChecks: false,
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false, logTests: false },
  thresholds: { high: 85, low: 85, break: 85 },
  cleanTempDir: "always",
  tempDirName: ".mutation",
} satisfies PartialStrykerOptions;
