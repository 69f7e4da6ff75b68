import { setTimeout as sleep } from "node:timers/promises";

import type { StepName } from "../../src/alerts/dependencies.ts";
import type { Place, Running } from "../support/bellwether.ts";

/** How a life of the bot ends. */
export type Death =
  /** At a step of the way from observing to the receipt, when it is passed for the nth time. */
  | { readonly at: StepName; readonly times: number }
  /** At any moment: so many milliseconds after the process began. */
  | { readonly after: number }
  /** Some seconds after it began to watch: until then it has time for everything. */
  | { readonly after: "long" };

/** What came of one. */
export type Ended = "at the step" | "at a moment" | "at the end of a long life" | "step not reached";

/** A step that is not reached within this is not going to be. */
const STEP_MILLIS = 7000;
const LONGEST_MILLIS = 15_000;

export interface Bot {
  /** A long life, after the page answers: the alerts begin half a second later, and their first look fires nothing. */
  readonly longMillis: number;
  readonly env: Record<string, string>;
  readonly place: Place;
}

export function startBot(bot: Bot, death?: Death): Running {
  const args = death !== undefined && "at" in death ? [death.at, String(death.times)] : [];
  return bot.place.run(args, bot.env, { script: "test/campaign/bot.ts" });
}

/** One life from birth to death; `meanwhile` runs beside it. */
export async function live(bot: Bot, death: Death, meanwhile: () => Promise<void>): Promise<Ended> {
  const born = performance.now();
  const process = startBot(bot, death);
  try {
    const beside = meanwhile();
    const ended = await end(process, death, born, bot.longMillis);
    await beside;
    return ended;
  } finally {
    await process.kill("SIGKILL");
  }
}

async function end(process: Running, death: Death, born: number, longMillis: number): Promise<Ended> {
  if ("at" in death) {
    const reached = await Promise.race([process.ended.then(() => true), sleep(STEP_MILLIS).then(() => false)]);
    if (reached) await mustBeKilled(process);
    return reached ? "at the step" : "step not reached";
  }
  if (death.after === "long") {
    await process.printed(/Bellwether runs/u);
    // On a slow machine everything takes longer.
    await sleep(Math.max(longMillis, Math.min(LONGEST_MILLIS, 4 * (performance.now() - born))));
    if (process.child.exitCode !== null) await mustBeKilled(process);
    return "at the end of a long life";
  }
  const early = await Promise.race([process.ended.then(() => true), sleep(death.after).then(() => false)]);
  if (early) await mustBeKilled(process);
  return "at a moment";
}

/** It ends by nothing else. */
async function mustBeKilled(process: Running): Promise<void> {
  const { code, signal, stdout, stderr } = await process.ended;
  if (signal !== "SIGKILL") {
    throw new Error(`The bot ended by itself (${code ?? signal}):\n${stdout}\n${stderr}`);
  }
}
