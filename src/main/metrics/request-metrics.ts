import type * as prometheus from "prom-client";
import type { Histogram, Registry } from "prom-client";

import type { HttpSample } from "../../adapters/web/index.ts";
import type { NodeRequest } from "../../api/client/client.ts";
import type { InvocationOutcome } from "../../bot/invocation.ts";

/** Counts requests and answers. */
export type RequestInstruments = ReturnType<typeof requestInstruments>;

/** Statuses with a label of their own; any other is grouped, so that labels stay bounded. */
const KNOWN_STATUSES = new Set(["400", "401", "403", "404", "429", "500", "502", "503", "504"]);

/** Metrics of requests and answers. Names follow https://prometheus.io/docs/practices/naming/. */
export function requestInstruments(
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
