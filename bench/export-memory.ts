import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { exportOnce, MIB, scratchFolder } from "./support/export-once.ts";
import { atMost, median, runAsScript, type Measured } from "./support/figure.ts";
import { startLedgerSource } from "./support/ledger-source.ts";

// Peak memory of a process that exports 256 MiB and of one that exports 1 GiB, above the same process idle.

const ROUNDS = 3;

export interface MemoryOfExport {
  readonly idleMib: number;
  readonly peakMib: number;
}

/** In a new process: its resident memory with everything loaded and a small export done, and its peak in a large one. */
export async function memoryOfExport(url: string, directory: string, raw: boolean): Promise<MemoryOfExport> {
  const child = fork(fileURLToPath(import.meta.url), ["child", url, directory, String(raw)]);
  const [message] = (await once(child, "message")) as [MemoryOfExport];
  child.kill();
  return message;
}

async function child(url: string, directory: string, raw: boolean): Promise<void> {
  await exportOnce(url.replace(/\d+$/u, "1"), directory, raw);
  const idleMib = process.memoryUsage.rss() / MIB;
  await exportOnce(url, directory, raw);
  // The kernel's own high-water mark, so that nothing between two samples is missed.
  process.send?.({ idleMib, peakMib: process.resourceUsage().maxRSS / 1024 } satisfies MemoryOfExport);
}

async function measure(): Promise<readonly Measured[]> {
  await using folder = await scratchFolder();
  const source = await startLedgerSource();
  try {
    const figures: Measured[] = [];
    for (const [framing, raw, words] of [
      ["raw", true, "raw framing"],
      ["messages", true, "message framing"],
      ["raw", false, "rows checked"],
    ] as const) {
      // By turns, so that both sizes see the same machine; the median, since it is chance when V8 collects.
      const [small, large]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [mib, above] of [
          [256, small],
          [1024, large],
        ] as const) {
          const url = `http://127.0.0.1:${source.port}/${framing}/${mib * MIB}`;
          const { idleMib, peakMib } = await memoryOfExport(url, folder.path, raw);
          above.push(peakMib - idleMib);
        }
      }
      const [of256, of1024] = [median(small), median(large)];
      const detail = `256 MiB: ${of256.toFixed(0)} MiB, 1 GiB: ${of1024.toFixed(0)} MiB; medians of ${ROUNDS}`;
      figures.push(atMost(`memory of an export above idle, ${words}`, Math.max(of256, of1024), 128, "MiB", detail));
      figures.push(atMost(`memory, 1 GiB above 256 MiB, ${words}`, of1024 - of256, 16, "MiB", detail));
    }
    return figures;
  } finally {
    source.stop();
  }
}

const [, , role, url = "", directory = "", raw] = process.argv;
if (role === "child" && process.send !== undefined) await child(url, directory, raw === "true");
else await runAsScript(import.meta.url, measure);
