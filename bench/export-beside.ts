import { setTimeout as sleep } from "node:timers/promises";

import { exportOnce, MIB, scratchFolder } from "./support/export-once.ts";
import { atMost, type Measured, runAsScript } from "./support/figure.ts";
import { startLedgerSource } from "./support/ledger-source.ts";
import { asker, startTimeNode } from "./support/time-asker.ts";

// How long the command `time` takes, asked 20 times a second of another node and past the cache, while the same process
// exports 1 GiB: checked, in one form and sorted.

const BYTES = 1024 * MIB;
const PAUSE_MILLIS = 50;

async function measure(): Promise<readonly Measured[]> {
  await using folder = await scratchFolder();
  const [source, node] = await Promise.all([startLedgerSource(), startTimeNode()]);
  try {
    await using ask = asker(node.url, false);
    for (let count = 0; count < 200; count += 1) await ask.time();
    const waits: number[] = [];
    const ended = new AbortController();
    const exported = exportOnce(`http://127.0.0.1:${source.port}/raw/${BYTES}`, folder.path, false).finally(() =>
      ended.abort(),
    );
    while (!ended.signal.aborted) {
      const began = performance.now();
      await ask.time();
      waits.push(performance.now() - began);
      await sleep(PAUSE_MILLIS);
    }
    const { seconds } = await exported;
    const sorted = waits.toSorted((a, b) => a - b);
    const of = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
    const detail = `${waits.length} in ${seconds.toFixed(0)} s; median ${of(0.5).toFixed(1)} ms, worst ${of(1).toFixed(0)} ms`;
    return [atMost("time during an export of 1 GiB, 99 %", of(0.99), 150, "ms", detail)];
  } finally {
    node.stop();
    source.stop();
  }
}

await runAsScript(import.meta.url, measure);
