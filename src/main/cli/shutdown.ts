import { randomBytes } from "node:crypto";
import os from "node:os";

import { messageOf } from "../../errors.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";
import type { Log } from "../../log.ts";
import { EXIT_BUG } from "./cli.ts";

/** How long one part may take to stop; platforms stop within 5 s. */
const STEP_MILLIS: Milliseconds = 5500;
/** How long all parts together may take; then each gets the minimum. In total that is less than 10 s. */
const TOTAL_MILLIS: Milliseconds = 8000;
const MIN_STEP_MILLIS: Milliseconds = 200;

/** Stops all parts, last started first, and never hangs. */
export type Shutdown = ReturnType<typeof createShutdown>;

export function createShutdown(log: Log) {
  const parts: { readonly part: string; readonly stop: () => Promise<void> }[] = [];
  const controller = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  let code = 0;
  let over = false;

  async function stopOne(part: string, stop: () => Promise<void>, deadline: number): Promise<void> {
    const millis = Math.max(MIN_STEP_MILLIS, Math.min(STEP_MILLIS, deadline - performance.now()));
    try {
      await inTime(stop(), { millis }, () => log.warn({ part }, "stop timed out"));
    } catch (thrown) {
      log.warn({ part, why: messageOf(thrown) }, "stop failed");
    }
  }

  async function stopAll(): Promise<void> {
    const deadline = performance.now() + TOTAL_MILLIS;
    for (let last = parts.pop(); last !== undefined; last = parts.pop()) await stopOne(last.part, last.stop, deadline);
    over = true;
    resolve(code);
  }

  return {
    /** Aborts as soon as the stop begins. */
    signal: controller.signal,
    /** Resolves with the exit code once everything has stopped. */
    ended,
    /** Registers how a part is stopped. */
    add(part: string, stop: () => Promise<void>): void {
      // A part that starts during the stop joins it; one that starts afterwards is stopped at once.
      if (over) void stopOne(part, stop, performance.now());
      else parts.push({ part, stop });
    },
    /** Begins to stop, or joins the stop under way. The first exit code given counts, unless a later one is worse. */
    begin(exitCode: number): Promise<number> {
      code = Math.max(code, exitCode);
      if (!controller.signal.aborted) {
        controller.abort(new DOMException("Bellwether is stopping.", "AbortError"));
        void stopAll();
      }
      return ended;
    },
  };
}

/**
 * Within this time a second signal comes from the same key press: a terminal signals the whole process group, and npm
 * and the launcher forward their signal as well.
 */
const SAME_SIGNAL_MILLIS: Milliseconds = 750;

/** Stops in order at the first signal, at once at the second; an uncaught error stops in order, too. */
export function handleProcessEvents(
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

  const onUncaught = (thrown: unknown): void => {
    const bug = randomBytes(4).toString("hex");
    log.fatal({ err: thrown, bug }, "uncaught error");
    void shutdown.begin(EXIT_BUG);
  };
  process.on("uncaughtException", onUncaught);
  process.on("unhandledRejection", onUncaught);
}
