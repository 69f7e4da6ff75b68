import { createRequire } from "node:module";

import { type Dispatcher, getGlobalDispatcher, Pool, request } from "undici";

import { alternate, atMost, type Measured, runAsScript, shown } from "./support/figure.ts";
import { asker, startTimeNode } from "./support/time-asker.ts";

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
  const node = await startTimeNode();
  const { url } = node;
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
    node.stop();
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

await runAsScript(import.meta.url, measure);
