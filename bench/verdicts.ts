import { atMost, type Measured, runAsScript } from "./support/figure.ts";
import { explain, kindTable, ruleTables, scoreFigures } from "./verdicts/report.ts";
import { trial } from "./verdicts/trial.ts";

// How well verdicts and alerts tell the truth: days of simulated networks with labelled trouble, through the pure
// functions, in virtual time, beside three rules that others use. `--days=N` (1,000), `--seed=N` (1); `--explain` prints
// each miss, false alarm and wrong end, `--explain=KIND` those of one kind. The parts are in verdicts/: plan.ts draws a
// day, sickness.ts says what a node can have, world.ts answers polls, truth.ts labels, engine.ts and rivals.ts judge,
// score.ts counts. A day is a whole day: no round is skipped.

const DAYS = Number(flag("days") ?? 1000);
const SEED = Number(flag("seed") ?? 1);
const CPU_SECONDS_A_DAY = 0.9;

function flag(name: string): string | undefined {
  const given = process.argv.find((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`));
  return given?.slice(name.length + 3);
}

async function measure(): Promise<readonly Measured[]> {
  const before = process.cpuUsage();
  const { scores, rounds } = trial(DAYS, SEED);
  const { user, system } = process.cpuUsage(before);
  const ours = scores.get("Bellwether");
  if (ours === undefined) throw new Error("no score of Bellwether");
  const cpu = (user + system) / 1e6;
  const halts = ours.lengths.reduce((sum, one) => sum + one.halts, 0);
  console.log(`${DAYS} network-days from seed ${SEED}: ${rounds} rounds, ${halts} halts, ${ours.calmDays} calm days`);
  console.log(`\n${kindTable(ours)}\n\n${ruleTables(scores)}\n`);
  const kind = flag("explain");
  if (kind !== undefined) console.log(`${explain(ours, kind)}\n`);
  const detail = `${cpu.toFixed(0)} s for ${DAYS}, ${((cpu * 1e6) / rounds).toFixed(1)} µs a round, all four rules`;
  return [atMost("verdicts: CPU of a network-day", cpu / DAYS, CPU_SECONDS_A_DAY, "s", detail), ...scoreFigures(ours)];
}

await runAsScript(import.meta.url, measure);
