import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { createApiClient } from "../../src/api/client/client.ts";
import { LedgerExports, type LedgerFile } from "../../src/export/ledger-exports.ts";
import { silentLog } from "../../src/log.ts";
import { fromMillis } from "../../src/units/time.ts";
import { ASSET, PARTY } from "./ledger-source.ts";

export const MIB = 1024 * 1024;

/** A folder of this run's own; left out, on the disk that exports go to by default. */
export async function scratchFolder(root = tmpdir()): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(root, "bellwether-bench-"));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * One export through the real client, from the question to the file that is checked, hashed and on disk.
 * A client of its own each time: what is measured is the export, not the wait that a node is given between two.
 */
export async function exportOnce(
  url: string,
  directory: string,
  raw: boolean,
): Promise<{ readonly seconds: number; readonly file: LedgerFile }> {
  const log = silentLog();
  const api = createApiClient({ network: "bench", nodes: [{ url }], simulated: false, log });
  const exports = new LedgerExports({ directory, log, now: () => fromMillis(Date.now()) });
  try {
    const began = performance.now();
    const file = await exports.export(api, {
      query: { partyId: PARTY, assetId: ASSET },
      raw,
      name: "bench",
      signal: AbortSignal.timeout(120_000),
    });
    const seconds = (performance.now() - began) / 1000;
    await file.attachment.dispose();
    return { seconds, file };
  } finally {
    await api.close();
  }
}
