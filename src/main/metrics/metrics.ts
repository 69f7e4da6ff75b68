import type { Registry } from "prom-client";

import type { Adapter } from "../../adapters/adapter.ts";
import type { HttpSample, Metrics } from "../../adapters/web/index.ts";
import type { NodeRequest } from "../../api/client/client.ts";
import type { InvocationOutcome } from "../../bot/bot.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Observation } from "../../watchers/watch-loop.ts";
import {
  alertInstruments,
  type AlertInstruments,
  type AlertSample,
  type AlertSnapshot,
  type DeliverySample,
} from "./alert-metrics.ts";
import { processInstruments } from "./process-metrics.ts";
import { requestInstruments, type RequestSample } from "./request-metrics.ts";

/** What the process counts. Samples cost next to nothing; prom-client is loaded when somebody first asks. */
export interface MetricsRecorder {
  readonly onOutcome: (outcome: InvocationOutcome) => void;
  readonly onNodeRequest: (sample: NodeRequest) => void;
  readonly onHttpRequest: (sample: HttpSample) => void;
  readonly onDelivery: (sample: DeliverySample) => void;
  readonly onObservation: (observation: Pick<Observation, "network" | "watcher" | "failure">) => void;
  /** A platform answered that it gets too many requests. */
  readonly onPlatformLimit: (platform: string) => void;
  render(): Promise<Metrics>;
}

export interface MetricsSources {
  readonly version: string;
  /** The adapters that run, asked each time that somebody reads the figures. */
  readonly platforms?: () => readonly Pick<Adapter, "platform" | "health">[];
  /** Log lines that could not be written so far, asked each time that somebody reads the figures. */
  readonly lostLogLines?: () => number;
  /** How the alerts stand, asked each time that somebody reads the figures. */
  readonly alerts?: () => Promise<AlertSnapshot>;
  /** How long that may take. Default 2 s. */
  readonly alertsMillis?: Milliseconds;
}

type Sample = RequestSample | AlertSample;

/** Samples that wait for prom-client to be loaded; beyond that they are counted there and then. */
const MAX_BUFFERED_SAMPLES = 1000;
/** A database that is stuck must not keep the other figures from whoever asks. */
const SNAPSHOT_TIMEOUT_MILLIS: Milliseconds = 2000;

export function createMetrics(build: MetricsSources): MetricsRecorder {
  let waiting: Sample[] = [];
  let loading: Promise<Instruments> | undefined;
  let ready: Instruments | undefined;

  const load = (): Promise<Instruments> => {
    loading ??= createInstruments(build).then((instruments) => {
      for (const sample of waiting) instruments.observe(sample);
      waiting = [];
      ready = instruments;
      return instruments;
    });
    return loading;
  };
  const note = (sample: Sample): void => {
    if (ready !== undefined) return ready.observe(sample);
    waiting.push(sample);
    if (waiting.length >= MAX_BUFFERED_SAMPLES) void load();
  };

  return {
    onOutcome: (sample) => note({ of: "invocation", sample }),
    onNodeRequest: (sample) => note({ of: "node", sample }),
    onHttpRequest: (sample) => note({ of: "http", sample }),
    onDelivery: (sample) => note({ of: "delivery", sample }),
    // Only what is counted is kept: what it saw may be large.
    onObservation: ({ network, watcher, failure }) =>
      note({ of: "look", network, watcher: watcher.name, failed: failure !== undefined }),
    onPlatformLimit: (platform) => note({ of: "limited platform", platform }),
    async render() {
      const { registry, alerts } = await load();
      if (build.alerts !== undefined) alerts.show(await inTime(build.alerts(), build.alertsMillis));
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

async function inTime(
  standing: Promise<AlertSnapshot>,
  limitMillis = SNAPSHOT_TIMEOUT_MILLIS,
): Promise<AlertSnapshot | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), limitMillis);
  try {
    return await Promise.race([standing, late]);
  } catch {
    // The log says what is wrong with the database; here it counts as one that does not answer.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

interface Instruments {
  readonly registry: Registry;
  readonly alerts: AlertInstruments;
  observe(sample: Sample): void;
}

/** Names follow https://prometheus.io/docs/practices/naming/. */
async function createInstruments(build: MetricsSources): Promise<Instruments> {
  const prometheus = await import("prom-client");
  const { Counter, Gauge, Registry } = prometheus;
  const registry = new Registry();
  processInstruments(prometheus, registry);
  new Gauge({
    name: "bellwether_build_info",
    help: "Always 1; what runs.",
    labelNames: ["version", "node"],
    registers: [registry],
  }).set({ version: build.version, node: process.versions.node }, 1);
  const platformUp = new Gauge({
    name: "bellwether_platform_up",
    help: "1 while a platform is connected, 0 while it is starting, down or failed.",
    labelNames: ["platform", "state"],
    registers: [],
    collect() {
      this.reset();
      for (const { platform, health } of build.platforms?.() ?? []) {
        this.set({ platform, state: health.state }, health.state === "up" ? 1 : 0);
      }
    },
  });
  registry.registerMetric(platformUp);
  registry.registerMetric(
    new Counter({
      name: "bellwether_log_lines_lost_total",
      help: "Log lines that could not be written, because nobody reads the log or its disk is full.",
      registers: [],
      collect() {
        this.reset();
        this.inc(build.lostLogLines?.() ?? 0);
      },
    }),
  );
  const request = requestInstruments(
    prometheus,
    registry,
    // The console refuses nobody.
    build.platforms?.().flatMap(({ platform }) => (platform === "web" ? [] : [platform])),
  );
  const alerts = alertInstruments(prometheus, registry);
  return {
    registry,
    alerts,
    observe(sample) {
      if (sample.of === "delivery" || sample.of === "look") alerts.observe(sample);
      else request(sample);
    },
  };
}
