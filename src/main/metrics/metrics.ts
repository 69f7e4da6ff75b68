// The metrics of the process in Prometheus' format. This module collects samples and renders them. It has the
// instruments of requests and of the process; `alert-metrics.ts` has those of alerts.

import { monitorEventLoopDelay, type RecordableHistogram } from "node:perf_hooks";

import type * as prometheus from "prom-client";
import type { Counter, Histogram, Registry } from "prom-client";

import type { Adapter } from "../../adapters/adapter.ts";
import type { HttpSample, Metrics } from "../../adapters/web/index.ts";
import type { NodeRequest } from "../../api/client/client.ts";
import type { InvocationOutcome } from "../../bot/invocation.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";
import { type AlertInstruments, alertInstruments, type AlertSnapshot } from "./alert-metrics.ts";

type Samples = RequestInstruments & Omit<AlertInstruments, "show">;

/** Counts what the process does. Samples are cheap; prom-client is loaded at the first scrape. */
export interface MetricsRecorder extends Samples {
  /** All metrics, with the state of the parts at this scrape. */
  render(parts?: ScrapedParts): Promise<Metrics>;
}

export interface MetricsSources {
  readonly version: string;
  /** The chat platforms that are set up: their counters begin at 0. */
  readonly chats?: readonly string[];
  /** Log lines that could not be written so far; read at each scrape. */
  readonly lostLogLines?: () => number;
  /** Timeout of what the database is asked. Default 2 s. */
  readonly alertsMillis?: Milliseconds;
}

/** The parts of the process whose state each scrape reads. */
export interface ScrapedParts {
  readonly platforms?: readonly Pick<Adapter, "platform" | "health">[];
  /** The installations of each app of many workspaces, by their state. */
  readonly installations?: () => Promise<readonly InstallationSample[]>;
  readonly alerts?: () => Promise<AlertSnapshot>;
}

/** How many installations a platform's app has in each state. */
export interface InstallationSample {
  readonly platform: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** Samples buffered until prom-client is loaded; beyond that it is loaded at once. */
const MAX_BUFFERED_SAMPLES = 1000;
/** A stuck database must not hold up the other metrics. */
const SNAPSHOT_TIMEOUT_MILLIS: Milliseconds = 2000;

/** Counts requests and answers. */
type RequestInstruments = ReturnType<typeof requestInstruments>;

/** Statuses with a label of their own; any other is grouped, so that labels stay bounded. */
const KNOWN_STATUSES = new Set(["400", "401", "403", "404", "429", "500", "502", "503", "504"]);

type Delays = Pick<RecordableHistogram, "count" | "min" | "max" | "mean" | "stddev" | "percentile" | "reset">;

/** The delays of the event loop as prom-client names them, in nanoseconds. */
const DELAYS: Readonly<Record<string, (delays: Delays) => number>> = {
  min: ({ min }) => delayOf(min),
  max: ({ max }) => delayOf(max),
  mean: ({ mean }) => delayOf(mean),
  stddev: ({ stddev }) => stddev,
  p50: (delays) => delayOf(delays.percentile(50)),
  p90: (delays) => delayOf(delays.percentile(90)),
  p99: (delays) => delayOf(delays.percentile(99)),
};
/** Often enough to see a blocked loop, rarely enough to be cheap. */
const RESOLUTION_MILLIS = 100;

export function createMetrics(sources: MetricsSources): MetricsRecorder {
  let waiting: ((instruments: Samples) => void)[] = [];
  let loading: Promise<Instruments> | undefined;
  let ready: Instruments | undefined;

  const load = (): Promise<Instruments> => {
    loading ??= createInstruments(sources).then((instruments) => {
      for (const observe of waiting) observe(instruments);
      waiting = [];
      ready = instruments;
      return instruments;
    });
    return loading;
  };
  const record = (observe: (instruments: Samples) => void): void => {
    if (ready !== undefined) return observe(ready);
    waiting.push(observe);
    if (waiting.length >= MAX_BUFFERED_SAMPLES) void load();
  };

  return {
    onOutcome: (outcome) => record((to) => to.onOutcome(outcome)),
    onNodeRequest: (request) => record((to) => to.onNodeRequest(request)),
    onHttpRequest: (request) => record((to) => to.onHttpRequest(request)),
    onDelivery: (delivery) => record((to) => to.onDelivery(delivery)),
    // Observations may be large, so a buffered sample holds only the fields that are counted.
    onObservation: ({ network, watcher, failure }) => record((to) => to.onObservation({ network, watcher, failure })),
    onPlatformLimit: (platform) => record((to) => to.onPlatformLimit(platform)),
    async render(parts = {}) {
      const { registry, show } = await load();
      await show(parts);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

interface Instruments extends Samples {
  readonly registry: Registry;
  /** Sets the gauges. */
  readonly show: (parts: ScrapedParts) => Promise<void>;
}

/** Names follow https://prometheus.io/docs/practices/naming/. */
async function createInstruments(sources: MetricsSources): Promise<Instruments> {
  const prometheus = await import("prom-client");
  const { Counter, Gauge, Registry } = prometheus;
  const registry = new Registry();
  const registers = [registry];
  processInstruments(prometheus, registry);
  new Gauge({
    name: "bellwether_build_info",
    help: "Always 1; what runs.",
    labelNames: ["version", "node"],
    registers,
  }).set({ version: sources.version, node: process.versions.node }, 1);
  const platformUp = new Gauge({
    name: "bellwether_platform_up",
    help: "1 while a platform is connected, 0 while it is starting, down or failed.",
    labelNames: ["platform", "state"],
    registers,
  });
  const installed = new Gauge({
    name: "bellwether_installations",
    help: "Workspaces that have the app: installed, removed and not deleted yet, unreadable with SECRET_KEY.",
    labelNames: ["platform", "state"],
    registers,
  });
  const lostLogLines = new Counter({
    name: "bellwether_log_lines_lost_total",
    help: "Log lines that could not be written, because nobody reads the log or its disk is full.",
    registers,
  });
  const requests = requestInstruments(prometheus, registry, sources.chats);
  const { show: showAlerts, ...alerts } = alertInstruments(prometheus, registry);

  /** Undefined where the database fails or is late: the log explains why. */
  const asked = <T>(answer: Promise<T> | undefined): Promise<T | undefined> => {
    const { alertsMillis: millis = SNAPSHOT_TIMEOUT_MILLIS } = sources;
    return inTime(
      Promise.resolve(answer).catch(() => undefined),
      { millis },
      () => undefined,
    );
  };
  return {
    registry,
    ...requests,
    ...alerts,
    async show(parts) {
      const [installations = [], snapshot] = await Promise.all([
        asked(parts.installations?.()),
        asked(parts.alerts?.()),
      ]);
      if (parts.alerts !== undefined) showAlerts(snapshot);
      for (const one of [platformUp, installed, lostLogLines]) one.reset();
      for (const { platform, health } of parts.platforms ?? []) {
        platformUp.set({ platform, state: health.state }, health.state === "up" ? 1 : 0);
      }
      for (const { platform, counts } of installations) {
        for (const [state, count] of Object.entries(counts)) installed.set({ platform, state }, count);
      }
      lostLogLines.inc(sources.lostLogLines?.() ?? 0);
    },
  };
}

/** Metrics of requests and answers. Names follow https://prometheus.io/docs/practices/naming/. */
function requestInstruments(
  { Counter, Histogram }: typeof prometheus,
  registry: Registry,
  platforms: readonly string[] = [],
) {
  const seconds = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> =>
    new Histogram({ name, help, labelNames, buckets, registers: [registry] });
  const invocations = seconds(
    "bellwether_invocation_duration_seconds",
    "Commands run, by how they ended, and how long they took.",
    ["command", "platform", "outcome"],
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  );
  const nodes = seconds(
    "bellwether_node_request_duration_seconds",
    "Requests to data nodes, by how they ended, and how long they took.",
    ["network", "node", "outcome"],
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  const http = seconds(
    "bellwether_http_request_duration_seconds",
    "Requests to the web console, and how long they took.",
    ["method", "route", "status"],
    [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
  );
  const limited = new Counter({
    name: "bellwether_rate_limited_total",
    help: "Answers that refused a request because there were too many (429, and a node's 403): of a node or a platform.",
    labelNames: ["of", "name"],
    registers: [registry],
  });

  const initialised = new Set<string>();
  /** A counter begins at 0, so that its first step is seen as one. */
  const initialise = (of: "node" | "platform", name: string): void => {
    if (initialised.has(name)) return;
    initialised.add(name);
    limited.inc({ of, name }, 0);
  };

  for (const platform of platforms) initialise("platform", platform);

  return {
    onOutcome: ({ command, platform, outcome, millis }: InvocationOutcome): void => {
      invocations.observe({ command, platform, outcome }, millis / 1000);
    },
    onNodeRequest: ({ network, node, outcome, millis }: NodeRequest): void => {
      nodes.observe({ network, node, outcome: boundedOutcome(outcome) }, millis / 1000);
      const name = `${network} ${node}`;
      initialise("node", name);
      if (outcome === "http 429" || outcome === "http 403") limited.inc({ of: "node", name });
    },
    onHttpRequest: ({ method, route, status, millis }: HttpSample): void => {
      http.observe({ method, route, status: String(status) }, millis / 1000);
    },
    /** A platform answered 429. */
    onPlatformLimit: (platform: string): void => {
      limited.inc({ of: "platform", name: platform });
    },
  };
}

function boundedOutcome(outcome: string): string {
  const status = /^http (\d)(\d+)$/u.exec(outcome);
  if (status === null || KNOWN_STATUSES.has(`${status[1]}${status[2]}`)) return outcome;
  return `http ${status[1]}xx`;
}

/** Node measures from tick to tick, so a loop that is never late shows the whole time between two ticks. */
function delayOf(measured: number): number {
  return Math.max(0, measured - RESOLUTION_MILLIS * 1e6);
}

/**
 * prom-client's metrics of the process and of Node.js, with three corrections: CPU time counts from the start of the
 * process instead of the first scrape; lag excludes the time between two ticks; and the last event loop measurement
 * stays where two scrapes come so close that there is no newer one.
 */
function processInstruments({ collectDefaultMetrics, Gauge }: typeof prometheus, registry: Registry): void {
  const before = process.cpuUsage();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: RESOLUTION_MILLIS });
  const counted = (name: string, micros: number): void => {
    (registry.getSingleMetric(name) as Counter | undefined)?.inc(micros / 1e6);
  };
  counted("process_cpu_user_seconds_total", before.user);
  counted("process_cpu_system_seconds_total", before.system);
  counted("process_cpu_seconds_total", before.user + before.system);

  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
  delays.enable();
  const gauges = Object.entries(DELAYS).map(([figure, read]) => {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    registry.removeSingleMetric(name);
    const gauge = new Gauge({
      name,
      help: `The event loop's delays since the last read: ${figure}.`,
      registers: [registry],
      collect: () => show(),
    });
    // Nothing is measured yet: a gauge of 0 would say that there was no delay.
    gauge.remove();
    return { gauge, read };
  });
  // The first gauge that is collected sets all gauges; for the others of that scrape there is no newer measurement.
  function show(): void {
    if (delays.count === 0) return;
    for (const { gauge, read } of gauges) gauge.set(read(delays) / 1e9);
    delays.reset();
  }
}
