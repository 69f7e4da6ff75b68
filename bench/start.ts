import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { scratchFolder } from "./support/export-once.ts";
import { atMost, median, runAsScript, type Measured } from "./support/figure.ts";

// From `npm start`'s command to the first answered question over HTTP, with the embedded simulator and no platform.

const ROUNDS = 7;
const GIVE_UP_MILLIS = 20_000;

async function measure(): Promise<readonly Measured[]> {
  await using folder = await scratchFolder();
  const times: number[] = [];
  // What it takes where the compile cache, which `npm ci` fills, is missing.
  const cold = await startOnce(`${folder.path}/0.db`, { NODE_DISABLE_COMPILE_CACHE: "1" });
  for (let round = 1; round <= ROUNDS; round += 1) times.push(await startOnce(`${folder.path}/${round}.db`));
  const detail = `median of ${ROUNDS} starts; without the compile cache ${cold.toFixed(2)} s`;
  return [atMost("start to first answer", median(times), 1, "s", detail)];
}

/** Seconds from spawning to the first answer to `time`. */
async function startOnce(database: string, more: Readonly<Record<string, string>> = {}): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("../bin/run.mjs", import.meta.url)), "src/main.ts", "start"],
    {
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"],
        WEB_PORT: String(port),
        DATABASE_URL: `file:${database}`,
        LOG_LEVEL: "error",
        ...more,
      },
    },
  );
  try {
    while (performance.now() - began < GIVE_UP_MILLIS) {
      if (await answers(port)) return (performance.now() - began) / 1000;
      if (child.exitCode !== null) throw new Error(`start ended with exit code ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error("start did not answer");
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/invocations`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "time" }),
    });
    const reply = (await response.json()) as { title?: unknown; failure?: unknown };
    return response.ok && reply.title !== undefined && reply.failure === undefined;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

await runAsScript(import.meta.url, measure);
