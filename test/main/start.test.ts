import { Writable } from "node:stream";

import { expect, onTestFinished, test, vi } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { systemClock } from "../../src/api/clock.ts";

import { createLog } from "../../src/log.ts";
import { createShutdown } from "../../src/main/cli/shutdown.ts";
import { runBot } from "../../src/main/start.ts";
import { createStore } from "../../src/store/create-store.ts";
import type { Processes } from "../../src/store/store.ts";
import { freePort } from "../support/free-port.ts";
import { parseConfig } from "../support/platforms.ts";
import { scratchDatabase } from "../support/scratch-database.ts";

/** The parts after each of which a start waits for something. */
const STEPS = ["processes", "networks", "exports", "web", "database watch"];

test("a process may leave at every step of another one's start", async () => {
  const scratch = await scratchDatabase();
  let logged = "";
  const log = createLog("warn", new Writable({ write: (line, _, done) => done(void (logged += String(line))) }));
  const shutdown = createShutdown(log);
  const store = createStore({ url: scratch.file, log });
  onTestFinished(async () => {
    await shutdown.begin(0);
    await scratch.remove();
  });
  await store.transaction(({ exports }) =>
    exports.add({
      code: "gone-1",
      platform: "web",
      workspace: "",
      channel: null,
      person: "p",
      network: "mainnet",
      state: "running",
      invocation: JSON.stringify({ command: "ledger export", options: {} }),
      created_at: Date.now(),
      started_at: Date.now(),
      process: "gone",
    }),
  );
  const built: string[] = [];
  /** The part that was built last whenever one of the others left. */
  const left = new Set<string | undefined>();
  let others = 1000;
  let beat = (): void => {};
  const processes: Processes = {
    ...store.processes,
    aliveFor: 6000,
    async heartbeat() {
      left.add(built.at(-1));
      return (others -= 1);
    },
  };
  const greeting = vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => greeting.mockRestore());
  await runBot({
    config: parseConfig({ DATABASE_URL: scratch.file, WEB_PORT: String(await freePort()) }),
    alertsConfig: DEFAULT_ALERTS_CONFIG,
    store: { ...store, processes },
    log,
    lostLogLines: () => 0,
    shutdown: {
      ...shutdown,
      add(part, stop) {
        built.push(part);
        shutdown.add(part, stop);
        beat();
      },
    },
    hooks: {},
    clock: {
      ...systemClock,
      sleep: (_millis, signal) =>
        new Promise((resolve) => {
          beat = resolve;
          signal?.addEventListener("abort", () => resolve());
        }),
    },
  });
  expect(greeting).toHaveBeenCalledOnce();
  await vi.waitFor(async () => expect((await store.exports.get("gone-1"))?.state).toBe("interrupted"));
  expect([...left]).toEqual(expect.arrayContaining(STEPS));
  expect(logged).toBe("");
});
