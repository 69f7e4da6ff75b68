import { once } from "node:events";

import { loadLogLevel } from "../../config.ts";
import { UserError } from "../../errors.ts";
import { createLog, type Log } from "../../log.ts";
import { NETWORKS } from "../../simulator/network.ts";
import { DEFAULT_SEED, type Simulator, startSimulator } from "../../simulator/simulator.ts";
import { logDestination } from "../log-destination.ts";
import { scriptArguments } from "./cli.ts";
import { createShutdown, handleProcessEvents } from "./shutdown.ts";

/** Serves the simulated networks until a signal comes. */
export async function simulator(args: readonly string[]): Promise<number> {
  const log = createLog(loadLogLevel() ?? "warn", logDestination());
  const shutdown = createShutdown(log);
  handleProcessEvents(shutdown, log);
  const running = runSimulator(args, { print: (line) => console.log(line), signal: shutdown.signal, log });
  shutdown.add("simulator", () => running);
  await running;
  return shutdown.begin(0);
}

const USAGE = "npm run simulator -- [--port N] [--seed TEXT] [--host ADDRESS] [--nodes N] [--no-rate-limit]";

/** The output and the stop signal of the process. */
export interface SimulatorTerminal {
  print(line: string): void;
  readonly signal: AbortSignal;
  readonly log?: Log;
}

/** Runs the simulator until the signal says stop. Throws UserError for arguments that are wrong or a port that is busy. */
export async function runSimulator(argv: readonly string[], terminal: SimulatorTerminal): Promise<void> {
  const options = readArguments(argv);
  if (options === undefined) {
    terminal.print(USAGE);
    return;
  }
  const simulator = await startSimulator({ ...options, ...(terminal.log === undefined ? {} : { log: terminal.log }) });
  for (const line of greeting(simulator)) terminal.print(line);
  try {
    if (!terminal.signal.aborted) await once(terminal.signal, "abort");
  } finally {
    await simulator.close();
  }
}

/** Undefined where only help is asked for. */
function readArguments(argv: readonly string[]) {
  const { values } = scriptArguments(argv, OPTIONS, `Usage: ${USAGE}`);
  if (values.help === true) return undefined;
  return {
    port: whole("--port", values.port ?? "0", 0, 65_535),
    seed: values.seed ?? DEFAULT_SEED,
    host: values.host ?? "127.0.0.1",
    nodesPerNetwork: whole("--nodes", values.nodes ?? "3", 1, 9),
    ...(values["no-rate-limit"] === true ? { rateLimit: false as const } : {}),
  };
}

const OPTIONS = {
  port: { type: "string" },
  seed: { type: "string" },
  host: { type: "string" },
  nodes: { type: "string" },
  "no-rate-limit": { type: "boolean" },
  help: { type: "boolean" },
} as const;

function whole(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (/^\d+$/u.test(text) && value >= low && value <= high) return value;
  throw new UserError(`${name} must be a whole number from ${low} to ${high}.`, {
    remedy: `Usage: ${USAGE}`,
  });
}

/** Where it listens, what to set to use it, and what there is to ask for. */
function greeting(simulator: Simulator): string[] {
  const settings = NETWORKS.flatMap((name) => [
    `${name.toUpperCase()}_URLS=${simulator.networks[name].map(({ url }) => url).join(",")}`,
    `${name.toUpperCase()}_CORE_URL=${simulator.coreUrls[name]}`,
  ]);
  const { mainnet } = simulator.samples;
  return [
    `SIMULATED networks at ${simulator.url} (seed "${simulator.seed}"). Stop with Ctrl-C.`,
    "",
    "To let the bot use them, set",
    ...settings,
    "",
    "To try:",
    `  npm run -s ask -- "market show ${mainnet.marketCode}"`,
    `  npm run -s ask -- "order ${mainnet.orderId}"`,
    `  npm run -s ask -- "stake ${mainnet.partyId}"`,
    `  curl ${simulator.url}/mainnet/1/api/v2/network/time`,
    "",
    "To make trouble, and end it:",
    `  curl -H 'Content-Type: application/json' -d '{"kind":"stall","forSeconds":60}' ${simulator.url}/mainnet/control/faults`,
    `  curl -H 'Content-Type: application/json' -d '{"kind":"lag","seconds":90}' ${simulator.url}/mainnet/2/control/faults`,
    `  curl -X DELETE ${simulator.url}/control/faults`,
    `  curl ${simulator.url}/control    (everything there is: ids, kinds of faults)`,
  ];
}
