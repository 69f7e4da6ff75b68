import { discordRegister as register } from "../../adapters/discord/register-commands.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../alerts/alerts-config.ts";
import { loadConfig } from "../../config.ts";
import { createLog } from "../../log.ts";
import { createStore } from "../../store/create-store.ts";
import { assembleBot, createPassiveAlertService } from "../assemble-bot.ts";
import { exportFolders, openExportJobs } from "../export-jobs.ts";
import { logDestination } from "../log-destination.ts";
import { openNetworks } from "../networks.ts";

/** Registers the commands with Discord, or shows what would change. */
export async function discordRegister(args: readonly string[]): Promise<number> {
  const config = loadConfig();
  const log = createLog(config.logLevel ?? "warn", logDestination());
  const networks = await openNetworks(config, { log });
  try {
    const store = createStore({ url: config.databaseUrl, log });
    const { commands, networks: names } = await assembleBot({
      networks,
      store,
      exports: await openExportJobs({ store, log, ...exportFolders(config) }),
      alerts: createPassiveAlertService(store, networks, DEFAULT_ALERTS_CONFIG, log),
      log,
    });
    return await register(args, {
      token: undefined,
      ...config.discord,
      commands,
      networks: names,
      print: (line) => console.log(line),
    });
  } finally {
    await networks.close();
  }
}
