import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, machine, type Measured, median, shown, tableOf } from "./figure.ts";
import { runBench, runToEnd, type Taken } from "./run-bench.ts";

/** A mistake of the caller, in a sentence. */
export class CallerError extends Error {}

/** One of the two commits that are compared. */
interface Side {
  /** The short hash. */
  readonly label: string;
  readonly root: string;
  /** The folder of the benches that run there. */
  scripts: string;
  /** All values that were measured of each figure. */
  readonly values: Map<string, number[]>;
}

const OUR_SCRIPTS = "bench-of-the-other-commit";

/**
 * Runs the benches here, in the working tree, and in a worktree of `commit` by turns, and prints the medians and their
 * ratios. Resolves with the exit code: 2 when a bench gave no figure in one of both.
 * @throws CallerError when there is no such commit
 */
export async function against(options: {
  readonly root: string;
  readonly commit: string;
  readonly names: readonly string[];
  readonly flags: readonly string[];
  readonly runs: number;
  readonly signal: AbortSignal;
}): Promise<number> {
  const { root, commit, names, flags, runs, signal } = options;
  const label = hashOf(root, commit);
  const dirty = git(root, "status", "--porcelain") === "" ? "" : " with changes";
  const ours: Side = { label: `${hashOf(root, "HEAD")}${dirty}`, root, scripts: "bench", values: new Map() };
  const folder = mkdtempSync(path.join(tmpdir(), "bellwether-against-"));
  try {
    const theirs: Side = { label, root: path.join(folder, "tree"), scripts: OUR_SCRIPTS, values: new Map() };
    console.log(`${machine()}\n${ours.label} against ${theirs.label}, ${runs} runs each, by turns`);
    await checkOut(root, theirs.root, label, signal);
    let broken = false;
    for (const name of names) {
      theirs.scripts = OUR_SCRIPTS;
      for (let run = 1; run <= runs; run += 1) {
        // The side that goes first changes from run to run.
        for (const side of run % 2 === 1 ? [theirs, ours] : [ours, theirs]) {
          const figures = await take(side, name, flags, signal);
          broken ||= figures === undefined;
          for (const figure of figures ?? []) note(side, figure);
        }
      }
    }
    console.log(`\n${ratios(ours, theirs)}`);
    return broken ? 2 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    git(root, "worktree", "prune");
  }
}

function git(root: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

function hashOf(root: string, commit: string): string {
  try {
    return git(root, "rev-parse", "--verify", "--quiet", "--short=8", "--end-of-options", `${commit}^{commit}`);
  } catch {
    throw new CallerError(`There is no commit ${commit} here.`);
  }
}

/** Makes the worktree, with its packages and what `npm ci` builds, and with this commit's benches beside its own. */
async function checkOut(root: string, tree: string, commit: string, signal: AbortSignal): Promise<void> {
  await mustRun("git", ["worktree", "add", "--detach", tree, commit], root, signal);
  cpSync(path.join(root, "bench"), path.join(tree, OUR_SCRIPTS), { recursive: true });
  const lock = (folder: string): string => readFileSync(path.join(folder, "package-lock.json"), "utf8");
  const isSame = lock(root) === lock(tree);
  const packages = path.join(root, "node_modules");
  if (isSame && existsSync(packages)) {
    mkdirSync(path.join(tree, "node_modules"));
    // What a commit builds is in .cache, which the two must not share.
    for (const entry of readdirSync(packages).filter((name) => name !== ".cache")) {
      symlinkSync(path.join(packages, entry), path.join(tree, "node_modules", entry));
    }
    await build(tree, signal);
  } else if (!isSame) {
    console.log(`The lock file of ${commit} differs: npm ci.`);
    await mustRun("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], tree, signal);
  }
  // What is built here may be older than the sources.
  await build(root, signal);
}

/** What `npm ci` does once the packages are there. */
async function build(root: string, signal: AbortSignal): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { scripts?: object };
  if (scripts !== undefined && "postinstall" in scripts) await mustRun("npm", ["run", "postinstall"], root, signal);
}

async function mustRun(command: string, args: readonly string[], cwd: string, signal: AbortSignal): Promise<void> {
  const { code, errors } = await runToEnd(command, args, cwd, signal);
  if (code !== 0) throw new CallerError(`${command} ${args.join(" ")} failed in ${cwd}:\n${errors.trim()}`);
}

/** One run: there with this commit's script, and from the first one that gives no figure on with its own. */
async function take(
  side: Side,
  name: string,
  flags: readonly string[],
  signal: AbortSignal,
): Promise<readonly Measured[] | undefined> {
  const taken = await runBench(side.root, `${side.scripts}/${name}.ts`, flags, signal);
  if (taken.figures !== undefined) return taken.figures;
  if (side.scripts !== OUR_SCRIPTS) {
    console.log(`${side.label}: ${name} gave no figure. ${faultOf(taken)}`);
    return undefined;
  }
  console.log(`${name}: this commit's script cannot run at ${side.label}, so its own runs. ${faultOf(taken)}`);
  side.scripts = "bench";
  return await take(side, name, flags, signal);
}

function faultOf({ errors, code }: Taken): string {
  return /^.*Error.*$/mu.exec(errors)?.[0] ?? `exit code ${code}`;
}

function note({ label, values }: Side, figure: Measured): void {
  console.log(`${label}: ${describe(figure)}`);
  if ("skipped" in figure) return;
  const key = `${figure.name} (${figure.unit})`;
  values.set(key, [...(values.get(key) ?? []), figure.value]);
}

function ratios(ours: Side, theirs: Side): string {
  const keys = new Set([...ours.values.keys(), ...theirs.values.keys()]);
  const rows = [...keys].map((key) => {
    const [a = [], b = []] = [ours.values.get(key), theirs.values.get(key)];
    const ratio = a.length > 0 && b.length > 0 ? (median(a) / median(b)).toFixed(3) : "–";
    return [key, ratio, spread(a), spread(b)];
  });
  return tableOf([["figure", "ratio", ours.label, theirs.label], ...rows]);
}

/** The median, and the least and the most. */
function spread(values: readonly number[]): string {
  if (values.length === 0) return "–";
  return `${shown(median(values))} (${shown(Math.min(...values))} to ${shown(Math.max(...values))})`;
}
