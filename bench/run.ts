import path from "node:path";
import { parseArgs } from "node:util";

import { against, CallerError } from "./support/against.ts";
import { describe, machine, type Measured, shown, tableOf } from "./support/figure.ts";
import { benches, INTERRUPTED, runBench } from "./support/run-bench.ts";

const USAGE = `npm run bench                                    all figures, one bench after the other
npm run bench -- NAME...                         those of the benches named
npm run bench -- NAME... --against COMMIT        this commit and another one in turn: medians, and their ratios
                                                 (--runs=N of each; 5 where left out)

Other flags are passed on to the benches. Exit code 1: a figure does not hold, or the call is wrong; 2: a figure could
not be taken.`;

const root = path.resolve(import.meta.dirname, "..");
// Each bench is a process group of its own, which Ctrl-C does not reach.
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupted.abort());

try {
  process.exitCode = await main();
} catch (error) {
  if (interrupted.signal.aborted) process.exitCode = INTERRUPTED;
  else if (error instanceof CallerError) {
    console.error(error.message);
    process.exitCode = 1;
  } else throw error;
}

async function main(): Promise<number> {
  const options = { help: { type: "boolean" }, against: { type: "string" }, runs: { type: "string" } } as const;
  const { values, positionals, tokens } = parseArgs({ options, allowPositionals: true, strict: false, tokens: true });
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const all = benches(path.join(root, "bench"));
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new CallerError(`There is no bench ${unknown.join(", ")}; there are: ${all.join(", ")}.`);
  const flags = tokens
    .filter((token) => token.kind === "option")
    .filter(({ name }) => !(name in options))
    .map(({ rawName, value }) => (value === undefined ? rawName : `${rawName}=${value}`));
  const { signal } = interrupted;
  if (values.against === undefined) return await takeAll(positionals.length > 0 ? positionals : all, flags, signal);
  const runs = Number(values.runs ?? 5);
  if (typeof values.against !== "string") throw new CallerError("--against needs a commit, for example HEAD~1.");
  if (positionals.length === 0) throw new CallerError("--against needs the name of at least one bench.");
  if (!(Number.isInteger(runs) && runs >= 1)) throw new CallerError("--runs needs a whole number from 1.");
  return await against({ root, commit: values.against, names: positionals, flags, runs, signal });
}

async function takeAll(names: readonly string[], flags: readonly string[], signal: AbortSignal): Promise<number> {
  const figures: Measured[] = [];
  let broken = false;
  console.log(machine());
  for (const name of names) {
    const taken = await runBench(root, `bench/${name}.ts`, flags, signal);
    process.stdout.write(taken.printed);
    process.stderr.write(taken.errors);
    if (taken.figures === undefined) {
      broken = true;
      console.error(`${name} gave no figure (exit code ${taken.code})`);
    } else {
      figures.push(...taken.figures);
      for (const figure of taken.figures) console.log(describe(figure));
    }
  }
  const rows = figures.map((figure) =>
    "skipped" in figure
      ? [figure.name, "–", "–", "skipped"]
      : [figure.name, `${shown(figure.value)} ${figure.unit}`, figure.bound, figure.holds ? "holds" : "MISSED"],
  );
  console.log(`\n${tableOf([["figure", "measured", "must be", ""], ...rows])}`);
  if (broken) return 2;
  return figures.some((figure) => "holds" in figure && !figure.holds) ? 1 : 0;
}
