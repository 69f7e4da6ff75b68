import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

import { exportOnce, MIB, scratchFolder } from "./support/export-once.ts";
import { alternate, atLeast, runAsScript, versionOf, type Measured } from "./support/figure.ts";
import { startLedgerSource } from "./support/ledger-source.ts";

// A ledger export in message framing, over the network, against `jq | base64 -d` of the same bytes from a file.

const NAME = "export, message framing, against jq -r .result.data | base64 -d";
const BYTES = 256 * MIB;
const ROUNDS = 5;

async function measure(): Promise<readonly Measured[]> {
  const [jq, base64, curl] = [versionOf("jq"), versionOf("base64"), versionOf("curl")];
  const missing = [jq ?? "jq", base64 ?? "base64", curl ?? "curl"].filter(
    (tool) => !/\d/u.test(tool) || tool === "base64",
  );
  if (missing.length > 0) return [{ name: NAME, skipped: `there is no ${missing.join(", no ")} here` }];
  await using folder = await scratchFolder();
  const source = await startLedgerSource();
  try {
    const url = `http://127.0.0.1:${source.port}/messages/${BYTES}`;
    const [messages, target] = [path.join(folder.path, "messages.json"), path.join(folder.path, "decoded.csv")];
    const run = promisify(execFile);
    await run("curl", ["--silent", "--fail", "-o", messages, `${url}/x`]);
    const { ours, theirs } = await alternate(
      ROUNDS,
      async () => (await exportOnce(url, folder.path, true)).seconds,
      async () => {
        const began = performance.now();
        await run("sh", ["-c", 'jq -r .result.data < "$1" | base64 -d > "$2"', "sh", messages, target]);
        return (performance.now() - began) / 1000;
      },
    );
    const rate = (seconds: number): string => `${(BYTES / MIB / seconds).toFixed(0)} MiB/s`;
    const detail = `${rate(ours)} against ${rate(theirs)}, median of ${ROUNDS}, 256 MiB decoded, the tools' start included; ${jq}, ${base64}`;
    return [atLeast(NAME, theirs / ours, 4, "times its speed", detail)];
  } finally {
    source.stop();
  }
}

await runAsScript(import.meta.url, measure);
