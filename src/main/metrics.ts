import type { Histogram, Registry } from "prom-client";

import type { Adapter } from "../adapters/adapter.ts";
import type { HttpSample, Metrics } from "../adapters/web/index.ts";
import type { NodeRequest } from "../api/create-api-client.ts";
import type { Outcome } from "../bot/create-bot.ts";

/** What the process counts. Samples cost next to nothing; prom-client is loaded when somebody first asks. */
export interface Measurements {
  readonly onOutcome: (outcome: Outcome) => void;
  readonly onNodeRequest: (sample: NodeRequest) => void;
  readonly onHttpRequest: (sample: HttpSample) => void;
  render(): Promise<Metrics>;
}

export interface BuildInfo {
  readonly version: string;
  /** The adapters that run, asked each time that somebody reads the figures. */
  readonly platforms?: () => readonly Pick<Adapter, "platform" | "health">[];
}

type Sample =
  | { readonly of: "invocation"; readonly sample: Outcome }
  | { readonly of: "node"; readonly sample: NodeRequest }
  | { readonly of: "http"; readonly sample: HttpSample };

/** Samples that wait for prom-client to be loaded; beyond that they are counted there and then. */
const MAX_WAITING = 1000;

export function createMeasurements(build: BuildInfo): Measurements {
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
    if (waiting.length >= MAX_WAITING) void load();
  };

  return {
    onOutcome: (sample) => note({ of: "invocation", sample }),
    onNodeRequest: (sample) => note({ of: "node", sample }),
    onHttpRequest: (sample) => note({ of: "http", sample }),
    async render() {
      const { registry } = await load();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

interface Instruments {
  readonly registry: Registry;
  observe(sample: Sample): void;
}

/** Names follow https://prometheus.io/docs/practices/naming/. */
async function createInstruments(build: BuildInfo): Promise<Instruments> {
  const { collectDefaultMetrics, Gauge, Histogram, Registry } = await import("prom-client");
  const registry = new Registry();
  // Its delay histogram ticks for ever; ten times a second is enough to see a blocked loop.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
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

  return {
    registry,
    observe(given) {
      switch (given.of) {
        case "invocation": {
          const { command, platform, outcome, millis } = given.sample;
          invocations.observe({ command, platform, outcome }, millis / 1000);
          break;
        }
        case "node": {
          const { network, node, outcome, millis } = given.sample;
          nodes.observe({ network, node, outcome }, millis / 1000);
          break;
        }
        case "http": {
          const { method, route, status, millis } = given.sample;
          http.observe({ method, route, status: String(status) }, millis / 1000);
          break;
        }
      }
    },
  };
}
