import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The project's own folder. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The end of a process, and its output. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** Resolves with the first match in what it prints to standard output; rejects when it ends before. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
  stderr(): string;
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): Promise<Ended>;
}

/** A folder to run in, with its own database, and the processes started there. */
export interface Sandbox {
  readonly folder: string;
  /** `main.ts`, or another script of the project, with these arguments. `node` is the Node that runs the launcher. */
  run(
    args: readonly string[],
    env?: Record<string, string>,
    more?: { node?: string; stdin?: string; script?: string },
  ): Running;
  /** Kills what still runs and removes the folder. */
  cleanUp(): Promise<void>;
}

export function createSandbox(): Sandbox {
  const folder = mkdtempSync(path.join(os.tmpdir(), "bellwether-run-"));
  const all: Running[] = [];
  return {
    folder,
    run(args, env = {}, more = {}) {
      const running = runMain(folder, args, env, more);
      all.push(running);
      return running;
    },
    async cleanUp() {
      await Promise.all(all.map((running) => running.kill("SIGKILL")));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runMain(
  cwd: string,
  args: readonly string[],
  env: Record<string, string>,
  { node = process.execPath, stdin, script = "src/main.ts" }: { node?: string; stdin?: string; script?: string },
): Running {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const child = spawn(node, [path.join(ROOT, "bin/run.mjs"), script, ...args], {
    cwd,
    // The tester's own settings must not change the test.
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), LOG_LEVEL: "info", ...env },
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    child.emit("said");
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  child.stdin?.end(stdin);
  const ended = once(child, "close").then(([code, signal]: unknown[]): Ended => {
    child.emit("said");
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr };
  });
  return {
    child,
    ended,
    stderr: () => stderr,
    async printed(pattern) {
      for (;;) {
        const match = stdout.match(pattern);
        if (match !== null) return match;
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(
            `It ended (${child.exitCode ?? child.signalCode}) without printing ${pattern}:\n${stdout}\n${stderr}`,
          );
        }
        await once(child, "said");
      }
    },
    async kill(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}

/** The answer of POST /api/invocations, and its time. */
export async function askWeb(url: string, text: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(new URL("/api/invocations", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  return { status: response.status, body: await response.json() };
}

/** A bot with a listening console and a connected platform. */
export interface Connected extends Running {
  readonly url: string;
  /** The platform's line in /readyz. */
  health(): Promise<{ readonly ok: boolean; readonly why?: string }>;
}

/** Starts the bot and waits until it is connected to the platform. */
export async function startOn(
  platform: "discord" | "slack",
  sandbox: Sandbox,
  env: Record<string, string>,
): Promise<Connected> {
  const running = sandbox.run(["start"], env);
  const [url] = await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  const health: Connected["health"] = async () => {
    const ready = (await (await fetch(new URL("/readyz", url))).json()) as {
      parts: Record<string, { ok: boolean; why?: string }>;
    };
    return ready.parts[platform] ?? { ok: false, why: "not among the parts" };
  };
  while (!(await health()).ok) await sleep(50);
  return { ...running, url, health };
}
