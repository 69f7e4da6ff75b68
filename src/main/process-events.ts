import { randomBytes } from "node:crypto";
import os from "node:os";

import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import { EXIT_BUG } from "./exit-codes.ts";
import type { Shutdown } from "./shutdown.ts";

/**
 * Within this time a second signal is the same key press: a terminal signals the whole process group, and npm and the
 * launcher pass theirs on besides.
 */
const SAME_SIGNAL_MILLIS: Milliseconds = 750;

/** Stops in order at the first signal, at once at the second; a bug that nobody caught stops in order, too. */
export function obeyProcessEvents(
  shutdown: Pick<Shutdown, "begin">,
  log: Log,
  process: Pick<NodeJS.Process, "on" | "exit"> = globalThis.process,
): void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const at = performance.now();
    if (firstAt === undefined) {
      firstAt = at;
      log.info({ signal }, "stopping");
      void shutdown.begin(0);
    } else if (at - firstAt > SAME_SIGNAL_MILLIS) {
      log.warn({ signal }, "stopping at once");
      process.exit(128 + os.constants.signals[signal]);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);

  const onBug = (thrown: unknown): void => {
    const bug = randomBytes(4).toString("hex");
    log.fatal({ err: thrown, bug }, "a bug: nobody caught this error, so the process stops");
    void shutdown.begin(EXIT_BUG);
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
}
