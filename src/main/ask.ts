import path from "node:path";

import { runAsk } from "../adapters/terminal/index.ts";
import { processTerminal } from "../adapters/terminal/terminal.ts";
import { loadConfig, terminalPreferences } from "../config/config.ts";
import { createLog } from "../log.ts";
import { databaseFile } from "../store/file/database-url.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import { openRunner } from "./ask-runner.ts";
import { logDestination } from "./log-destination.ts";
import { packageVersion } from "./package-version.ts";

/** Answers one question, or prompts for them. */
export async function ask(args: readonly string[]): Promise<number> {
  const config = loadConfig();
  // Faults of the network are in the reply; the log is for those of the bot.
  const log = createLog(config.logLevel ?? "error", logDestination());
  // Whoever meant to set a node's address and is shown a simulated network wants to know why.
  if (config.networks.length === 0) for (const hint of config.hints) console.error(hint);
  return runAsk({
    argv: args,
    terminal: processTerminal(terminalPreferences()),
    open: () => openRunner(config, log, (sentence) => console.error(sentence)),
    historyFile: path.join(path.dirname(databaseFile(config.databaseUrl)), "ask-history"),
    version: packageVersion,
    log,
    now: () => fromMillis(Date.now()),
  });
}
