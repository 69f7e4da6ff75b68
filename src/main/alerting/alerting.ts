// The alerts of a running bot. This module watches the networks and delivers; `open-alerting.ts` joins it with metrics,
// operators and the console (`console-alerts.ts`, `console-watch.ts`), with the guided incident of simulated networks and
// with the report of the bot's own downtime.

import { CONSOLE } from "../../adapters/web/platform.ts";
import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import type { OnStep } from "../../alerts/dependencies.ts";
import type { DispatchDependencies, Dispatcher } from "../../alerts/deliver/dispatch/dispatch.ts";
import { outboxDepth } from "../../alerts/deliver/outbox/queries.ts";
import { readRefusedMessages, type RefusedMessages } from "../../alerts/deliver/dispatch/refused-messages.ts";
import { DRILL_NETWORK } from "../../alerts/judge/drill.ts";
import { type AlertEngine, createAlertEngine } from "../../alerts/engine/engine.ts";
import type { AlertKind } from "../../alerts/judge/kinds/kinds.ts";
import type { Platforms } from "../../alerts/platform.ts";
import type { Subscription } from "../../alerts/route/subscription.ts";
import type { Sender } from "../../alerts/sender.ts";
import { type AlertService, createAlertService } from "../../alerts/service/service.ts";
import { isOfPlatform, readSuspensions, type Suspension, suspensionKey } from "../../alerts/route/suspension.ts";
import { type Clock, systemClock } from "../../api/clock.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";
import { messageOf } from "../../errors.ts";
import type { AlertMessage } from "../../alerts/message/message.ts";
import type { Log } from "../../log.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import type { Drills } from "../../watchers/drills.ts";
import type { Observation } from "../../watchers/watch-loop.ts";
import type { Networks } from "../networks.ts";
import { subscribeConsole } from "./console-alerts.ts";
import { type Duties, fencedStore } from "./duties.ts";
import { followNetwork } from "./followed-networks.ts";
import type { Destination } from "../../alerts/destination.ts";

interface AlertingDependencies {
  readonly store: Pick<Store, "transaction" | "read" | "processes">;
  /** Each network is watched by one process at a time; started by the caller. */
  readonly duties: Pick<Duties, "add" | "end">;
  readonly networks: Pick<Networks, "clients" | "simulated">;
  readonly config: AlertsConfig;
  /** Whether there is a console: it is then subscribed, once. */
  readonly console: boolean;
  /** The address of the console, where others reach it: messages lead there. */
  readonly publicUrl?: string | undefined;
  readonly platforms: Platforms;
  /** The platforms of the senders that `start` will be given: people ask before it is called. */
  readonly senders: readonly string[];
  readonly log: Log;
  /** Is notified of lost destinations, suspended platforms, downtime and silences, as the console is. */
  readonly operators?: Destination;
  /** Is given the result of each delivery attempt, once it is stored. */
  readonly onOutcome?: DispatchDependencies["onOutcome"];
  /** Another process may have delivered something: once a second, and soon after it did. */
  readonly onRemoteChange?: () => void;
  /** Is given each observation, once it is stored. */
  readonly onObservation?: (observation: Observation) => void;
  /** Runs before the first observation. */
  readonly prepare?: () => Promise<void>;
  readonly onStep?: OnStep;
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
}

/** Watches the networks and delivers alerts. */
export interface Alerting {
  /** For commands and the console; usable at once, even before watching starts. */
  readonly service: AlertService;
  /** Begins to watch and to deliver. A database that fails is tried again and again. */
  start(senders: readonly Sender[]): Promise<void>;
  /** A delivery may be due. */
  wake(): void;
  /** The last verdict on each network since this process began, by whichever process watches it. */
  verdict(network: string): Verdict | undefined;
  /** Rejects where the database fails. */
  health(): Promise<AlertingHealth>;
  /** Stops watching, gives running sends a little time and stores their results, side by side: within 4 s, if nothing hangs. */
  stop(): Promise<void>;
}

/** How often upkeep runs. */
const UPKEEP_INTERVAL: Milliseconds = 1000;

/** Everything between the networks and the platforms; `start` loads the modules that watch and deliver. */
export function createAlerting(dependencies: AlertingDependencies): Alerting {
  const { store, duties, networks, config, log, clock = systemClock, onStep } = dependencies;
  const names = networks.clients.map(({ network }) => network);
  const optional = {
    ...(dependencies.operators === undefined ? {} : { operators: dependencies.operators }),
    ...(dependencies.console ? { console: CONSOLE } : {}),
    ...(onStep === undefined ? {} : { onStep }),
  };
  const watching = new AbortController();
  const delivering = new AbortController();
  const subjects = createWatchedSubjects();
  const observations = new Map<string, LastObservation>();
  const watched = new Set<string>();
  const verdicts = new Map<string, Verdict>();
  let dispatcher: Dispatcher | undefined;
  let drills: Drills | undefined;
  let starting: Promise<void> | undefined;
  let dispatching: Promise<void> | undefined;
  let upkeeping: Promise<void> | undefined;

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
  const verdict = (network: string): Verdict | undefined => verdicts.get(network);
  const service = createAlertService(engine, config, () => dependencies.senders, verdict);

  async function record(watching: AlertEngine, observation: Observation): Promise<void> {
    await watching.processObservation(observation);
    const { network, watcher, at, failure } = observation;
    observations.set(`${network}/${watcher.name}`, {
      network,
      watcher: watcher.name,
      every: watcher.every,
      at: toMillis(at),
      ...(failure === undefined ? {} : { failure: failure.message }),
    });
    dependencies.onObservation?.(observation);
  }

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
    for (const network of names) if (!watched.has(network)) await follow(network);
  }

  async function follow(network: string): Promise<void> {
    const { observations: stored, verdict: latest } = await followNetwork(network, { engine, config, clock });
    // It may have become this process's own meanwhile.
    if (watched.has(network)) return;
    for (const one of stored) observations.set(`${network}/${one.watcher}`, one);
    if (latest !== undefined) verdicts.set(network, latest);
  }

  /** Repeats until the signal; logs a failure when it begins. */
  async function upkeepLoop(): Promise<void> {
    let failing = false;
    while (!watching.signal.aborted) {
      try {
        await upkeep();
        failing = false;
      } catch (thrown) {
        if (!failing) log.error({ why: messageOf(thrown) }, "upkeep failed");
        failing = true;
      }
      await clock.sleep(UPKEEP_INTERVAL, watching.signal).catch(() => undefined);
    }
  }

  async function begin(senders: readonly Sender[]): Promise<void> {
    const [{ createDispatcher }, { describe }, { createWatchers }, { createDrills, drillSettings }, { startSchedule }] =
      await Promise.all([
        import("../../alerts/deliver/dispatch/dispatch.ts"),
        import("../../alerts/words/words.ts"),
        import("../../watchers/create-watchers.ts"),
        import("../../watchers/drills.ts"),
        import("../../watchers/schedule.ts"),
      ]);
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
      ...(onOutcome === undefined ? {} : { onOutcome }),
      ...(dependencies.console ? { console: CONSOLE } : {}),
      ...optional,
    });
    dispatching = dispatcher.run(delivering.signal);
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
      log.error({ err: thrown }, "database unusable");
    }
    if (watching.signal.aborted) return;
    upkeeping = upkeepLoop();
    for (const api of networks.clients) {
      const { network } = api;
      const onVerdict = (latest: Verdict): void => void verdicts.set(network, latest);
      duties.add(`watch ${network}`, (lease) => {
        // What an earlier watch of this process remembers is as old as that.
        const watching = createAlertEngine({ ...alertDependencies, store: fencedStore(store, lease) });
        watched.add(network);
        const schedule = startSchedule({
          random: Math.random,
          networks: [{ api, watchers: createWatchers({ network, nodes: api.nodes.length, config, clock, onVerdict }) }],
          load: async (_network, watcher) => (await watching.snapshot(network, watcher))?.data,
          subjects: (_network, kind) => subjects.of(network, kind),
          sink: (observation) => record(watching, observation),
          log,
          clock,
        });
        return async () => {
          await schedule.stop();
          watched.delete(network);
        };
      });
    }
  }

  return {
    service,
    start(senders) {
      starting ??= begin(senders);
      return starting;
    },
    wake,
    verdict,
    async health() {
      const stored = await store.read(async ({ alerts }) => {
        const suspensions = await readSuspensions(alerts);
        const waiting = suspensions.filter((one) => !isOfPlatform(one)).map((one) => suspensionKey(one));
        const queue = await outboxDepth(alerts);
        const sendable = waiting.length === 0 ? queue : await outboxDepth(alerts, { except: waiting });
        return { queue, sendable, suspensions, refused: await readRefusedMessages(alerts) };
      });
      return { ...stored, observations: [...observations.values()] };
    },
    async stop() {
      watching.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      await starting;
      delivering.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      // What a watcher still plans stays owed.
      await Promise.all([duties.end(), upkeeping, dispatching]);
    },
  };
}

/** The subjects that subscriptions name, for watchers that poll each of them. */
interface WatchedSubjects {
  /** Takes the current subscriptions. */
  update(subscriptions: readonly Subscription[]): void;
  /** The subjects of all active subscriptions, each once. */
  of(network: string, kind: AlertKind): readonly string[];
}

export function createWatchedSubjects(): WatchedSubjects {
  let current: readonly Subscription[] = [];
  let byKind = new Map<string, readonly string[]>();
  return {
    update(subscriptions) {
      // The engine gives the same list until one of them changes.
      if (subscriptions === current) return;
      current = subscriptions;
      const sets = new Map<string, Set<string>>();
      for (const { state, network, kinds, subjects } of subscriptions) {
        if (state !== "active") continue;
        for (const kind of kinds) {
          const key = `${network}|${kind}`;
          sets.set(key, new Set([...(sets.get(key) ?? []), ...subjects]));
        }
      }
      byKind = new Map([...sets].map(([key, named]) => [key, [...named]]));
    },
    of: (network, kind) => byKind.get(`${network}|${kind}`) ?? [],
  };
}
