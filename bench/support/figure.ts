import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

/** One measured figure against what it must reach. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** `at least 0.7`, `at most 4`. */
  readonly bound: string;
  readonly holds: boolean;
  /** What went into it, for people: medians, number of runs, versions of the tools compared with. */
  readonly detail: string;
}

/** A figure that could not be taken here, and why. */
interface Skipped {
  readonly name: string;
  readonly skipped: string;
}

export type Measured = Figure | Skipped;

export function atLeast(name: string, value: number, least: number, unit: string, detail: string): Figure {
  return { name, value, unit, bound: `at least ${least}`, holds: value >= least, detail };
}

export function atMost(name: string, value: number, most: number, unit: string, detail: string): Figure {
  return { name, value, unit, bound: `at most ${most}`, holds: value <= most, detail };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** Runs the two by turns, so that whatever slows the machine down slows both; the first rounds warm up and are left out. */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  warmUps = 1,
): Promise<{ readonly ours: number; readonly theirs: number }> {
  const oursAll: number[] = [];
  const theirsAll: number[] = [];
  for (let round = 1 - warmUps; round <= rounds; round += 1) {
    // Who goes first changes from round to round.
    const first = round % 2 === 0 ? ours : theirs;
    const a = await first();
    const b = await (first === ours ? theirs : ours)();
    if (round <= 0) continue;
    oursAll.push(first === ours ? a : b);
    theirsAll.push(first === ours ? b : a);
  }
  return { ours: median(oursAll), theirs: median(theirsAll) };
}

/** The first line that a tool prints about its version; undefined where there is no such tool. */
export function versionOf(tool: string, ...flags: string[]): string | undefined {
  try {
    return execFileSync(tool, flags.length === 0 ? ["--version"] : flags, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
      .split("\n")[0]
      ?.trim();
  } catch {
    return undefined;
  }
}

export function machine(): string {
  const all = cpus();
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return `Node ${process.versions.node}, ${all[0]?.model ?? "unknown CPU"} × ${all.length}, load average ${load} before`;
}

/**
 * Takes the figures when the file is run as a script, `--json` as one line for bench/run.ts; else does nothing.
 * Exit code 1 when a figure does not hold.
 */
export async function runAsScript(url: string, measure: () => Promise<readonly Measured[]>): Promise<void> {
  if (process.argv[1] !== fileURLToPath(url)) return;
  const figures = await measure();
  if (process.argv.includes("--json")) console.log(JSON.stringify(figures));
  else console.log(`${machine()}\n${figures.map(describe).join("\n")}`);
  if (figures.some((figure) => "holds" in figure && !figure.holds)) process.exitCode = 1;
}

export function describe(figure: Measured): string {
  if ("skipped" in figure) return `${figure.name}: skipped, ${figure.skipped}`;
  return `${figure.holds ? "holds" : "MISSED"}  ${figure.name}: ${shown(figure.value)} ${figure.unit} (${figure.bound}); ${figure.detail}`;
}

export function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/** Columns as wide as their widest cell. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}
