import { setTimeout as sleep } from "node:timers/promises";

import type { StepName } from "../../src/alerts/dependencies.ts";
import { openReader } from "./database.ts";
import type { Running, Sandbox } from "../support/bellwether.ts";

/** The end of one run of the bot. */
export type Kill =
  /** At a step between observation and receipt, when it is passed for the nth time. */
  | { readonly at: StepName; readonly times: number }
  /** So many milliseconds after the process began. */
  | { readonly after: number }
  /** Some seconds after it began to watch, which is time for everything. */
  | { readonly after: "long" };

export type KillOutcome = "at the step" | "at a moment" | "at the end of a long life" | "step not reached";

const LONGEST_MILLIS = 15_000;
/** On the slowest machine. */
const ROUNDS_WITHIN_MILLIS = 120_000;

export interface Bot {
  /** A long run, after the page answers: the alerts begin half a second later, and their first observation fires nothing. */
  readonly longMillis: number;
  /** How many rounds over the nodes a long run stores, however long that takes. */
  readonly longRounds: number;
  /** A step that is not reached within this, once it runs, counts as not reached. */
  readonly stepMillis: number;
  readonly env: Record<string, string>;
  readonly sandbox: Sandbox;
}

/** Starts a process whose clock is so far ahead. */
export function startBot(bot: Bot, kill?: Kill, aheadMillis = 0): Running {
  const [step, times] = kill !== undefined && "at" in kill ? [kill.at, kill.times] : ["", 0];
  const args = [String(aheadMillis), step, String(times)];
  return bot.sandbox.run(args, bot.env, { script: "test/campaign/bot.ts" });
}

/** One run of the bot until it is killed; `meanwhile` runs beside it. */
export async function runUntilKilled(bot: Bot, kill: Kill, meanwhile: () => Promise<void>): Promise<KillOutcome> {
  const startedAt = performance.now();
  const process = startBot(bot, kill);
  try {
    const beside = meanwhile();
    const outcome = await end(process, kill, startedAt, bot);
    await beside;
    return outcome;
  } finally {
    await process.kill("SIGKILL");
  }
}

async function end(process: Running, kill: Kill, startedAt: number, bot: Bot): Promise<KillOutcome> {
  if ("at" in kill) {
    // On a slow machine the start alone may take that long.
    await process.printed(/Bellwether runs/u).catch(() => process.ended);
    const reached = await Promise.race([process.ended.then(() => true), sleep(bot.stepMillis).then(() => false)]);
    if (reached) await mustBeKilled(process);
    return reached ? "at the step" : "step not reached";
  }
  if (kill.after === "long") {
    await process.printed(/Bellwether runs/u);
    // On a slow machine everything takes longer, and a round with a dead node half a second on any.
    const long = Math.max(bot.longMillis, Math.min(LONGEST_MILLIS, 4 * (performance.now() - startedAt)));
    await Promise.all([sleep(long), roundsStored(process, bot, ["sources"], bot.longRounds)]);
    if (process.child.exitCode !== null) await mustBeKilled(process);
    return "at the end of a long life";
  }
  const early = await Promise.race([process.ended.then(() => true), sleep(kill.after).then(() => false)]);
  if (early) await mustBeKilled(process);
  return "at a moment";
}

/** Resolves once so many more rounds of each of these watchers are stored, or the bot has ended. */
export async function roundsStored(
  process: Running,
  { env }: Bot,
  watchers: readonly string[],
  rounds: number,
): Promise<void> {
  const database = await openReader(env["DATABASE_URL"] ?? "");
  const left = new Map(watchers.map((watcher) => [watcher, { at: undefined as number | undefined, rounds: -1 }]));
  const giveUpAt = performance.now() + ROUNDS_WITHIN_MILLIS;
  try {
    while (runs(process) && [...left.values()].some((one) => one.rounds < rounds)) {
      if (performance.now() > giveUpAt) throw new Error(`too few rounds were stored: ${JSON.stringify([...left])}`);
      await sleep(20);
      const rows = await database.rows<{ watcher: string; at: number }>("SELECT watcher, at FROM watcher_snapshots");
      for (const { watcher, at } of rows) {
        const known = left.get(watcher);
        if (known === undefined || known.at === at) continue;
        known.at = at;
        known.rounds += 1;
      }
    }
  } finally {
    await database.close();
  }
}

function runs({ child }: Running): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** A run may end in no other way. */
async function mustBeKilled(process: Running): Promise<void> {
  const { code, signal, stdout, stderr } = await process.ended;
  if (signal !== "SIGKILL") {
    throw new Error(`The bot ended by itself (${code ?? signal}):\n${stdout}\n${stderr}`);
  }
}
