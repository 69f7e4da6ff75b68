import { fork } from "node:child_process";
import { once } from "node:events";

import { serverPackageMissing, startPostgres } from "../test/support/postgres.ts";
import { atMost, type Measured, runAsScript } from "./support/figure.ts";

// 100,000 subscriptions, each of a channel of its own, and one event for all of them: how long until every message is
// owed in the database, so that none can be lost, and how much memory the process has at most, until the first 20,000
// have been delivered over HTTP. On SQLite, and on a PostgreSQL server of this machine. `--channels=N`.

const CHANNELS = Number(process.argv.find((argument) => /^--channels=\d+$/u.test(argument))?.slice(11) ?? 100_000);
const DELIVERED = CHANNELS / 5;
const MAX_SECONDS = 5;
const MAX_MEGABYTES = 1024;

interface Owed {
  readonly owed: number;
  readonly millis: number;
  readonly peakMegabytes: number;
}

async function measure(): Promise<readonly Measured[]> {
  const file = await takeOnce("SQLite");
  if (serverPackageMissing !== undefined) {
    return [...file, { name: "the same on PostgreSQL", skipped: `no PostgreSQL ${serverPackageMissing}` }];
  }
  const server = await startPostgres({ settings: { fsync: "on", full_page_writes: "on", synchronous_commit: "on" } });
  try {
    return [...file, ...(await takeOnce("PostgreSQL", server.url("postgres")))];
  } finally {
    await server.remove();
  }
}

async function takeOnce(engine: string, url?: string): Promise<Measured[]> {
  const platforms = fork(new URL("support/open-platforms.ts", import.meta.url));
  const [{ origin }] = (await once(platforms, "message")) as [{ origin: string }];
  const where = url === undefined ? [] : ["--url", url];
  const child = fork(new URL("support/delivering-process.ts", import.meta.url), [
    "--origin",
    origin,
    "--channels",
    String(CHANNELS),
    ...where,
  ]);
  try {
    await once(child, "message");
    const arrived = once(platforms, "message");
    platforms.send(DELIVERED);
    child.send(100);
    const [first] = (await once(child, "message")) as [Owed];
    if (first.owed !== CHANNELS) throw new Error(`${first.owed} deliveries are owed`);
    await arrived;
    // The next one finds the process as it runs, with most of the first still to be delivered.
    child.send(101);
    const [second] = (await once(child, "message")) as [Owed];
    const seconds = [first, second].map(({ millis }) => millis / 1000);
    const detail = `${engine}, ${CHANNELS} subscriptions: the first event ${seconds[0]?.toFixed(2)} s, the next one, while the first is being delivered, ${seconds[1]?.toFixed(2)} s`;
    return [
      atMost(`event to owed on ${engine}`, Math.max(...seconds), MAX_SECONDS, "s", detail),
      atMost(`memory at most, on ${engine}`, second.peakMegabytes, MAX_MEGABYTES, "MB", detail),
    ];
  } finally {
    child.kill("SIGKILL");
    platforms.kill();
  }
}

await runAsScript(import.meta.url, measure);
