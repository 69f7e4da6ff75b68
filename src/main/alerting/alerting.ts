// The alerts of a running bot. This module watches the networks and delivers; `open-alerting.ts` joins it with metrics,
// operators and the console (`console-alerts.ts`, `console-watch.ts`), with the guided incident of simulated networks and
// with the report of the bot's own downtime.

import { CONSOLE } from "../../adapters/web/platform.ts";
import type { AlertDependencies } from "../../alerts/dependencies.ts";
import type { DispatchDependencies, Dispatcher } from "../../alerts/deliver/dispatch/dispatch.ts";
import { readRefusedMessages, type RefusedMessages } from "../../alerts/deliver/dispatch/refused-messages.ts";
import { outboxDepth } from "../../alerts/deliver/outbox/queries.ts";
import { DRILL_NETWORK } from "../../alerts/judge/rules/episode.ts";
import { createAlertEngine } from "../../alerts/engine/engine.ts";
import type { Platforms } from "../../alerts/destination.ts";
import type { Sender } from "../../alerts/sender.ts";
import { createAlertService } from "../../alerts/service/service.ts";
import { isOfPlatform, readSuspensions, type Suspension, suspensionKey } from "../../alerts/route/suspension.ts";
import { type Clock, systemClock } from "../../api/clock.ts";
import { messageOf } from "../../errors.ts";
import type { AlertMessage } from "../../alerts/message/message.ts";
import type { Draw } from "../../chart/png.ts";
import type { Log } from "../../log.ts";
import type { LooksBounds } from "../../looks/keep.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Store } from "../../store/store.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Drills } from "../../watchers/drills.ts";
import type { Observation } from "../../watchers/schedule.ts";
import type { Networks } from "../networks.ts";
import { alertPictures } from "./alert-pictures.ts";
import { subscribeConsole } from "./console-alerts.ts";
import { DamagedRows } from "./damaged-rows.ts";
import { type Duties, fencedStore } from "./duties.ts";
import { createTrials } from "./trials.ts";
import { createWatchedSubjects, WatchedNetworks } from "./watched-networks.ts";

/** The operators are notified of lost destinations, suspended platforms, downtime and silences, as the console is. */
interface AlertingDependencies extends Pick<AlertDependencies, "config" | "log" | "operators" | "onStep"> {
  readonly store: Pick<Store, "transaction" | "read" | "processes">;
  /** Each network is watched by one process at a time; started by the caller. */
  readonly duties: Pick<Duties, "add" | "end">;
  readonly networks: Pick<Networks, "clients" | "simulated">;
  /** Left out, no looks are kept. */
  readonly looks?: LooksBounds | undefined;
  /** Of the program, as kept looks name it. */
  readonly version?: string;
  /** Whether there is a console: it is then subscribed, once. */
  readonly console: boolean;
  /** The address of the console, where others reach it: messages lead there. */
  readonly publicUrl?: string | undefined;
  readonly platforms: Platforms;
  /** The platforms of the senders that `start` will be given: people ask before it is called. */
  readonly senders: readonly string[];
  /** Draws pictures of alerts; left out, their messages get none. */
  readonly draw?: Draw | undefined;
  /** Is given the result of each delivery attempt, once it is stored. */
  readonly onOutcome?: DispatchDependencies["onOutcome"];
  /** Another process may have delivered something: once a second, and soon after it did. */
  readonly onRemoteChange?: () => void;
  /** Is given each observation, once it is stored. */
  readonly onObservation?: (observation: Observation) => void;
  /** Runs before the first observation. */
  readonly prepare?: () => Promise<void>;
  readonly clock?: Clock;
  /** Words a message from more than the message itself; undefined = it has nothing to say about this one. */
  readonly word?: (message: AlertMessage) => Promise<Reply | undefined>;
}

/** One watcher's last observation of one network. */
export interface LastObservation {
  readonly network: string;
  readonly watcher: string;
  readonly every: Milliseconds;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  /** Why it failed. */
  readonly failure?: string;
}

/** The state of watching and delivering, as far as this process knows. */
export interface AlertingHealth {
  /** Deliveries owed on each platform, and since when the oldest of them (Unix milliseconds). */
  readonly queue: readonly { readonly platform: string; readonly owed: number; readonly oldest: Milliseconds }[];
  /** The same without what waits for a suspended destination. */
  readonly sendable: AlertingHealth["queue"];
  readonly observations: readonly LastObservation[];
  /** The platforms that refuse the bot's token, and the destinations that cannot be reached. */
  readonly suspensions: readonly Suspension[];
  /** The platforms that refused messages. */
  readonly refused: readonly RefusedMessages[];
  /** The damaged rows for which parts of this process stand still, a sentence each. */
  readonly damaged: readonly string[];
}

/** Watches the networks and delivers alerts. */
export type Alerting = ReturnType<typeof createAlerting>;

/** How often upkeep runs. */
const UPKEEP_INTERVAL: Milliseconds = 1000;

/** Parts that may stand still for a damaged row, beside the watchers. */
const UPKEEP = "upkeep";
const DELIVERY = "delivery";

/** Everything between the networks and the platforms; `start` loads the modules that watch and deliver. */
export function createAlerting(dependencies: AlertingDependencies) {
  const { store, duties, networks, config, looks, log, clock = systemClock, onStep } = dependencies;
  const names = networks.clients.map(({ network }) => network);
  const optional = {
    ...withoutUndefined({ operators: dependencies.operators, onStep, keepStates: looks?.keepMillis }),
    ...(dependencies.console ? { console: CONSOLE } : {}),
    ...alertPictures(dependencies),
  };
  const [watching, delivering] = [new AbortController(), new AbortController()];
  const subjects = createWatchedSubjects();
  const damaged = new DamagedRows(log);
  let dispatcher: Dispatcher | undefined;
  let drills: Drills | undefined;
  let starting: Promise<void> | undefined;
  const running: Promise<void>[] = [];

  /** A delivery may be due, for this process or another one to send. */
  function wake(): void {
    dispatcher?.wake();
    store.processes.announce();
  }

  const alertDependencies = {
    store,
    config,
    clock,
    log,
    simulated: new Set(networks.simulated ? [...names, DRILL_NETWORK] : []),
    onOwed: wake,
    ...optional,
  };
  const engine = createAlertEngine(alertDependencies);
  const watched = new WatchedNetworks({ ...dependencies, alerts: alertDependencies, subjects, damaged });
  const verdict = watched.verdict.bind(watched);
  const service = createAlertService(engine, config, {
    platforms: () => dependencies.senders,
    verdict,
    keepsLooks: looks !== undefined,
    marketsWithoutLooks: watched.marketsWithoutLooks.bind(watched),
    processes: () => store.processes.live(),
    trial: createTrials(store, config),
  });

  let subscribed = false;
  async function subscribe(): Promise<void> {
    if (subscribed || !dependencies.console) return;
    for (const network of names) await subscribeConsole(service, store, network, toMillis(clock.wallClock()));
    subscribed = true;
  }

  async function upkeep(): Promise<void> {
    await subscribe();
    await engine.upkeep();
    const subscriptions = await engine.subscriptions();
    subjects.update(subscriptions);
    drills?.watch(subscriptions);
    if (store.processes.aliveFor === undefined) return;
    dependencies.onRemoteChange?.();
    await watched.follow(names, engine);
  }

  async function begin(senders: readonly Sender[]): Promise<void> {
    const [{ createDispatcher }, { describe }, { createDrills, drillSettings }, loaded] = await loadWatching();
    if (watching.signal.aborted) return;
    const { onOutcome, platforms, publicUrl } = dependencies;
    const setting = { guidance: config.kinds, ...(publicUrl === undefined ? {} : { console: publicUrl }) };
    dispatcher = createDispatcher({
      random: Math.random,
      store,
      clock,
      log,
      senders,
      describe: async (message, context) =>
        (await dependencies.word?.(message)) ?? describe(message, { ...context, ...setting }, platforms),
      platforms,
      onDamaged: (row) => (row === undefined ? damaged.clear(DELIVERY) : damaged.note(DELIVERY, row)),
      ...(onOutcome === undefined ? {} : { onOutcome }),
      ...optional,
    });
    running.push(dispatcher.run(delivering.signal));
    const onChange = (): void => {
      dispatcher?.wake();
      dependencies.onRemoteChange?.();
    };
    store.processes.onChange(onChange, delivering.signal);
    duties.add("drills", (lease) => {
      const drilled = { ...alertDependencies, store: fencedStore(store, lease), config: drillSettings(config) };
      const own = createDrills({ ...drilled, engine: createAlertEngine(drilled) });
      drills = own;
      return async () => {
        drills = undefined;
        await own.stop();
      };
    });
    try {
      await dependencies.prepare?.();
      await engine.closeUnwatched(names);
      await upkeep();
    } catch (thrown) {
      if (!damaged.note(UPKEEP, thrown)) log.error({ err: thrown }, "database unusable");
    }
    if (watching.signal.aborted) return;
    running.push(repeatUpkeep(upkeep, { clock, log, damaged, signal: watching.signal }));
    for (const api of networks.clients) {
      duties.add(`watch ${api.network}`, (lease) => watched.watch(api, lease, loaded));
    }
  }

  return {
    /** For commands and the console; usable at once, even before watching starts. */
    service,
    /** Begins to watch and to deliver. A database that fails is tried again and again. */
    start(senders: readonly Sender[]): Promise<void> {
      starting ??= begin(senders);
      return starting;
    },
    wake,
    /** The last verdict on each network since this process began, by whichever process watches it. */
    verdict,
    /** Rejects where the database fails. */
    async health(): Promise<AlertingHealth> {
      return { ...(await readDeliveryState(store)), observations: watched.observations, damaged: damaged.sentences };
    },
    /** Stops watching, gives running sends a little time and stores their results, side by side: within 4 s, if nothing hangs. */
    async stop() {
      watching.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      await starting;
      delivering.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      // What a watcher still plans stays owed.
      await Promise.all([duties.end(), ...running]);
    },
  };
}

/** What watches and delivers: the first questions are answered before it is loaded. */
async function loadWatching() {
  const [dispatch, words, drills, watchers, schedule, looks] = await Promise.all([
    import("../../alerts/deliver/dispatch/dispatch.ts"),
    import("../../alerts/words/words.ts"),
    import("../../watchers/drills.ts"),
    import("../../watchers/create-watchers.ts"),
    import("../../watchers/schedule.ts"),
    import("../../looks/keep.ts"),
  ]);
  return [dispatch, words, drills, { ...watchers, ...schedule, ...looks }] as const;
}

/** Repeats until the signal; logs a failure when it begins. */
async function repeatUpkeep(
  upkeep: () => Promise<void>,
  options: {
    readonly clock: Clock;
    readonly log: Log;
    readonly damaged: DamagedRows;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { clock, log, damaged, signal } = options;
  let failing = false;
  while (!signal.aborted) {
    try {
      await upkeep();
      failing = false;
      damaged.clear(UPKEEP);
    } catch (thrown) {
      if (!damaged.note(UPKEEP, thrown) && !failing) log.error({ why: messageOf(thrown) }, "upkeep failed");
      failing = true;
    }
    await clock.sleep(UPKEEP_INTERVAL, signal).catch(() => undefined);
  }
}

function readDeliveryState(store: Pick<Store, "read">): Promise<Omit<AlertingHealth, "observations" | "damaged">> {
  return store.read(async ({ alerts }) => {
    const suspensions = await readSuspensions(alerts);
    const waiting = suspensions.filter((one) => !isOfPlatform(one)).map((one) => suspensionKey(one));
    const queue = await outboxDepth(alerts);
    const sendable = waiting.length === 0 ? queue : await outboxDepth(alerts, { except: waiting });
    return { queue, sendable, suspensions, refused: await readRefusedMessages(alerts) };
  });
}
