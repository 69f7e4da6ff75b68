import { existsSync } from "node:fs";
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach } from "vitest";

import { LedgerExports, type LedgerExportRequest, type LedgerExportsConfig } from "../../src/export/ledger-exports.ts";
import { silentLog } from "../../src/log.ts";
import { fromMillis } from "../../src/units/time.ts";
import { ASSET, PARTY } from "./ledger-csv.ts";

/** The folder that the exports of a test write to. */
interface ExportFolder {
  readonly path: string;
  exports(config?: Partial<LedgerExportsConfig>): LedgerExports;
  /** Leftovers of an export: names in the folder, and open files without one. */
  leftOver(): Promise<string[]>;
}

/** A new folder for each test of the file. */
export function exportFolder(): ExportFolder {
  let directory = "";
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "bellwether-test-"));
  });
  afterEach(() => rm(directory, { recursive: true }));
  return {
    get path() {
      return directory;
    },
    exports: (config) =>
      new LedgerExports({ directory, log: silentLog(), now: () => fromMillis(Date.now()), ...config }),
    async leftOver() {
      const named = await readdir(directory);
      if (!existsSync("/proc/self/fd")) return named;
      const links = await Promise.all(
        (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
      );
      return [...named, ...links.filter((link) => link.startsWith(directory))];
    },
  };
}

export function request(more: Partial<LedgerExportRequest> = {}): LedgerExportRequest {
  return {
    query: { partyId: PARTY, assetId: ASSET },
    raw: false,
    name: "ledger",
    signal: new AbortController().signal,
    ...more,
  };
}

export const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
