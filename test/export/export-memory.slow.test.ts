import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect, test } from "vitest";

import { memoryOfExport } from "../../bench/export-memory.ts";
import { MIB } from "../../bench/support/export-once.ts";
import { startLedgerSource } from "../../bench/support/ledger-source.ts";

// Bounds on memory that hold however fast the machine is; a fault that keeps what it should let go shows as hundreds of
// megabytes. The exact figures are bench/export-memory.ts's.
test.each([
  ["raw framing, untouched", "raw", true],
  ["raw framing, rows checked", "raw", false],
  ["message framing, untouched", "messages", true],
] as const)("%s: an export of 1 GiB takes no more memory than one of 256 MiB", async (_name, framing, raw) => {
  const directory = await mkdtemp(path.join(tmpdir(), "bellwether-test-"));
  const source = await startLedgerSource();
  try {
    const peakAboveIdle = async (mib: number): Promise<number> => {
      const url = `http://127.0.0.1:${source.port}/${framing}/${mib * MIB}`;
      const { idleMib, peakMib } = await memoryOfExport(url, directory, raw);
      return peakMib - idleMib;
    };
    const small = await peakAboveIdle(256);
    const large = await peakAboveIdle(1024);
    expect(small).toBeLessThan(128);
    expect(large).toBeLessThan(128);
    expect(large - small).toBeLessThan(64);
    expect(await readdir(directory)).toEqual([]);
  } finally {
    source.stop();
    await rm(directory, { recursive: true });
  }
});
