// The metrics of the process in Prometheus' format. This module collects samples and renders them; the instruments are
// in `alert-metrics.ts`, `request-metrics.ts` and `process-metrics.ts`.

import type { Registry } from "prom-client";

import type { Adapter } from "../../adapters/adapter.ts";
import type { Metrics } from "../../adapters/web/index.ts";
import { inTime } from "../../in-time.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { type AlertInstruments, alertInstruments, type AlertSnapshot } from "./alert-metrics.ts";
import { processInstruments } from "./process-metrics.ts";
import { type RequestInstruments, requestInstruments } from "./request-metrics.ts";

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
