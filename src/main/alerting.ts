import type { AlertsConfig } from "../alerts/alerts-config.ts";
import type { OnStep } from "../alerts/dependencies.ts";
import type { DispatchDependencies, Dispatcher } from "../alerts/dispatch/dispatch.ts";
import { DRILL_NETWORK } from "../alerts/drill.ts";
import { createAlertEngine } from "../alerts/engine/engine.ts";
import type { Destination, Sender } from "../alerts/sender.ts";
import { type AlertService, CONSOLE_DESTINATION, createAlertService } from "../alerts/service/service.ts";
import { type PlatformSuspension, readSuspensions } from "../alerts/suspension/platform-suspension.ts";
import { type Clock, systemClock } from "../api/clock.ts";
import type { Verdict } from "../api/verdict/verdict.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import type { Milliseconds } from "../units/duration.ts";
import { toMillis } from "../units/nanoseconds.ts";
import type { Drills } from "../watchers/drills.ts";
import type { Schedule } from "../watchers/schedule.ts";
import type { Observation } from "../watchers/watch-loop.ts";
import { subscribeConsole } from "./console-subscription.ts";
import type { Networks } from "./networks.ts";
import { watchedSubjects } from "./watched-subjects.ts";

export interface AlertingParts {
  readonly store: Pick<Store, "transaction">;
  readonly networks: Pick<Networks, "clients" | "simulated">;
  readonly config: AlertsConfig;
  /** Whether there is a console to look at: it is then subscribed, once. */
  readonly console: boolean;
  readonly log: Log;
  /** Told of lost destinations, refused tokens and absences, as the console is. */
  readonly operators?: Destination;
  /** What came of each try to deliver, once that is kept. */
  readonly onOutcome?: DispatchDependencies["onOutcome"];
  /** Told of each look, once it is kept. */
  readonly onLook?: (observation: Observation) => void;
  /** Runs before the first look. */
  readonly prepare?: () => Promise<void>;
  readonly onStep?: OnStep;
  readonly clock?: Clock;
}

/** One watcher's last look at one network. */
export interface LastLook {
  readonly network: string;
  readonly watcher: string;
  readonly every: Milliseconds;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  /** Why it saw nothing. */
  readonly failure?: string;
}

/** How the alerts fare, as far as this process knows. */
export interface AlertingHealth {
  /** What is owed on each platform, and since when the oldest of it (Unix milliseconds). */
  readonly queue: readonly { readonly platform: string; readonly owed: number; readonly oldest: Milliseconds }[];
  readonly looks: readonly LastLook[];
  /** The platforms that refuse the bot's token. */
  readonly refusals: readonly PlatformSuspension[];
}

/** Watches the networks and delivers what it owes. */
export interface Alerting {
  /** What people may do; serves from the first moment on, whether or not anything is watched yet. */
  readonly desk: AlertService;
  /** Begins to watch and to deliver. A database that fails is tried again and again. */
  start(senders: readonly Sender[]): Promise<void>;
  /** Something is owed that may be due. */
  wake(): void;
  /** The last verdict on each network, since this process began. */
  verdict(network: string): Verdict | undefined;
  /** Rejects where the database fails. */
  health(): Promise<AlertingHealth>;
  /** First nothing more is seen, then what is being sent gets a little time, then its outcome is kept. */
  stop(): Promise<void>;
}

/** How often it is looked at what time alone brings about. */
const UPKEEP: Milliseconds = 1000;

/** Everything between the networks and the platforms; what it needs for that is loaded with `start`. */
export function createAlerting(parts: AlertingParts): Alerting {
  const { store, networks, config, log, clock = systemClock, onStep } = parts;
  const names = networks.clients.map(({ network }) => network);
  const optional = {
    ...(parts.operators === undefined ? {} : { operators: parts.operators }),
    ...(onStep === undefined ? {} : { onStep }),
  };
  const watching = new AbortController();
  const delivering = new AbortController();
  const subjects = watchedSubjects();
  const looks = new Map<string, LastLook>();
  const verdicts = new Map<string, Verdict>();
  let senders: readonly Sender[] = [];
  let dispatcher: Dispatcher | undefined;
  let schedule: Schedule | undefined;
  let drills: Drills | undefined;
  let starting: Promise<void> | undefined;
  let dispatching: Promise<void> | undefined;
  let upkeeping: Promise<void> | undefined;

  const alertParts = {
    store,
    config,
    clock,
    log,
    simulated: new Set(networks.simulated ? [...names, DRILL_NETWORK] : []),
    onOwed: () => dispatcher?.wake(),
    ...optional,
  };
  const engine = createAlertEngine(alertParts);
  const verdict = (network: string): Verdict | undefined => verdicts.get(network);
  const desk = createAlertService(engine, config, () => senders.map(({ platform }) => platform), verdict);

  async function keep(observation: Observation): Promise<void> {
    await engine.record(observation);
    const { network, watcher, at, failure } = observation;
    looks.set(`${network}/${watcher.name}`, {
      network,
      watcher: watcher.name,
      every: watcher.every,
      at: toMillis(at),
      ...(failure === undefined ? {} : { failure: failure.message }),
    });
    parts.onLook?.(observation);
  }

  let subscribed = false;
  async function subscribe(): Promise<void> {
    if (subscribed || !parts.console) return;
    for (const network of names) await subscribeConsole(desk, store, network, toMillis(clock.wallClock()));
    subscribed = true;
  }

  async function upkeep(): Promise<void> {
    await subscribe();
    await engine.upkeep();
    const subscriptions = await engine.subscriptions();
    subjects.update(subscriptions);
    drills?.watch(subscriptions);
  }

  /** Again and again until the signal; a fault is told when it begins. */
  async function keepUp(): Promise<void> {
    let failing = false;
    while (!watching.signal.aborted) {
      try {
        await upkeep();
        failing = false;
      } catch (thrown) {
        if (!failing) log.error({ why: messageOf(thrown) }, "what is owed cannot be kept up; trying again");
        failing = true;
      }
      await clock.sleep(UPKEEP, watching.signal).catch(() => undefined);
    }
  }

  async function begin(): Promise<void> {
    const [{ createDispatcher }, { describe }, { createWatchers }, { createDrills, drillSettings }, { startSchedule }] =
      await Promise.all([
        import("../alerts/dispatch/dispatch.ts"),
        import("../alerts/wording/wording.ts"),
        import("../watchers/create-watchers.ts"),
        import("../watchers/drills.ts"),
        import("../watchers/schedule.ts"),
      ]);
    if (watching.signal.aborted) return;
    const { onOutcome } = parts;
    dispatcher = createDispatcher({
      store,
      clock,
      log,
      senders,
      describe,
      ...(onOutcome === undefined ? {} : { onOutcome }),
      ...(parts.console ? { console: CONSOLE_DESTINATION } : {}),
      ...optional,
    });
    dispatching = dispatcher.run(delivering.signal);
    const drilled = { ...alertParts, config: drillSettings(config) };
    drills = createDrills({ ...drilled, engine: createAlertEngine(drilled) });
    try {
      await parts.prepare?.();
      await engine.closeUnwatched(names);
      await upkeep();
    } catch (thrown) {
      log.error({ err: thrown }, "the database cannot be used; what is seen is kept once it can");
    }
    if (watching.signal.aborted) return;
    upkeeping = keepUp();
    schedule = startSchedule({
      networks: networks.clients.map((api) => {
        const { network } = api;
        const onVerdict = (latest: Verdict): void => void verdicts.set(network, latest);
        return { api, watchers: createWatchers({ network, nodes: api.nodes.length, config, clock, onVerdict }) };
      }),
      load: async (network, watcher) => (await engine.snapshot(network, watcher))?.data,
      subjects: (network, kind) => subjects.of(network, kind),
      sink: keep,
      log,
      clock,
    });
  }

  return {
    desk,
    start(given) {
      senders = given;
      starting ??= begin();
      return starting;
    },
    wake: () => dispatcher?.wake(),
    verdict,
    async health() {
      const kept = await store.transaction(async ({ alerts }) => ({
        queue: await alerts.outbox.depth(),
        refusals: await readSuspensions(alerts),
      }));
      return { ...kept, looks: [...looks.values()] };
    },
    async stop() {
      watching.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      await starting;
      await Promise.all([schedule?.stop(), upkeeping, drills?.stop()]);
      delivering.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      await dispatching;
    },
  };
}
