import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { commands } from "../../commands/index.ts";
import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { createBot } from "../../src/bot/bot.ts";
import { silentLog } from "../../src/log.ts";
import { fromMillis } from "../../src/units/time.ts";
import { noAlertService } from "../../test/support/alert-service.ts";
import { NO_EXPORTS } from "../../test/support/export-jobs.ts";
import { PLATFORMS } from "../../test/support/platforms.ts";

/** The command `time` through bot, client and terminal renderer. */
export function asker(url: string, cache: boolean): AsyncDisposable & { time(): Promise<void> } {
  const log = silentLog();
  const now = () => fromMillis(Date.now());
  const api = createApiClient({
    network: "bench",
    nodes: [{ url }],
    simulated: false,
    log,
    cache,
    // The node's rate limit is no part of what is measured.
    limits: { requestsPerSecond: 1e6, burst: 1e6 },
  });
  const bot = createBot({
    platforms: PLATFORMS,
    commands,
    clients: [api],
    seen: { note: async () => undefined, find: async () => [] },
    parties: {
      save: async () => "saved",
      list: async () => [],
      forget: async () => false,
      erase: async () => undefined,
    },
    exports: NO_EXPORTS,
    // No database is part of what is measured, and a watched network of which no alert is open has none to tell.
    alerts: { ...noAlertService(), openAndLastHalt: async () => [] },
    log,
    now,
  });
  const { signal } = new AbortController();
  return {
    async time() {
      const reply = await bot.runLine("time", {
        here: { platform: "terminal", files: { maxBytes: Number.MAX_SAFE_INTEGER, maxCount: 100 } },
        caller: { id: "bench", name: "bench", mayManageChannel: true },
        signal,
      });
      const text = renderTerminal(reply, { width: 100, colour: true, links: false, now: now() });
      if (reply.failure !== undefined || !text.includes("28,571,428")) throw new Error(`not answered: ${text}`);
    },
    [Symbol.asyncDispose]: () => api.close(),
  };
}

/** A node in a process of its own that tells the time. */
export async function startTimeNode(): Promise<{ readonly url: string; stop(): void }> {
  const child = fork(fileURLToPath(import.meta.url), ["serve"]);
  const [port] = (await once(child, "message")) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

/** Its time goes on. It computes nothing, so that what is ours weighs as much as it can. */
function serve(): void {
  const server = createServer((_request, response) => {
    const at = `${Date.now()}000000`;
    response.writeHead(200, {
      "Content-Type": "application/json",
      "X-Block-Height": "28571428",
      "X-Block-Timestamp": at,
    });
    response.end(`{"timestamp":"${at}"}`);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit());
}

if (process.argv[2] === "serve" && process.send !== undefined) serve();
