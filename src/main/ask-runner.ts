import { type LineRunner, localRunner } from "../adapters/terminal/line-runner.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../log.ts";
import { databaseFile } from "../store/file/database-url.ts";
import { findHolder } from "./find-holder.ts";
import { handingOver } from "./hand-over.ts";
import { lenientSeenIds } from "./lenient-seen-ids.ts";
import { sightNodes } from "./sight-nodes.ts";

/**
 * Whoever answers `ask`: the process that holds the database, else a bot in this one. `tell` is given a sentence where
 * the database cannot be used.
 */
export async function openRunner(config: Config, log: Log, tell: (sentence: string) => void): Promise<LineRunner> {
  const holder = async (): Promise<LineRunner | undefined> => {
    const address = await findHolder(databaseFile(config.databaseUrl));
    return address === undefined ? undefined : (await import("./holder-client.ts")).holderRunner(address);
  };
  return (await holder()) ?? ownRunner({ config, log, tell, holder });
}

interface OwnParts {
  readonly config: Config;
  readonly log: Log;
  readonly tell: (sentence: string) => void;
  readonly holder: () => Promise<LineRunner | undefined>;
}

async function ownRunner({ config, log, tell, holder }: OwnParts): Promise<LineRunner> {
  const [{ openNetworks }, { createStore }, { botOf }, { readingDesk }, { readAlertsConfig }, { strangeOrigin }] =
    await Promise.all([
      import("./networks.ts"),
      import("../store/create-store.ts"),
      import("./bot-of.ts"),
      import("./alert-desk.ts"),
      import("./alerts-settings.ts"),
      import("./claim-database.ts"),
    ]);
  const alertsConfig = readAlertsConfig(config.alerting.configFile);
  // Held only while it is used: another question at the same time needs it, too.
  let inUse = false;
  const store = createStore({ url: config.databaseUrl, log, hold: "call", onInUse: () => void (inUse = true) });
  const strange = strangeOrigin(store.file, config);
  if (strange !== undefined) tell(strange);
  const networks = await openNetworks(config, { log });
  const sight = sightNodes(networks.clients);
  void sight();
  const bot = await botOf({
    networks,
    store: { seen: lenientSeenIds(store.seen, tell, log), parties: store.parties },
    alerts: readingDesk(store, networks, alertsConfig, log),
    log,
  });
  const runner = localRunner(bot);
  const own: LineRunner = {
    ...runner,
    async run(line, options) {
      await sight();
      return runner.run(line, options);
    },
    async close() {
      await networks.close();
      await store.close();
    },
  };
  const wasInUse = (): boolean => {
    const was = inUse;
    inUse = false;
    return was;
  };
  return handingOver({ own, wasInUse, findHolder: holder });
}
