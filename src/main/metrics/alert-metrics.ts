import type * as prometheus from "prom-client";
import type { Gauge, Registry } from "prom-client";

import type { DispatchDependencies } from "../../alerts/deliver/dispatch/dispatch.ts";
import { SEVERITIES } from "../../alerts/judge/kinds/kind.ts";
import { isSilenceActive } from "../../alerts/route/silence.ts";
import type { Episode } from "../../alerts/judge/rules/episode.ts";
import { isOfPlatform } from "../../alerts/route/suspension.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";
import type { AlertCounts } from "../../store/alert-tables/alert-tables.ts";
import type { StoredLooks } from "../../store/alert-tables/looks.ts";
import type { DatabaseLoad, DatabaseStore } from "../../store/create-store.ts";
import type { LiveProcess } from "../../store/store.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { Observation } from "../../watchers/schedule.ts";
import type { Alerting, AlertingHealth } from "../alerting/alerting.ts";

/** The state of the alerts at one moment. */
export interface AlertSnapshot extends Pick<AlertingHealth, "queue" | "observations" | "suspensions"> {
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  /** The platforms that deliver here. */
  readonly platforms: readonly string[];
  /** By network. */
  readonly verdicts: readonly (readonly [string, Verdict])[];
  readonly open: readonly Pick<Episode, "network" | "severity">[];
  readonly counts: AlertCounts;
  readonly looks: StoredLooks;
  /** The silences that hold. */
  readonly silences: number;
  /** Whether the last write to the database got through. */
  readonly writable: boolean;
  /** None where the database is a file. */
  readonly processes: readonly LiveProcess[];
  /** Undefined where the database is a file. */
  readonly load: DatabaseLoad | undefined;
}

interface AlertSnapshotSources {
  readonly alerting: Pick<Alerting, "health" | "verdict" | "service">;
  readonly store: Pick<DatabaseStore, "read" | "ping" | "load" | "processes">;
  readonly networks: readonly string[];
  /** Unix milliseconds. */
  readonly now: () => Milliseconds;
}

/** Rejects where the database fails. */
export async function readAlertSnapshot(sources: AlertSnapshotSources): Promise<AlertSnapshot> {
  const { alerting, store, networks } = sources;
  const { service } = alerting;
  const at = sources.now();
  const health = await alerting.health();
  const silences = await service.silences();
  return {
    ...health,
    at,
    platforms: service.platforms(),
    verdicts: networks.flatMap((network) => {
      const verdict = alerting.verdict(network);
      return verdict === undefined ? [] : [[network, verdict] as const];
    }),
    open: await service.openEpisodes(),
    ...(await store.read(async ({ alerts, looks }) => ({
      counts: await alerts.counts(at),
      looks: await looks.stored(),
    }))),
    silences: silences.filter((one) => isSilenceActive(one, at)).length,
    writable: await store.ping().then(
      () => true,
      () => false,
    ),
    processes: await store.processes.live(),
    load: await store.load(),
  };
}

/** The result of one delivery attempt. */
type DeliverySample = Parameters<NonNullable<DispatchDependencies["onOutcome"]>>[0];
/** The result of one observation. */
type ObservationSample = Pick<Observation, "network" | "watcher"> & { readonly failure?: unknown };

type Prometheus = typeof prometheus;

/** Counts what watching and delivering do, and shows their state. */
export type AlertInstruments = ReturnType<typeof alertInstruments>;

const NETWORK_STATES = ["healthy", "contested", "unconfirmed", "syncing", "stalled", "blind"] as const;
const NODE_STATES = ["ok", "lagging", "down", "unknown"] as const;
const SUBSCRIPTION_STATES = ["active", "paused", "ended", "retired"] as const;

/** Metrics of watching and delivering. */
export function alertInstruments({ Counter, Gauge, Histogram }: Prometheus, registry: Registry) {
  const registers = [registry];
  const deliveries = new Counter({
    name: "bellwether_deliveries_total",
    help: "Tries to deliver, by what came of them: sent, retry, maybe-sent, plain, dead, gone, dropped, refused.",
    labelNames: ["platform", "phase", "outcome"],
    registers,
  });
  const delay = new Histogram({
    name: "bellwether_delivery_delay_seconds",
    help: "From the moment that a message was to be sent to its receipt.",
    labelNames: ["platform"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
    registers,
  });
  const observations = new Counter({
    name: "bellwether_watcher_looks_total",
    help: "Looks that were kept, by whether the network could be seen.",
    labelNames: ["network", "watcher", "outcome"],
    registers,
  });

  const gauges = alertGauges(Gauge, registers);

  return {
    onDelivery: ({ platform, phase, outcome, waited }: DeliverySample): void => {
      deliveries.inc({ platform, phase, outcome });
      if (outcome === "sent") delay.observe({ platform }, Math.max(0, waited) / 1000);
    },
    onObservation: ({ network, watcher, failure }: ObservationSample): void => {
      observations.inc({ network, watcher: watcher.name, outcome: failure === undefined ? "seen" : "failed" });
    },
    /** Sets the gauges; without a snapshot, because the database did not answer, they are left out. */
    show: (snapshot: AlertSnapshot | undefined): void => {
      for (const one of Object.values<Gauge>(gauges)) one.reset();
      gauges.storeUp.set(snapshot?.writable === true ? 1 : 0);
      if (snapshot === undefined) return;
      showNetworks(gauges, snapshot);
      showDeliveries(gauges, snapshot);
      showProcesses(gauges, snapshot);
    },
  };
}

/** The state of watching and delivering, at a scrape. */
function alertGauges(Gauge: Prometheus["Gauge"], registers: Registry[]) {
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
    new Gauge({ name, help, labelNames, registers });
  return {
    storeUp: gauge("bellwether_store_up", "1 where the database answered this time and its last write got through."),
    observationAge: gauge(
      "bellwether_watcher_last_look_age_seconds",
      "How long ago a watcher's last look was kept.",
      "network",
      "watcher",
    ),
    interval: gauge(
      "bellwether_watcher_interval_seconds",
      "How long a watcher waits between two looks.",
      "network",
      "watcher",
    ),
    network: gauge("bellwether_network_state", "1 for the state of the last verdict on a network.", "network", "state"),
    age: gauge(
      "bellwether_network_time_age_seconds",
      "How far a network's time is behind this machine's clock.",
      "network",
    ),
    node: gauge("bellwether_node_state", "1 for the state of a node in the last verdict.", "network", "node", "state"),
    behind: gauge("bellwether_node_behind_seconds", "How far a node is behind the best one.", "network", "node"),
    depth: gauge("bellwether_queue_depth", "Messages that are not sent yet.", "platform"),
    oldest: gauge(
      "bellwether_queue_oldest_age_seconds",
      "The age of the oldest message that is not sent yet.",
      "platform",
    ),
    refused: gauge("bellwether_token_refused", "1 while a platform refuses the bot's own token.", "platform"),
    open: gauge("bellwether_open_episodes", "Alerts that are firing.", "network", "severity"),
    dead: gauge("bellwether_dead_letters", "Messages given up within the last day.", "platform"),
    subscriptions: gauge("bellwether_subscriptions", "Subscriptions, by their state.", "state"),
    held: gauge("bellwether_held_messages", "Messages that wait for quiet hours to end."),
    processes: gauge("bellwether_processes", "Processes of Bellwether that live on this database."),
    heartbeat: gauge(
      "bellwether_process_heartbeat_age_seconds",
      "How long ago the last heartbeat of a process came; none for a file.",
      "process",
    ),
    duty: gauge(
      "bellwether_duty_epoch",
      "Which process has a duty; the value grows with each that takes it. None for a file.",
      "duty",
      "process",
    ),
    waiting: gauge(
      "bellwether_database_waiting_seconds",
      "The longest that a transaction on the database server waits for its turn now; 0 for a file.",
    ),
    oldestTransaction: gauge(
      "bellwether_database_oldest_transaction_seconds",
      "How long the oldest transaction on the database server has been open; 0 for a file.",
    ),
    deadRows: gauge(
      "bellwether_database_dead_rows_ratio",
      "The share of dead rows in the table with most of them; 0 for a file, and where there are few.",
    ),
    looksBytes: gauge("bellwether_looks_bytes", "How much room the packed looks take."),
    looksOldest: gauge("bellwether_looks_oldest_seconds", "How long ago the oldest packed look was; 0 for none."),
    silences: gauge("bellwether_silences", "Silences that hold now: they keep alerts back."),
  };
}

type AlertGauges = ReturnType<typeof alertGauges>;

function showNetworks(
  { observationAge, interval, network, age, node, behind, open }: AlertGauges,
  snapshot: AlertSnapshot,
): void {
  for (const { network, watcher, at, every } of snapshot.observations) {
    observationAge.set({ network, watcher }, Math.max(0, snapshot.at - at) / 1000);
    interval.set({ network, watcher }, every / 1000);
  }
  for (const [name, verdict] of snapshot.verdicts) {
    for (const state of NETWORK_STATES) network.set({ network: name, state }, Number(state === verdict.network));
    if (verdict.ageMillis !== undefined) age.set({ network: name }, verdict.ageMillis / 1000);
    for (const one of verdict.nodes) {
      for (const state of NODE_STATES) {
        node.set({ network: name, node: one.node, state }, Number(state === one.state));
      }
      if (one.behindMillis !== undefined) behind.set({ network: name, node: one.node }, one.behindMillis / 1000);
    }
    for (const severity of SEVERITIES) open.set({ network: name, severity }, 0);
  }
  for (const episode of snapshot.open) open.inc({ network: episode.network, severity: episode.severity });
}

function showDeliveries(
  gauges: AlertGauges,
  { at, platforms, queue, suspensions, counts, ...more }: AlertSnapshot,
): void {
  const { depth, oldest, refused, dead, subscriptions } = gauges;
  // An empty queue shows as 0: a missing figure looks like one that could not be read.
  for (const platform of platforms) for (const one of [depth, oldest, dead]) one.set({ platform }, 0);
  for (const { platform, owed, oldest: since } of queue) {
    depth.set({ platform }, owed);
    oldest.set({ platform }, Math.max(0, at - since) / 1000);
  }
  // The console has no token.
  for (const platform of platforms.filter((one) => one !== "web")) {
    refused.set({ platform }, Number(suspensions.some((one) => isOfPlatform(one) && one.platform === platform)));
  }
  for (const { platform, count } of counts.dead) dead.set({ platform }, count);
  for (const state of SUBSCRIPTION_STATES) subscriptions.set({ state }, 0);
  for (const { state, count } of counts.subscriptions) {
    if (state !== "removed") subscriptions.set({ state }, count);
  }
  gauges.held.set(counts.held);
  gauges.looksBytes.set(more.looks.bytes);
  gauges.looksOldest.set(Math.max(0, at - (more.looks.oldest ?? at)) / 1000);
  gauges.silences.set(more.silences);
  gauges.waiting.set((more.load?.waiting ?? 0) / 1000);
  gauges.oldestTransaction.set((more.load?.oldestTransaction ?? 0) / 1000);
  gauges.deadRows.set(more.load?.dead?.share ?? 0);
}

function showProcesses({ processes, heartbeat, duty }: AlertGauges, { processes: live }: AlertSnapshot): void {
  // Only this process can use a file.
  processes.set(Math.max(1, live.length));
  for (const { id, beatAgo, duties } of live) {
    heartbeat.set({ process: id }, beatAgo / 1000);
    for (const { name, epoch } of duties) duty.set({ duty: name, process: id }, epoch);
  }
}
