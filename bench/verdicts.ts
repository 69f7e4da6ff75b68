import { KIND_GROUPS } from "../src/alerts/judge/kinds/kinds.ts";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import { judgeTrace } from "../src/main/traces/judge.ts";
import { readTrace, writeTrace } from "../src/main/traces/lines.ts";
import { Score } from "../src/main/traces/score.ts";
import { kindTable } from "../src/main/traces/score-table.ts";
import { atMost, type Measured, median, runAsScript } from "./support/figure.ts";
import { type Messages, messagesOf, upgradeNews, upgradePlan } from "./verdicts/messages.ts";
import { drawPlan } from "./verdicts/plan.ts";
import { explain, messageTable, ruleTables, scoreFigures, sickTable } from "./verdicts/report.ts";
import { trySickNodes } from "./verdicts/sick-nodes.ts";
import { traceOf } from "./verdicts/traces.ts";
import { trial } from "./verdicts/trial.ts";

// How well verdicts and alerts tell the truth, in virtual time. First days of simulated networks with labelled trouble,
// through the pure functions, beside three rules that others use: `--days=N` (1,000; a day is a whole day, no round is
// skipped), `--seed=N` (1); `--explain` prints each miss, false alarm and wrong end, `--explain=KIND` those of one kind.
// Then calm days, by Bellwether alone, until as many days were calm.
// Then 24 ways in which one node of three is sick while the chain halts. Then the messages that a channel gets, through
// the engine, the outbox and a database: `--messages=N` days (20, from the same seed). With `--traces=FOLDER` each of the
// first days is written there as a trace (docs/traces.md) and judged again: the score has to be the very same.
//
// The parts are in verdicts/: plan.ts draws a day, sickness.ts says what a node can have, world.ts answers polls,
// truth.ts and witness.ts label, engine.ts and rivals.ts judge, score.ts counts, trial.ts runs them.

const DAYS = Number(flag("days") ?? 1000);
const SEED = Number(flag("seed") ?? 1);
const MESSAGE_DAYS = Number(flag("messages") ?? 20);
const CPU_SECONDS_A_DAY = 1;
const UPGRADES = 5;

function flag(name: string): string | undefined {
  const given = process.argv.find((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`));
  return given?.slice(name.length + 3);
}

async function measure(): Promise<readonly Measured[]> {
  const ours = scored();
  return [...ours.figures, ...(await tracedAgain(ours.score)), ...sickNodes(), ...(await messages())];
}

/** How many members of the score differ once the days are read back from traces. */
async function tracedAgain(score: Score): Promise<Measured[]> {
  const folder = flag("traces");
  if (folder === undefined) return [];
  const again = new Score();
  for (let day = 0; day < DAYS; day += 1) {
    const plan = drawPlan(SEED + day);
    const file = path.join(folder, `seed-${SEED + day}.trace.gz`);
    await writeTrace(file, traceOf(plan));
    const { told, known } = await judgeTrace(readTrace(file), { name: plan.name });
    if (known === undefined) throw new Error(`${file} has no truth`);
    again.add(known.watched, known.truth, told);
  }
  const members = (one: Score) => Object.entries(one).filter(([name]) => name !== "mistakes");
  const before = new Map(members(score));
  const differ = members(again).filter(([name, value]) => !isDeepStrictEqual(value, before.get(name)));
  const detail = `of ${before.size}, over ${DAYS} days in ${folder}`;
  return [atMost("verdicts: parts of the score that differ from traces judged again", differ.length, 0, "", detail)];
}

function scored(): { readonly figures: readonly Measured[]; readonly score: Score } {
  const before = process.cpuUsage();
  const { scores, rounds } = trial(DAYS, SEED);
  const ours = scores.get("Bellwether");
  if (ours === undefined) throw new Error("no score of Bellwether");
  const calmer = new Score();
  trial(DAYS - ours.calmDays, SEED + DAYS, ["Bellwether"], { calm: true }, new Map([["Bellwether", calmer]]));
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / 1e6;
  const halts = ours.lengths.reduce((sum, one) => sum + one.halts, 0);
  const days = `${DAYS} network-days from seed ${SEED}`;
  console.log(`${days}: ${rounds} rounds, ${halts} halts, ${ours.calmDays} calm days; Node ${process.versions.node}`);
  console.log(`\n${kindTable(ours)}\n\n${ruleTables(scores)}\n`);
  const kind = flag("explain");
  if (kind !== undefined) console.log(`${[ours, calmer].map((one) => explain(one, kind)).join("\n")}\n`);
  const detail = `${cpu.toFixed(0)} s for ${DAYS} by all four rules, and ${calmer.days} calm ones; ${rounds} rounds`;
  const figure = atMost("verdicts: CPU of a network-day", cpu / DAYS, CPU_SECONDS_A_DAY, "s", detail);
  return { figures: [figure, ...scoreFigures(ours, calmer)], score: ours };
}

function sickNodes(): Measured[] {
  const nodes = trySickNodes();
  console.log(`${sickTable(nodes)}\n`);
  const failing = nodes.filter(({ hidden, ended, invented }) => hidden + ended + invented > 0).length;
  const name = "verdicts: sick nodes that hide, end or invent a halt";
  return [atMost(name, failing, 0, "", `of ${nodes.length}, one of three nodes each`)];
}

async function messages(): Promise<Measured[]> {
  const days: Messages[] = [];
  for (let day = 0; day < MESSAGE_DAYS; day += 1) days.push(await messagesOf(drawPlan(SEED + day)));
  if (days.length > 0) console.log(`${messageTable(days)}\n`);
  const figures: Measured[] = [];
  for (const group of ["ops", "all"] as const) {
    const upgrades: number[] = [];
    for (let count = 0; count < UPGRADES; count += 1) {
      const plan = upgradePlan(SEED + count);
      upgrades.push((await messagesOf(plan, { kinds: KIND_GROUPS[group], news: upgradeNews(plan) })).messages);
    }
    const detail = `a halt of 10 min, five nodes, each with a new version; of ${upgrades.join(", ")}`;
    figures.push(atMost(`verdicts: messages of an upgrade to ${group}`, median(upgrades), 6, "", detail));
  }
  return figures;
}

await runAsScript(import.meta.url, measure);
