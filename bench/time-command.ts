import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { type Dispatcher, getGlobalDispatcher, Pool, request } from "undici";

import { commands } from "../commands/index.ts";
import { renderTerminal } from "../src/adapters/terminal/render/render.ts";
import { createApiClient } from "../src/api/client/client.ts";
import { createBot } from "../src/bot/bot.ts";
import { silentLog } from "../src/log.ts";
import { PLATFORMS } from "../src/main/platforms/platforms.ts";
import { fromMillis } from "../src/units/nanoseconds.ts";
import { noAlertService } from "../test/support/alert-service.ts";
import { alternate, atMost, type Measured, runAsScript, shown } from "./support/figure.ts";
import { NO_EXPORTS } from "../test/support/export-jobs.ts";

// The command `time` through bot, client and terminal renderer, against a bare undici request and JSON.parse.

/** Many short rounds: whatever else the machine does then falls on few of them, which a median leaves out. */
const ROUNDS = 101;
const TIMES_A_ROUND = 50;
/** A bot runs for weeks: it is measured once V8 has compiled what it runs often, which takes some ten thousand times. */
const WARM_UPS = 500;

async function read({ body }: Dispatcher.ResponseData): Promise<void> {
  const { timestamp } = JSON.parse(await body.text()) as { timestamp: string };
  if (timestamp.length !== 19) throw new Error("no time came");
}

async function measure(): Promise<readonly Measured[]> {
  const child = fork(fileURLToPath(import.meta.url), ["child"]);
  const [port] = (await once(child, "message")) as [number];
  const url = `http://127.0.0.1:${port}`;
  const path = "/api/v2/network/time";
  const headers = { accept: "application/json" };
  const pool = new Pool(url, { connections: 16 });
  try {
    // As undici's README shows it: https://github.com/nodejs/undici#undicirequesturl-options-promise
    const bare = async (): Promise<void> => read(await request(`${url}${path}`, { headers }));
    const pooled = async (): Promise<void> => read(await pool.request({ path, method: "GET", headers }));
    const { version } = createRequire(import.meta.url)("undici/package.json") as { version: string };
    const figures: Measured[] = [];
    for (const [cache, bound, name] of [
      [false, 1.5, "time, cache off, against a bare undici request"],
      [true, 1, "time, cache on, against a bare undici request"],
    ] as const) {
      await using ask = asker(url, cache);
      const ours = (): Promise<number> => timed(() => ask.time());
      const bareOne = await alternate(ROUNDS, ours, () => timed(bare), WARM_UPS);
      const pooledOne = await alternate(ROUNDS, ours, () => timed(pooled));
      const detail =
        `${micros(bareOne.ours)} against ${micros(bareOne.theirs)}, median of ${ROUNDS} times ${TIMES_A_ROUND} one after the other; ` +
        `${shown(pooledOne.ours / pooledOne.theirs)} times as long as one on a Pool of its own (${micros(pooledOne.theirs)}); ` +
        `the node: a server of its own process that computes nothing; undici ${version}`;
      figures.push(atMost(name, bareOne.ours / bareOne.theirs, bound, "times as long", detail));
    }
    return figures;
  } finally {
    await Promise.all([pool.close(), getGlobalDispatcher().close()]);
    child.kill();
  }
}

function micros(millis: number): string {
  return `${(millis * 1000).toFixed(0)} µs`;
}

/** Milliseconds for one. */
async function timed(once: () => Promise<void>): Promise<number> {
  const began = performance.now();
  for (let count = 0; count < TIMES_A_ROUND; count += 1) await once();
  return (performance.now() - began) / TIMES_A_ROUND;
}

function asker(url: string, cache: boolean): AsyncDisposable & { time(): Promise<void> } {
  const log = silentLog();
  const now = () => fromMillis(Date.now());
  const api = createApiClient({
    network: "bench",
    nodes: [{ url }],
    simulated: false,
    log,
    cache,
    // The node's rate limit is no part of what is measured.
    limits: { requestsPerSecond: 1e6, burst: 1e6 },
  });
  const bot = createBot({
    platforms: PLATFORMS,
    commands,
    clients: [api],
    seen: { note: async () => undefined, find: async () => [] },
    parties: {
      save: async () => "saved",
      list: async () => [],
      forget: async () => false,
      erase: async () => undefined,
    },
    exports: NO_EXPORTS,
    alerts: noAlertService(),
    log,
    now,
  });
  const { signal } = new AbortController();
  return {
    async time() {
      const reply = await bot.runLine("time", {
        here: { platform: "terminal", files: { maxBytes: Number.MAX_SAFE_INTEGER, maxCount: 100 } },
        caller: { id: "bench", name: "bench", mayManageChannel: true },
        signal,
      });
      const text = renderTerminal(reply, { width: 100, colour: true, links: false, now: now() });
      if (reply.failure !== undefined || !text.includes("28571428")) throw new Error(`not answered: ${text}`);
    },
    [Symbol.asyncDispose]: () => api.close(),
  };
}

/** One node in a process of its own, whose time goes on. It computes nothing, so that what is ours weighs as much as it can. */
function serve(): void {
  const server = createServer((_request, response) => {
    const at = `${Date.now()}000000`;
    response.writeHead(200, {
      "Content-Type": "application/json",
      "X-Block-Height": "28571428",
      "X-Block-Timestamp": at,
    });
    response.end(`{"timestamp":"${at}"}`);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit());
}

if (process.argv[2] === "child" && process.send !== undefined) serve();
else await runAsScript(import.meta.url, measure);
