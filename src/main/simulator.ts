import { loadLogLevel } from "../config/config.ts";
import { createLog } from "../log.ts";
import { runSimulator } from "../simulator/cli.ts";
import { logDestination } from "./log-destination.ts";
import { obeyProcessEvents } from "./process-events.ts";
import { createShutdown } from "./shutdown.ts";

/** Serves the simulated networks until a signal comes. */
export async function simulator(args: readonly string[]): Promise<number> {
  const log = createLog(loadLogLevel() ?? "warn", logDestination());
  const shutdown = createShutdown(log);
  obeyProcessEvents(shutdown, log);
  const running = runSimulator(args, { print: (line) => console.log(line), signal: shutdown.signal, log });
  shutdown.add("simulator", () => running);
  await running;
  return shutdown.begin(0);
}
