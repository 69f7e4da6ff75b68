import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { FAULTS } from "./faults.ts";
import { fuzzCases, nameOf, runCase } from "./fuzz.ts";
import { DIALECTS, OPERATIONS } from "./operations.ts";

// `npm run fuzz`: every fault × operation × dialect in an order by a printed seed, for five minutes at most.
// `-- --minutes 1` makes it shorter, `-- --seed N` repeats an order, `-- --only "status: 503"` tries one fault.

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    minutes: { type: "string", default: "5" },
    only: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log("npm run fuzz -- [--minutes N] [--seed N] [--only FAULT]");
  process.exit(0);
}
const seed = Number(values.seed ?? Math.trunc(Math.random() * 1e9));
const AT_ONCE = 4;
/** A first part loads all modules and fills the caches, so that memory is compared with that. */
const WARM_UP_CASES = 300;
const MAX_KEPT_MEGABYTES = 100;

const cases = fuzzCases(seed).filter(({ fault }) => values.only === undefined || fault.name === values.only);
const until = Date.now() + Number(values.minutes) * 60_000;
console.log(
  `Fuzz ${seed}: ${FAULTS.length} faults, ${OPERATIONS.length / DIALECTS.length} commands, ${DIALECTS.length} dialects: ${cases.length} cases, ${values.minutes} min at most.`,
);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (how: object) => void;
const megabytes = (): number => {
  // After an ordinary collection V8 keeps the empty pages, some 150 MB, until it was idle for a while
  // (https://github.com/v8/v8/blob/main/src/heap/memory-reducer.h). This one gives them back.
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
  return process.memoryUsage.rss() / 1e6;
};

const wrong: string[] = [];
const tried = new Set<string>();
const outcomes = new Map<string, number>();
let ran = 0;
let before: number | undefined;

async function work(): Promise<void> {
  for (let next = cases.pop(); next !== undefined && Date.now() < until; next = cases.pop()) {
    const { failure, wrong: said } = await runCase(next);
    outcomes.set(failure, (outcomes.get(failure) ?? 0) + 1);
    ran += 1;
    tried.add(next.fault.name);
    if (ran === WARM_UP_CASES) before = megabytes();
    if (said === undefined) continue;
    wrong.push(said);
    console.log(`WRONG  ${nameOf(next)}: ${said}`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
const keptMegabytes = before === undefined ? 0 : Math.round(megabytes() - before);
const count = (what: RegExp): number => wrong.filter((one) => what.test(one)).length;
console.log(
  `${ran} cases with ${tried.size} of ${FAULTS.length} faults: ${count(/^a bug/u)} bugs, ${count(/^jargon/u)} jargon, ${count(/^it took/u)} too slow; ${keptMegabytes} MB kept.`,
);
console.log(`Replies: ${[...outcomes].map(([failure, times]) => `${times} × failure ${failure}`).join(", ")}.`);
if (wrong.length > 0 || keptMegabytes > MAX_KEPT_MEGABYTES) process.exitCode = 1;
