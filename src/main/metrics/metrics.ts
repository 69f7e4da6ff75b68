// The metrics of the process in Prometheus' format. This module collects samples and renders them; the instruments are
// in `alert-metrics.ts`, `request-metrics.ts` and `process-metrics.ts`.

import type { Registry } from "prom-client";

import type { Adapter } from "../../adapters/adapter.ts";
import type { HttpSample, Metrics } from "../../adapters/web/index.ts";
import type { NodeRequest } from "../../api/client/client.ts";
import type { InvocationOutcome } from "../../bot/invocation.ts";
import { inTime } from "../../in-time.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Observation } from "../../watchers/schedule.ts";
import {
  alertInstruments,
  type AlertInstruments,
  type AlertSample,
  type AlertSnapshot,
  type DeliverySample,
} from "./alert-metrics.ts";
import { processInstruments } from "./process-metrics.ts";
import { requestInstruments, type RequestSample } from "./request-metrics.ts";

/** Counts what the process does. Samples are cheap; prom-client is loaded at the first scrape. */
export interface MetricsRecorder {
  readonly onOutcome: (outcome: InvocationOutcome) => void;
  readonly onNodeRequest: (sample: NodeRequest) => void;
  readonly onHttpRequest: (sample: HttpSample) => void;
  readonly onDelivery: (sample: DeliverySample) => void;
  /** Only the fields it counts: observations may be large. */
  readonly onObservation: (observation: Pick<Observation, "network" | "watcher" | "failure">) => void;
  /** A platform answered 429. */
  readonly onPlatformLimit: (platform: string) => void;
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

type Sample = RequestSample | AlertSample;

/** Samples buffered until prom-client is loaded; beyond that it is loaded at once. */
const MAX_BUFFERED_SAMPLES = 1000;
/** A stuck database must not hold up the other metrics. */
const SNAPSHOT_TIMEOUT_MILLIS: Milliseconds = 2000;

export function createMetrics(sources: MetricsSources): MetricsRecorder {
  let waiting: Sample[] = [];
  let loading: Promise<Instruments> | undefined;
  let ready: Instruments | undefined;
  let scraped: ScrapedParts = {};

  const load = (): Promise<Instruments> => {
    loading ??= createInstruments(sources, () => scraped).then((instruments) => {
      for (const sample of waiting) instruments.observe(sample);
      waiting = [];
      ready = instruments;
      return instruments;
    });
    return loading;
  };
  const record = (sample: Sample): void => {
    if (ready !== undefined) return ready.observe(sample);
    waiting.push(sample);
    if (waiting.length >= MAX_BUFFERED_SAMPLES) void load();
  };

  return {
    onOutcome: (sample) => record({ of: "invocation", sample }),
    onNodeRequest: (sample) => record({ of: "node", sample }),
    onHttpRequest: (sample) => record({ of: "http", sample }),
    onDelivery: (sample) => record({ of: "delivery", sample }),
    onObservation: ({ network, watcher, failure }) =>
      record({ of: "observation", network, watcher: watcher.name, failed: failure !== undefined }),
    onPlatformLimit: (platform) => record({ of: "limited platform", platform }),
    async render(parts = {}) {
      scraped = parts;
      const { registry, alerts } = await load();
      if (parts.alerts !== undefined) {
        // The log explains a failure; here the database counts as not answering.
        const snapshot = parts.alerts().catch(() => undefined);
        const { alertsMillis: millis = SNAPSHOT_TIMEOUT_MILLIS } = sources;
        alerts.show(await inTime(snapshot, { millis }, () => undefined));
      }
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

interface Instruments {
  readonly registry: Registry;
  readonly alerts: AlertInstruments;
  observe(sample: Sample): void;
}

/** Names follow https://prometheus.io/docs/practices/naming/. */
async function createInstruments(sources: MetricsSources, scraped: () => ScrapedParts): Promise<Instruments> {
  const prometheus = await import("prom-client");
  const { Counter, Gauge, Registry } = prometheus;
  const registry = new Registry();
  processInstruments(prometheus, registry);
  new Gauge({
    name: "bellwether_build_info",
    help: "Always 1; what runs.",
    labelNames: ["version", "node"],
    registers: [registry],
  }).set({ version: sources.version, node: process.versions.node }, 1);
  const platformUp = new Gauge({
    name: "bellwether_platform_up",
    help: "1 while a platform is connected, 0 while it is starting, down or failed.",
    labelNames: ["platform", "state"],
    registers: [],
    collect() {
      this.reset();
      for (const { platform, health } of scraped().platforms ?? []) {
        this.set({ platform, state: health.state }, health.state === "up" ? 1 : 0);
      }
    },
  });
  registry.registerMetric(platformUp);
  registry.registerMetric(
    new Gauge({
      name: "bellwether_installations",
      help: "Workspaces that have the app: installed, removed and not deleted yet, unreadable with SECRET_KEY.",
      labelNames: ["platform", "state"],
      registers: [],
      async collect() {
        this.reset();
        const { alertsMillis: millis = SNAPSHOT_TIMEOUT_MILLIS } = sources;
        const counted =
          scraped()
            .installations?.()
            .catch(() => []) ?? Promise.resolve([]);
        for (const { platform, counts } of await inTime(counted, { millis }, () => [])) {
          for (const [state, count] of Object.entries(counts)) this.set({ platform, state }, count);
        }
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: "bellwether_log_lines_lost_total",
      help: "Log lines that could not be written, because nobody reads the log or its disk is full.",
      registers: [],
      collect() {
        this.reset();
        this.inc(sources.lostLogLines?.() ?? 0);
      },
    }),
  );
  const request = requestInstruments(prometheus, registry, sources.chats);
  const alerts = alertInstruments(prometheus, registry);
  return {
    registry,
    alerts,
    observe(sample) {
      if (sample.of === "delivery" || sample.of === "observation") alerts.observe(sample);
      else request(sample);
    },
  };
}
