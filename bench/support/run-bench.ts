import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";

import type { Measured } from "./figure.ts";

/** The exit code of a process that Ctrl-C ended, as shells count it. */
export const INTERRUPTED = 130;

/** The names of the benches in a folder. */
export function benches(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ts") && file !== "run.ts")
    .map((file) => file.slice(0, -3));
}

/** What a process printed until it ended. */
interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly errors: string;
}

/**
 * Runs a program to its end. It has a process group of its own, which is killed with all that it started when `signal`
 * aborts; then the promise rejects.
 */
export async function runToEnd(
  command: string,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<Output> {
  signal.throwIfAborted();
  const isGroup = process.platform !== "win32";
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: isGroup });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(isGroup ? -child.pid : child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  signal.addEventListener("abort", kill);
  try {
    const [stdout, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    signal.throwIfAborted();
    return { code: child.exitCode, stdout, errors };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

/** The figures of one run of a bench; undefined where it gave none. */
export interface Taken {
  readonly figures: readonly Measured[] | undefined;
  /** What it printed for people, before the figures. */
  readonly printed: string;
  readonly errors: string;
  readonly code: number | null;
}

/** Runs the bench `script`, a path from `root`, in a process of its own. */
export async function runBench(
  root: string,
  script: string,
  flags: readonly string[],
  signal: AbortSignal,
): Promise<Taken> {
  const { code, stdout, errors } = await runToEnd(process.execPath, [script, ...flags, "--json"], root, signal);
  // The figures are the last line.
  const lines = stdout.trimEnd().split("\n");
  const line = lines.at(-1) ?? "";
  if (!line.startsWith("[")) return { figures: undefined, printed: stdout, errors, code };
  const printed = lines.slice(0, -1).map((one) => `${one}\n`);
  return { figures: JSON.parse(line) as Measured[], printed: printed.join(""), errors, code };
}
