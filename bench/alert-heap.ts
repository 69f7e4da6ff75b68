import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { atMost, runAsScript, type Measured } from "./support/figure.ts";
import { virtualLife } from "./support/virtual-life.ts";

// A week of the whole way in virtual time: data nodes in another process, watchers, engine, dispatcher and database. What the heap holds after a forced collection at the end of day 7, less what it held at the end of day 2.

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NODES = 1;
const SUBSCRIPTIONS = 10;
const KINDS = ["checkpoint.new", "snapshot.new", "market.state", "market.auction", "network.stalled"] as const;
const FROM = 2;
const UNTIL = Number(process.argv.find((argument) => /^--days=\d+$/u.test(argument))?.slice("--days=".length) ?? 7);

async function measure(): Promise<readonly Measured[]> {
  const collect = forcedCollection();
  await using life = await virtualLife({ nodes: NODES, subscriptions: SUBSCRIPTIONS, kinds: KINDS });
  const megabytes: number[] = [];
  for (let day = 1; day <= UNTIL; day += 1) {
    for (let hour = 0; hour < DAY / HOUR; hour += 1) await life.pass(HOUR);
    collect();
    megabytes.push(process.memoryUsage().heapUsed / 1e6);
  }
  const grown = (megabytes[UNTIL - 1] ?? Number.NaN) - (megabytes[FROM - 1] ?? Number.NaN);
  const { requests, messages } = life.counts;
  const days = megabytes.map((one) => one.toFixed(1)).join(", ");
  const detail = `${requests} requests, ${messages} messages; MB at the end of each day: ${days}`;
  return [atMost(`alerts: heap, virtual day ${UNTIL} minus day ${FROM}`, grown, 2, "MB", detail)];
}

function forcedCollection(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

await runAsScript(import.meta.url, measure);
