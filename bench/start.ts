import { setTimeout as sleep } from "node:timers/promises";

import { askWeb, createSandbox, type Sandbox } from "../test/support/bellwether.ts";
import { freePort } from "../test/support/free-port.ts";
import { atMost, median, runAsScript, type Measured } from "./support/figure.ts";

// From `npm start`'s command to the first answered question over HTTP, with the embedded simulator and no platform.

const ROUNDS = 7;
const GIVE_UP_MILLIS = 20_000;

async function measure(): Promise<readonly Measured[]> {
  const sandbox = createSandbox();
  try {
    const times: number[] = [];
    // What it takes where the compile cache, which `npm ci` fills, is missing.
    const cold = await startOnce(sandbox, 0, { NODE_DISABLE_COMPILE_CACHE: "1" });
    for (let round = 1; round <= ROUNDS; round += 1) times.push(await startOnce(sandbox, round));
    const detail = `median of ${ROUNDS} starts; without the compile cache ${cold.toFixed(2)} s`;
    return [atMost("start to first answer", median(times), 1, "s", detail)];
  } finally {
    await sandbox.cleanUp();
  }
}

/** Seconds from spawning, with a new database, to the first answer to `time`. */
async function startOnce(sandbox: Sandbox, round: number, more: Record<string, string> = {}): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const env = { WEB_PORT: String(port), DATABASE_URL: `file:./${round}.db`, LOG_LEVEL: "error", ...more };
  const bot = sandbox.run(["start"], env);
  try {
    while (performance.now() - began < GIVE_UP_MILLIS) {
      if (await answers(port)) return (performance.now() - began) / 1000;
      if (bot.child.exitCode !== null)
        throw new Error(`start ended with exit code ${bot.child.exitCode}: ${bot.stderr()}`);
      await sleep(5);
    }
    throw new Error("start did not answer");
  } finally {
    await bot.kill("SIGTERM");
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    const { status, body } = await askWeb(`http://127.0.0.1:${port}`, "time");
    const { title, failure } = body as { title?: unknown; failure?: unknown };
    return status === 200 && title !== undefined && failure === undefined;
  } catch {
    return false;
  }
}

await runAsScript(import.meta.url, measure);
