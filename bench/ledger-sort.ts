import { execFileSync } from "node:child_process";
import { createWriteStream, openSync, readSync, closeSync, statSync } from "node:fs";
import { once } from "node:events";
import path from "node:path";

import { normalisedIntake } from "../src/export/ledger-intake.ts";
import { temporaryFiles } from "../src/export/temporary-file.ts";
import { MIB, scratchFolder } from "./support/export-once.ts";
import { alternate, atLeast, runAsScript, versionOf, type Measured } from "./support/figure.ts";
import { ASSET, PARTY } from "./support/ledger-source.ts";

// A ledger of 250 MB in no order: checked, filtered, brought into one form, summed up, sorted and hashed, from its bytes
// in a file to the finished file; against sort of the same file by its first column alone, to the same disk.

const NAME = "ledger, in one form and sorted, against sort";
const BYTES = 250_000_000;
const ROUNDS = 3;

/** Rows of the older columns, as a node sends them, their times in no order. */
async function writeLedger(file: string): Promise<void> {
  const out = createWriteStream(file);
  out.write(
    "vega_time,quantity,transfer_type,asset_id,account_from_market_id,account_from_party_id,account_from_account_type,account_to_market_id,account_to_party_id,account_to_account_type,account_from_balance,account_to_balance\n",
  );
  let written = 0;
  for (let row = 0; written < BYTES;) {
    let piece = "";
    for (; piece.length < MIB; row += 1) {
      // A linear congruence visits each of 2^22 seconds once before it repeats.
      const second = (row * 2_654_435 + 12_345) % 4_194_304;
      const time = new Date(Date.UTC(2023, 0, 1) + second * 1000).toISOString().slice(0, 19).replace("T", " ");
      piece += `${time}.${String(row % 1_000_000).padStart(6, "0")}+00,${row * 1009}00000000000,4,\\x${ASSET},\\x${ASSET},\\x${PARTY},4,\\x${ASSET},\\x03,2,${row}000000000000000000,0\n`;
    }
    written += piece.length;
    if (!out.write(piece)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

async function oursOnce(source: string, directory: string): Promise<number> {
  const began = performance.now();
  const query = { partyId: PARTY, assetId: ASSET };
  const intake = await normalisedIntake(temporaryFiles({ directory }), { query, decimals: 6 }, () => undefined);
  const fd = openSync(source, "r");
  try {
    // As much at once as a socket gives.
    const buffer = Buffer.allocUnsafeSlow(64 * 1024);
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
      const room = intake.write(buffer.subarray(0, read));
      if (room !== undefined) await room;
    }
    const { rows, sizeBytes } = await intake.finish();
    if (rows === 0 || sizeBytes < BYTES / 2) throw new Error("rows are missing");
    return (performance.now() - began) / 1000;
  } finally {
    closeSync(fd);
    await intake.file.dispose();
    await intake.stop();
  }
}

async function measure(): Promise<readonly Measured[]> {
  const sort = versionOf("sort");
  if (sort === undefined) return [{ name: NAME, skipped: "there is no sort here" }];
  await using folder = await scratchFolder();
  const source = path.join(folder.path, "ledger.csv");
  await writeLedger(source);
  const target = path.join(folder.path, "sorted.csv");
  const options = ["--parallel=1", "-S", "64M", "-T", folder.path, "-t,", "-k1,1", "-o", target, source];
  const sortOnce = async (): Promise<number> => {
    const began = performance.now();
    execFileSync("sort", options, { env: { LC_ALL: "C" } });
    return (performance.now() - began) / 1000;
  };
  const { ours, theirs } = await alternate(ROUNDS, () => oursOnce(source, folder.path), sortOnce);
  const rate = (seconds: number): string => `${(statSync(source).size / MIB / seconds).toFixed(0)} MiB/s`;
  const detail = `${rate(ours)} against ${rate(theirs)}, median of ${ROUNDS}; ${sort}`;
  return [atLeast(NAME, theirs / ours, 0.4, "of its speed", detail)];
}

await runAsScript(import.meta.url, measure);
