import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { Client } from "pg";

import { createSandbox, type Running } from "../test/support/bellwether.ts";
import { serverPackageMissing, startPostgres } from "../test/support/postgres.ts";
import { atMost, median, type Measured, runAsScript } from "./support/figure.ts";

// Two whole processes on one PostgreSQL watch a network of three nodes. By turns the one that watches is killed or
// frozen; how long until the other one has the watch, and until it has stored its first observation. `--times=N`.

const TIMES = Number(process.argv.find((argument) => /^--times=\d+$/u.test(argument))?.slice(8) ?? 20);
const NAME = "take-over of a network's watch";
/** Longer than any take-over. */
const GIVE_UP_MILLIS = 60_000;
const LOOK_MILLIS = 20;
/** The one that is started anew has its first heartbeats. */
const SETTLE_MILLIS = 3000;

async function measure(): Promise<readonly Measured[]> {
  if (serverPackageMissing !== undefined) return [{ name: NAME, skipped: `no PostgreSQL ${serverPackageMissing}` }];
  const server = await startPostgres();
  const url = server.url("postgres");
  const sandbox = createSandbox();
  const around = fork(new URL("support/idle-world.ts", import.meta.url));
  const client = new Client({ connectionString: url });
  try {
    const [{ env }] = (await once(around, "message")) as [{ env: Record<string, string> }];
    const { MAINNET_URLS = "" } = env;
    const start = async (): Promise<Running> => {
      const one = sandbox.run(["start"], { DATABASE_URL: url, WEB_PORT: "0", LOG_LEVEL: "error", MAINNET_URLS });
      await one.printed(/^Bellwether runs/u);
      return one;
    };
    /** The process that has the watch, and its last observation. */
    const look = async (): Promise<{ holder: string; at: string }> => {
      const { rows } = await client.query<{ holder: string; at: string }>(
        `select (select holder from leases where name = 'watch mainnet') as holder,
                (select at from watcher_snapshots where network = 'mainnet' and watcher = 'sources') as at`,
      );
      return rows[0] ?? { holder: "", at: "" };
    };
    let watching = await start();
    await client.connect();
    while ((await look()).at === null) await sleep(LOOK_MILLIS);
    let other = await start();
    const [taken, observed]: [number[], number[]] = [[], []];
    for (let time = 0; time < TIMES; time += 1) {
      await sleep(SETTLE_MILLIS * (1 + Math.random()));
      const before = await look();
      const began = performance.now();
      watching.child.kill(time % 2 === 0 ? "SIGKILL" : "SIGSTOP");
      for (let now = before; now.holder === before.holder || now.at === before.at; now = await look()) {
        if (performance.now() - began > GIVE_UP_MILLIS) throw new Error("nobody took over");
        // An observation of the first one may have been under way.
        if (now.holder === before.holder) before.at = now.at;
        else if (taken.length === time) taken.push(performance.now() - began);
        await sleep(LOOK_MILLIS);
      }
      if (taken.length === time) taken.push(performance.now() - began);
      observed.push(performance.now() - began);
      await watching.kill("SIGKILL");
      [watching, other] = [other, await start()];
    }
    await other.kill("SIGTERM");
    const seconds = (millis: number): number => millis / 1000;
    const words = (all: readonly number[]): string =>
      `median ${seconds(median(all)).toFixed(1)} s, worst ${seconds(Math.max(...all)).toFixed(1)} s`;
    const detail = `${TIMES} kills and freezes by turns: has the watch ${words(taken)}; has observed ${words(observed)}`;
    return [
      atMost(`${NAME}, worst`, seconds(Math.max(...taken)), 10, "s", detail),
      atMost(`${NAME}, median`, seconds(median(taken)), 10, "s", detail),
    ];
  } finally {
    await client.end();
    await sandbox.cleanUp();
    around.kill();
    await server.remove();
  }
}

await runAsScript(import.meta.url, measure);
