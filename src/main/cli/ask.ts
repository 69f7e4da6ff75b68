import path from "node:path";

import { runAsk } from "../../adapters/terminal/index.ts";
import { type LineRunner, localRunner } from "../../adapters/terminal/line-runner.ts";
import { processTerminal } from "../../adapters/terminal/streams.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { systemClock } from "../../api/clock.ts";
import { loadConfig, terminalPreferences } from "../../config.ts";
import { createLog, type Log } from "../../log.ts";
import { disposeReply } from "../../reply/reply.ts";
import { text } from "../../reply/text.ts";
import { databaseFile, folderBeside } from "../../store/file/database-url.ts";
import { isPostgresUrl } from "../../store/postgres-url.ts";
import { fromMillis, type Milliseconds } from "../../units/time.ts";
import { findHolder } from "../holder/find-holder.ts";
import { logDestination } from "../log-destination.ts";
import { PLATFORM_RECORDS } from "../platforms/list.ts";
import type { Config } from "../platforms/platforms.ts";
import { lenientSeenIds } from "../seen-ids.ts";
import { packageVersion } from "./cli.ts";

/** The subcommand `ask`: answers one question, or prompts for them. */
export async function ask(args: readonly string[]): Promise<number> {
  const config = loadConfig(PLATFORM_RECORDS);
  // Network failures are in the reply; the log is for bugs.
  const log = createLog(config.logLevel ?? "error", logDestination());
  // A misspelt setting explains why the network is a simulated one.
  if (config.networks.length === 0) for (const hint of config.hints) console.error(hint);
  return runAsk({
    argv: args,
    terminal: processTerminal(terminalPreferences()),
    usual: config.defaultNetwork,
    open: () => openLineRunner(config, log, (sentence) => console.error(sentence)),
    historyFile: path.join(folderBeside(config.databaseUrl), "ask-history"),
    version: packageVersion,
    log,
    now: () => fromMillis(Date.now()),
  });
}

/**
 * Opens the runner that answers `ask`: the process that holds the database, else a bot in this process. Where the
 * database is on a server, it is always a bot in this process. `warn` is given a sentence when the database cannot be
 * used.
 */
export async function openLineRunner(config: Config, log: Log, warn: (sentence: string) => void): Promise<LineRunner> {
  const findHolderRunner = async (): Promise<LineRunner | undefined> => {
    if (isPostgresUrl(config.databaseUrl)) return undefined;
    const address = await findHolder(databaseFile(config.databaseUrl));
    return address === undefined ? undefined : (await import("../holder/holder-client.ts")).holderRunner(address);
  };
  return (await findHolderRunner()) ?? openLocalRunner(config, log, warn, findHolderRunner);
}

/** How long a question is retried while other processes take the database in turns. */
const MAX_CONTENTION_MILLIS: Milliseconds = 5000;

/**
 * Opens a bot in this process. It forwards a question to the holder where another process took the database meanwhile.
 * `findHolderRunner` looks for the holder again; undefined when the database is free by now.
 */
async function openLocalRunner(
  config: Config,
  log: Log,
  warn: (sentence: string) => void,
  findHolderRunner: () => Promise<LineRunner | undefined>,
): Promise<LineRunner> {
  const [
    { openNetworks },
    { createStore },
    { assembleBot, createPassiveAlertService },
    { exportSettings, exportSlotsOf, openExportJobs },
    { readAlertsConfig },
    { databaseWarning },
    { createDuties },
    { platformsOf },
  ] = await Promise.all([
    import("../networks.ts"),
    import("../../store/create-store.ts"),
    import("../assemble-bot.ts"),
    import("../export-jobs.ts"),
    import("../alerting/alerting-settings.ts"),
    import("../holder/claim-database.ts"),
    import("../alerting/duties.ts"),
    import("../platforms/platforms.ts"),
  ]);
  const alertsConfig = readAlertsConfig(config.alerting.configFile);
  // The database is locked for each call only, so that several processes can answer at the same time.
  let timesInUse = 0;
  const store = createStore({ url: config.databaseUrl, log, hold: "call", onInUse: () => void (timesInUse += 1) });
  const warning = await databaseWarning(store, config);
  if (warning !== undefined) warn(warning);
  const networks = await openNetworks(config, { log, ...exportSlotsOf(store) });
  const probeNodes = createNodeProbe(networks.clients);
  void probeNodes();
  const duties = createDuties({ store, clock: systemClock, log });
  const platforms = platformsOf(config);
  const exports = await openExportJobs({ store, log, ...exportSettings(config), platforms });
  let joining: Promise<void> | undefined;
  /** Registers this process with those that share the server: they do not take over its exports. */
  const join = async (): Promise<void> => {
    await duties.start();
    await exports.start();
  };
  const bot = await assembleBot({
    networks,
    store: { seen: lenientSeenIds(store.seen, warn, log), parties: store.parties, read: (work) => store.read(work) },
    alerts: createPassiveAlertService(store, networks, alertsConfig, log, config.looks !== undefined),
    platforms,
    exports: {
      ...exports,
      async run(request) {
        if (store.embedded === undefined) await (joining ??= join());
        return exports.run(request);
      },
    },
    log,
  });
  const runner = localRunner(bot);
  // Another bot on the same file would have answered from its own simulator.
  const simulatesAlone = config.networks.length === 0 && !isPostgresUrl(config.databaseUrl);
  return {
    ...runner,
    async run(line, options) {
      const deadline = performance.now() + MAX_CONTENTION_MILLIS;
      for (;;) {
        await probeNodes();
        const before = timesInUse;
        const reply = await runner.run(line, options);
        // Such a question did not get the database, so nothing of it is done yet.
        const wasBlocked = reply.failure === "caller" && timesInUse > before;
        if (!wasBlocked || options.signal.aborted || performance.now() >= deadline) {
          return simulatesAlone && reply.footer !== undefined
            ? { ...reply, footer: text`${reply.footer} · simulated for this question; no bot runs` }
            : reply;
        }
        await disposeReply(reply);
        const holder = await findHolderRunner();
        if (holder !== undefined) return holder.run(line, options);
      }
    },
    async close() {
      await exports.close();
      await networks.close();
      await duties.leave();
      await store.close();
    },
  };
}

/** A client relies on the last seen block of a node for 30 s; the probe is repeated before that. */
const PROBE_VALID_FOR: Milliseconds = 20_000;
/** The longest a question waits for slow nodes. */
const PROBE_TIMEOUT: Milliseconds = 1000;

/**
 * For a process without watchers. The function that it returns asks every node of a network with several nodes, so that
 * the client knows which nodes lag or began their history anew. Never rejects.
 */
function createNodeProbe(clients: readonly Pick<ApiClient, "nodes">[]): () => Promise<void> {
  const nodes = clients.flatMap((client) => (client.nodes.length > 1 ? client.nodes : []));
  let probedAt = Number.NEGATIVE_INFINITY;
  let probe: Promise<unknown> = Promise.resolve();
  return async () => {
    if (performance.now() - probedAt > PROBE_VALID_FOR) {
      probedAt = performance.now();
      const signal = AbortSignal.timeout(PROBE_TIMEOUT);
      // Every answer names its block. The version is asked because no question asks for it at the same time.
      probe = Promise.allSettled(nodes.map((node) => node.getNodeInfo({ signal })));
    }
    await probe;
  };
}
