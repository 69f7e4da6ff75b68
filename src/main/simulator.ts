import { parseArgs } from "node:util";

import { loadLogLevel } from "../config.ts";
import { messageOf, UserError } from "../errors.ts";
import { createLog } from "../log.ts";
import { startSimulator } from "../simulator/simulator.ts";
import { obeyProcessEvents } from "./process-events.ts";
import { createShutdown } from "./shutdown.ts";
import { logDestination } from "./log-destination.ts";

const USAGE = "npm run simulator -- [--port 3008] [--host 127.0.0.1] [--seed WORD] [--nodes 3]";

/** Serves the simulated networks until a signal comes. */
export async function simulator(args: readonly string[]): Promise<number> {
  const { port, host, seed, nodes } = parse(args);
  const log = createLog(loadLogLevel() ?? "warn", logDestination());
  const shutdown = createShutdown(log);
  const running = await startSimulator({
    port,
    host,
    nodesPerNetwork: nodes,
    log,
    ...(seed === undefined ? {} : { seed }),
  });
  shutdown.add("simulator", () => running.close());
  obeyProcessEvents(shutdown, log);
  const lines = Object.entries(running.networks).map(
    ([name, list]) => `${name.toUpperCase()}_URLS=${list.map((node) => node.url).join(",")}`,
  );
  const cores = Object.entries(running.coreUrls).map(([name, url]) => `${name.toUpperCase()}_CORE_URL=${url}`);
  console.log(["A SIMULATED network runs here; Ctrl-C stops it. To ask it:", ...lines, ...cores].join("\n"));
  return shutdown.ended;
}

function parse(args: readonly string[]): { port: number; host: string; seed: string | undefined; nodes: number } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string" },
        host: { type: "string" },
        seed: { type: "string" },
        nodes: { type: "string" },
      },
    });
    return {
      port: integer("--port", values.port ?? "0", 0, 65_535),
      host: values.host ?? "127.0.0.1",
      seed: values.seed,
      nodes: integer("--nodes", values.nodes ?? "3", 1, 9),
    };
  } catch (thrown) {
    if (thrown instanceof UserError) throw thrown;
    throw new UserError(messageOf(thrown).replace(/\.?$/u, "."), { remedy: `Usage: ${USAGE}`, cause: thrown });
  }
}

function integer(name: string, value: string, min: number, max: number): number {
  if (/^\d{1,6}$/u.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw new UserError(`${name} must be a whole number from ${min} to ${max}.`, { remedy: `Usage: ${USAGE}` });
}
