import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

import { request } from "undici";

import { exportOnce, MIB, scratchFolder } from "./support/export-once.ts";
import { alternate, atLeast, runAsScript, versionOf, type Measured } from "./support/figure.ts";
import { startLedgerSource } from "./support/ledger-source.ts";

// A ledger export in raw framing, with error detection, row count and SHA-256, against `curl -o` of the same bytes
// to the same disk. Of both the transfer alone is timed: curl's by its own clock, without the start of its process; ours
// from the question to the file that is checked, hashed and written. The last figure is what the HTTP client leaves to
// be had: undici alone, which neither checks nor hashes what it writes.

const NAME = "export, raw framing, against curl -o";
const BYTES = 512 * MIB;
const ROUNDS = 7;

async function measure(): Promise<readonly Measured[]> {
  const curl = versionOf("curl");
  if (curl === undefined) return [{ name: NAME, skipped: "there is no curl here" }];
  await using folder = await scratchFolder();
  const source = await startLedgerSource();
  try {
    const url = `http://127.0.0.1:${source.port}/raw/${BYTES}`;
    const target = path.join(folder.path, "curl.csv");
    const curlOnce = async (): Promise<number> => {
      await rm(target, { force: true });
      const options = ["--silent", "--fail", "--write-out", "%{time_total}", "-o", target];
      const { stdout } = await promisify(execFile)("curl", [...options, `${url}/x`]);
      return Number(stdout);
    };
    const exported = (raw: boolean) => async (): Promise<number> => (await exportOnce(url, folder.path, raw)).seconds;
    const fetched = async (): Promise<number> => {
      const began = performance.now();
      const { body } = await request(`${url}/x`);
      await pipeline(body, createWriteStream(path.join(folder.path, "undici.csv"), { highWaterMark: MIB }));
      return (performance.now() - began) / 1000;
    };
    const against = async (once: () => Promise<number>, name: string, least: number): Promise<Measured> => {
      const { ours, theirs } = await alternate(ROUNDS, once, curlOnce);
      const rate = (seconds: number): string => `${(BYTES / MIB / seconds).toFixed(0)} MiB/s`;
      const detail = `${rate(ours)} against ${rate(theirs)}, median of ${ROUNDS}, 512 MiB, without process start; ${curl}`;
      return atLeast(name, theirs / ours, least, "of its speed", detail);
    };
    return [
      await against(exported(true), NAME, 0.7),
      await against(exported(false), "export, rows checked one by one, against curl -o", 0),
      await against(fetched, "undici into a file, unchecked, against curl -o", 0),
    ];
  } finally {
    source.stop();
  }
}

await runAsScript(import.meta.url, measure);
