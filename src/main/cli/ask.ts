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
import { isPostgresUrl } from "../../store/postgres/postgres-url.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
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
    open: () => openLineRunner(config, log, (sentence) => console.error(sentence)),
    historyFile: path.join(folderBeside(config.databaseUrl), "ask-history"),
    version: packageVersion,
    log,
    now: () => fromMillis(Date.now()),
  });
}

/**
 * Opens the runner that answers `ask`: the process that holds the database, else a bot in this one, as always where the
 * database is on a server. `warn` is given a sentence when the database cannot be used.
 */
export async function openLineRunner(config: Config, log: Log, warn: (sentence: string) => void): Promise<LineRunner> {
  const findHolderRunner = async (): Promise<LineRunner | undefined> => {
    if (isPostgresUrl(config.databaseUrl)) return undefined;
    const address = await findHolder(databaseFile(config.databaseUrl));
    return address === undefined ? undefined : (await import("../holder/holder-client.ts")).holderRunner(address);
  };
  return (await findHolderRunner()) ?? openLocalRunner({ config, log, warn, findHolderRunner });
}

interface LocalRunnerOptions {
  readonly config: Config;
  readonly log: Log;
  readonly warn: (sentence: string) => void;
  readonly findHolderRunner: () => Promise<LineRunner | undefined>;
}

async function openLocalRunner({ config, log, warn, findHolderRunner }: LocalRunnerOptions): Promise<LineRunner> {
  const [
    { openNetworks },
    { createStore },
    { assembleBot, createPassiveAlertService },
    { exportFolders, exportSlotsOf, openExportJobs },
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
  // The database is locked per call only: several questions may be asked at the same time.
  let inUse = false;
  const store = createStore({ url: config.databaseUrl, log, hold: "call", onInUse: () => void (inUse = true) });
  const warning = await databaseWarning(store, config);
  if (warning !== undefined) warn(warning);
  const networks = await openNetworks(config, { log, ...exportSlotsOf(store) });
  const probeNodes = createNodeProbe(networks.clients);
  void probeNodes();
  const duties = createDuties({ store, clock: systemClock, log });
  const platforms = platformsOf(config);
  const exports = await openExportJobs({ store, log, ...exportFolders(config), platforms });
  let joining: Promise<void> | undefined;
  /** From here on it counts among the processes that share a server, which leave alone what it has. */
  const join = async (): Promise<void> => {
    await duties.start();
    await exports.start();
  };
  const bot = await assembleBot({
    networks,
    store: { seen: lenientSeenIds(store.seen, warn, log), parties: store.parties },
    alerts: createPassiveAlertService(store, networks, alertsConfig, log),
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
  // A bot on the same file would have answered, from a simulator of its own.
  const simulatesAlone = config.networks.length === 0 && !isPostgresUrl(config.databaseUrl);
  const local: LineRunner = {
    ...runner,
    async run(line, options) {
      await probeNodes();
      const reply = await runner.run(line, options);
      return simulatesAlone && reply.footer !== undefined
        ? { ...reply, footer: text`${reply.footer} · simulated for this question; no bot runs` }
        : reply;
    },
    async close() {
      await exports.close();
      await networks.close();
      await duties.leave();
      await store.close();
    },
  };
  const wasInUse = (): boolean => {
    const was = inUse;
    inUse = false;
    return was;
  };
  return forwardToHolder({ local, wasInUse, findHolderRunner });
}

interface ForwardingOptions {
  /** Answers as long as the database is free. */
  readonly local: LineRunner;
  /** True once after each call that found the database held by another process. */
  readonly wasInUse: () => boolean;
  /** Looks for the holder again; undefined when the database is free by now. */
  readonly findHolderRunner: () => Promise<LineRunner | undefined>;
}

/** How long a question is retried while other processes take the database in turns. */
const MAX_CONTENTION_MILLIS: Milliseconds = 5000;

/**
 * Answers in this process; forwards a question to the holder when it failed because another process took the database
 * meanwhile.
 */
function forwardToHolder({ local, wasInUse, findHolderRunner }: ForwardingOptions): LineRunner {
  return {
    ...local,
    async run(line, options) {
      const deadline = performance.now() + MAX_CONTENTION_MILLIS;
      for (;;) {
        wasInUse();
        const reply = await local.run(line, options);
        // Such a question did not get the database, so nothing of it is done yet.
        const blocked = reply.failure === "caller" && wasInUse();
        if (!blocked || options.signal.aborted || performance.now() >= deadline) return reply;
        await disposeReply(reply);
        const holder = await findHolderRunner();
        if (holder !== undefined) return holder.run(line, options);
      }
    },
  };
}

/** A client trusts the last seen block of a node for 30 s; the probe is repeated before that. */
const PROBE_VALID_FOR: Milliseconds = 20_000;
/** The longest a question waits for slow nodes. */
const PROBE_TIMEOUT: Milliseconds = 1000;

/**
 * For a process without watchers: gives a function that asks every node of networks with several, so that the client
 * knows which of them lag or began their history anew. Never rejects.
 */
function createNodeProbe(clients: readonly Pick<ApiClient, "nodes">[]): () => Promise<void> {
  const nodes = clients.flatMap((client) => (client.nodes.length > 1 ? client.nodes : []));
  let probedAt = Number.NEGATIVE_INFINITY;
  let probe: Promise<unknown> = Promise.resolve();
  return async () => {
    if (performance.now() - probedAt > PROBE_VALID_FOR) {
      probedAt = performance.now();
      const signal = AbortSignal.timeout(PROBE_TIMEOUT);
      // Every answer names its block; the version is asked because no other question asks for it at the same time.
      probe = Promise.allSettled(nodes.map((node) => node.getNodeInfo({ signal })));
    }
    await probe;
  };
}
