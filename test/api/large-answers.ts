import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { createApiClient } from "../../src/api/client/client.ts";
import { silentLog } from "../../src/log.ts";
import { limitYoungGeneration } from "../../src/main/v8-memory.ts";

// A process that asks for answers of 200 MB, all at once, and one that sends them, so that neither test nor node counts.

export interface LargeAnswers {
  readonly failures: readonly string[];
  /** RSS in bytes: before, and 20 s after the last answer was given up. */
  readonly beforeBytes: number;
  readonly afterBytes: number;
}

const CLIENTS = 6;
const ANSWER_BYTES = 200e6;

/** Measures in processes of its own. */
export async function measureLargeAnswers(): Promise<LargeAnswers> {
  const start = (...role: string[]) => fork(fileURLToPath(import.meta.url), role);
  const node = start("node");
  try {
    const [port] = (await once(node, "message")) as [number];
    const asking = start("ask", String(port));
    const [measured] = (await once(asking, "message")) as [LargeAnswers];
    asking.kill();
    return measured;
  } finally {
    node.kill();
  }
}

async function serve(): Promise<number> {
  const piece = Buffer.alloc(1e6, '{"market":"","markPrice":"123456789"},');
  const server = createServer((_request, response) => {
    let left = ANSWER_BYTES;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= piece.length;
        if (!response.write(piece)) return;
      }
      response.end();
    };
    response.on("drain", more).write('{"marketsData":[');
    more();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function ask(port: string): Promise<LargeAnswers> {
  // As in a bot: how much garbage stays where nothing more is to do depends on it.
  limitYoungGeneration();
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    createApiClient({
      network: `n${index}`,
      nodes: [{ url: `http://127.0.0.1:${port}` }],
      simulated: false,
      log: silentLog(),
    }),
  );
  const beforeBytes = process.memoryUsage.rss();
  const answers = await Promise.allSettled(clients.map((client) => client.getMarketsData()));
  await sleep(20_000);
  const failures = answers.map((one) => (one.status === "rejected" ? String(one.reason) : "answered"));
  return { failures, beforeBytes, afterBytes: process.memoryUsage.rss() };
}

const [, script, role, port = ""] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  process.send?.(role === "node" ? await serve() : await ask(port));
}
