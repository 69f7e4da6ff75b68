import { commands } from "../../commands/index.ts";
import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import type { AlertEngine } from "../../src/alerts/engine/engine.ts";
import type { Platforms } from "../../src/alerts/destination.ts";
import type { AlertService } from "../../src/alerts/service/service.ts";
import { createApiClient, type NodeAddress } from "../../src/api/client/client.ts";
import { type Clock, systemClock } from "../../src/api/clock.ts";
import type { ClientLimits } from "../../src/api/limits.ts";
import type { Verdict } from "../../src/api/verdict/verdict.ts";
import { openAudienceSettings } from "../../src/bot/audience-settings.ts";
import { type Bot, createBot } from "../../src/bot/bot.ts";
import type { Caller, Invocation, Target } from "../../src/bot/invocation.ts";
import type { Choice } from "../../src/bot/options/options.ts";
import type { ExportJobs } from "../../src/export/jobs/jobs.ts";
import { silentLog } from "../../src/log.ts";
import { pageReader } from "../../src/looks/read.ts";
import { tryNewestFirst } from "../../src/main/alerting/newest-first.ts";
import { createPast } from "../../src/main/past.ts";
import { disposeReply, type Reply } from "../../src/reply/reply.ts";
import { createStore, type DatabaseStore } from "../../src/store/create-store.ts";
import { fromMillis, nanoseconds, type Nanoseconds } from "../../src/units/time.ts";
import { alertsOn } from "./alert-service.ts";
import { linesOf, pressable } from "./said.ts";
import { scratchDatabase } from "./scratch-database.ts";
import { exportJobsOn } from "./export-jobs.ts";
import { PLATFORMS } from "./platforms.ts";

/** A Thursday noon, so that every reply of a conversation is the same each time. */
export const NOON = fromMillis(Date.UTC(2026, 0, 15, 12));

export interface TalkOptions {
  /** The networks and their nodes, the default network first. */
  readonly networks: Readonly<Record<string, readonly (string | NodeAddress)[]>>;
  readonly at?: Nanoseconds;
  /** What differs in the clock of the clients from the system's. */
  readonly clientClock?: Partial<Clock>;
  /** Where kept exports can be downloaded. */
  readonly publicUrl?: string;
  readonly mayManageChannel?: boolean;
  /** The platforms with a sender. */
  readonly delivering?: readonly string[];
  /** What waits for a delivery waits by this clock; default: the system's. */
  readonly waits?: Clock;
  /** Default: those of the program. */
  readonly platforms?: Platforms;
  /** The last verdicts of the watchers; without them, nothing is watched. */
  readonly verdict?: (network: string) => Verdict | undefined;
  readonly marketsWithoutLooks?: (network: string) => readonly string[];
  readonly processes?: NonNullable<AlertService["processes"]>;
  /** Whether answers are cached, as in production. Default false: tests change a node's answers. */
  readonly cache?: boolean;
  /** Ids of deliveries; default: random. */
  readonly newId?: () => string;
  /** Of the clients, beside those that spare a test the waiting. */
  readonly limits?: Partial<ClientLimits>;
}

/** A conversation with the real bot: real commands, client and store; the data nodes are the test's. */
export interface Talk {
  readonly bot: Bot;
  readonly store: DatabaseStore;
  /** The file of the store. */
  readonly database: string;
  readonly engine: AlertEngine;
  /** Changes the caller, or the place of the call. */
  readonly become: (who: {
    readonly here?: Target;
    readonly caller?: Caller;
    readonly openFile?: Invocation["openFile"];
    readonly zone?: Invocation["zone"];
    readonly managed?: Invocation["managed"];
    readonly openly?: true;
  }) => void;
  /** The answer in a terminal of 200 columns. */
  readonly ask: (line: string) => Promise<string>;
  readonly askFor: (line: string) => Promise<Reply>;
  /** Presses the button of the last reply whose line begins so, or matches, and returns the new reply. */
  readonly press: (line: string | RegExp) => Promise<string>;
  /** Completions of a line that is being typed. */
  readonly completeLine: (line: string) => Promise<readonly string[]>;
  /** Completions of an option that is being typed. */
  readonly suggest: (
    command: string,
    option: string,
    typed: string,
    options?: Invocation["options"],
  ) => Promise<readonly Choice[]>;
  /** Progress shown during the last question, as titles. */
  readonly progress: string[];
  readonly lastReply: Reply;
  /** A kept export behind the secret of its link. */
  readonly linked: ExportJobs["linked"];
  readonly advance: (millis: number) => void;
  readonly now: () => Nanoseconds;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A trial may take so long. */
const TRIAL_MILLIS = 10_000;
const HERE: Target = { platform: "terminal", files: { maxBytes: 1e9, maxCount: 10 } };

export async function talk(options: TalkOptions): Promise<Talk> {
  const scratch = await scratchDatabase();
  const log = silentLog();
  let at = options.at ?? NOON;
  const now = (): Nanoseconds => at;
  const clock = { ...systemClock, wallClock: now };
  const clients = Object.entries(options.networks).map(([network, nodes]) =>
    createApiClient({
      network,
      nodes: nodes.map((node) => (typeof node === "string" ? { url: node } : node)),
      simulated: false,
      log,
      clock: { ...clock, ...options.clientClock },
      cache: options.cache ?? false,
      limits: { requestsPerSecond: 10_000, burst: 10_000, exportPauseMillis: 0, retryMillis: 5, ...options.limits },
    }),
  );
  const database = scratch.file;
  const store = createStore({ url: `file:${database}`, log });
  let codes = 0;
  const newCode = (): string => String(++codes).padStart(8, "0");
  const { publicUrl } = options;
  const exports = exportJobsOn(store, scratch.folder, {
    clock,
    log,
    newCode,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  });
  let monotonicMillis = 0;
  const { service, engine } = alertsOn(store, {
    clock: { ...clock, monotonicMillis: () => monotonicMillis },
    platforms: options.delivering ?? [],
    trial: (request) => tryNewestFirst(pageReader(store), { ...request, config: DEFAULT_ALERTS_CONFIG }, TRIAL_MILLIS),
    ...(options.verdict === undefined ? {} : { verdict: options.verdict }),
    ...(options.marketsWithoutLooks === undefined ? {} : { marketsWithoutLooks: options.marketsWithoutLooks }),
    ...(options.processes === undefined ? {} : { processes: options.processes }),
    ...(options.newId === undefined ? {} : { newId: options.newId }),
  });
  const bot = createBot({
    past: createPast(store),
    platforms: options.platforms ?? PLATFORMS,
    commands,
    clients,
    seen: store.seen,
    parties: store.parties,
    exports,
    alerts: { ...service, clock: options.waits ?? systemClock },
    // A new database holds no answer choices, so that it is not opened for them.
    chosen: await openAudienceSettings({ all: async () => [], keep: (choice) => store.answers.keep(choice) }),
    log,
    now,
  });
  const caller: Caller = { id: "1", name: "ann", mayManageChannel: options.mayManageChannel ?? true };
  const progress: string[] = [];
  const replies: Reply[] = [];

  const rest = {
    here: HERE,
    caller,
    signal: new AbortController().signal,
    progress: (reply: Reply) => void progress.push(shown(reply)),
  };
  const shown = (reply: Reply): string => renderTerminal(reply, { width: 200, colour: false, links: false, now: at });
  const last = (): Reply => {
    const reply = replies.at(-1);
    if (reply === undefined) throw new Error("nothing was asked yet");
    return reply;
  };
  const askFor = async (line: string): Promise<Reply> => {
    progress.length = 0;
    const reply = await bot.runLine(line, rest);
    replies.push(reply);
    return reply;
  };

  return {
    bot,
    store,
    database,
    engine,
    become: (who) => Object.assign(rest, who),
    progress,
    linked: (secret) => exports.linked(secret),
    now,
    askFor,
    ask: async (line) => shown(await askFor(line)),
    press: async (line) => {
      const lines = linesOf(last());
      const action =
        pressable(last())[lines.findIndex((one) => (typeof line === "string" ? one.startsWith(line) : line.test(one)))];
      if (action === undefined || !("invocation" in action)) throw new Error(`no ${line} among ${lines.join(", ")}`);
      const reply = await bot.run({ ...rest, ...action.invocation });
      replies.push(reply);
      return shown(reply);
    },
    completeLine: async (line) => (await bot.completions(line, rest)).map((one) => one.line),
    suggest: (command, option, typed, options = {}) => bot.suggest({ ...rest, command, option, typed, options }),
    get lastReply() {
      return last();
    },
    advance: (millis) => {
      at = nanoseconds(at + BigInt(millis) * 1_000_000n);
      monotonicMillis += millis;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(replies.map(disposeReply));
      await exports.close();
      await Promise.all(clients.map((client) => client.close()));
      await store.close();
      await scratch.remove();
    },
  };
}
