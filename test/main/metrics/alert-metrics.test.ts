import { expect, it } from "vitest";

import type { Verdict } from "../../../src/api/verdict/verdict.ts";
import type { AlertSnapshot } from "../../../src/main/metrics/alert-metrics.ts";
import { createMetrics, type MetricsRecorder, type ScrapedParts } from "../../../src/main/metrics/metrics.ts";

const AT = 1_700_000_000_000;

const verdict = {
  network: "stalled",
  ageMillis: 42_000,
  nodes: [
    { node: "n1", state: "ok", behindMillis: 0 },
    { node: "n2", state: "down" },
  ],
} as unknown as Verdict;

const snapshot: AlertSnapshot = {
  at: AT,
  queue: [{ platform: "slack", owed: 7, oldest: AT - 90_000 }],
  platforms: ["web", "discord", "slack"],
  suspensions: [{ platform: "discord", since: AT - 90_000, nextAt: 0, why: "Discord says 401: Unauthorized" }],
  observations: [{ network: "mainnet", watcher: "sources", every: 5000, at: AT - 3000 }],
  verdicts: [["mainnet", verdict]],
  open: [
    { network: "mainnet", severity: "critical" },
    { network: "mainnet", severity: "critical" },
  ],
  counts: {
    dead: [{ platform: "discord", count: 2 }],
    subscriptions: [
      { state: "active", count: 3 },
      { state: "removed", count: 9 },
    ],
    held: 4,
  },
  looks: { bytes: 12_000, oldest: AT - 7_200_000 },
  silences: 2,
  processes: [
    { id: "a", beatAgo: 400, duties: [] },
    { id: "b", beatAgo: 1500, duties: [{ name: "drills", epoch: 3 }] },
  ],
  load: { oldestTransaction: 90_500, waiting: 700, dead: { table: "alert_held", share: 0.25 } },
  writable: true,
};

/** The lines of a metric, without its prefix. */
async function read(metrics: MetricsRecorder, name: string, alerts?: ScrapedParts["alerts"]): Promise<string[]> {
  const { body } = await metrics.render(alerts === undefined ? {} : { alerts });
  return body
    .split("\n")
    .filter((line) => new RegExp(`^bellwether_${name}(?:_count)?(?:\\{| )`, "u").test(line))
    .map((line) => line.replace("bellwether_", ""));
}

it.each<[string, string[]]>([
  [
    "queue_depth",
    ['queue_depth{platform="web"} 0', 'queue_depth{platform="discord"} 0', 'queue_depth{platform="slack"} 7'],
  ],
  [
    "queue_oldest_age_seconds",
    [
      'queue_oldest_age_seconds{platform="web"} 0',
      'queue_oldest_age_seconds{platform="discord"} 0',
      'queue_oldest_age_seconds{platform="slack"} 90',
    ],
  ],
  ["watcher_last_look_age_seconds", ['watcher_last_look_age_seconds{network="mainnet",watcher="sources"} 3']],
  ["watcher_interval_seconds", ['watcher_interval_seconds{network="mainnet",watcher="sources"} 5']],
  ["looks_bytes", ["looks_bytes 12000"]],
  ["looks_oldest_seconds", ["looks_oldest_seconds 7200"]],
  ["token_refused", ['token_refused{platform="discord"} 1', 'token_refused{platform="slack"} 0']],
  [
    "network_state",
    [
      'network_state{network="mainnet",state="healthy"} 0',
      'network_state{network="mainnet",state="contested"} 0',
      'network_state{network="mainnet",state="unconfirmed"} 0',
      'network_state{network="mainnet",state="syncing"} 0',
      'network_state{network="mainnet",state="stalled"} 1',
      'network_state{network="mainnet",state="blind"} 0',
    ],
  ],
  ["network_time_age_seconds", ['network_time_age_seconds{network="mainnet"} 42']],
  ["node_behind_seconds", ['node_behind_seconds{network="mainnet",node="n1"} 0']],
  [
    "open_episodes",
    [
      'open_episodes{network="mainnet",severity="info"} 0',
      'open_episodes{network="mainnet",severity="warning"} 0',
      'open_episodes{network="mainnet",severity="critical"} 2',
    ],
  ],
  [
    "dead_letters",
    ['dead_letters{platform="web"} 0', 'dead_letters{platform="discord"} 2', 'dead_letters{platform="slack"} 0'],
  ],
  [
    "subscriptions",
    [
      'subscriptions{state="active"} 3',
      'subscriptions{state="paused"} 0',
      'subscriptions{state="ended"} 0',
      'subscriptions{state="retired"} 0',
    ],
  ],
  ["held_messages", ["held_messages 4"]],
  ["silences", ["silences 2"]],
  ["store_up", ["store_up 1"]],
  ["database_oldest_transaction_seconds", ["database_oldest_transaction_seconds 90.5"]],
  ["database_waiting_seconds", ["database_waiting_seconds 0.7"]],
  ["processes", ["processes 2"]],
  [
    "process_heartbeat_age_seconds",
    ['process_heartbeat_age_seconds{process="a"} 0.4', 'process_heartbeat_age_seconds{process="b"} 1.5'],
  ],
  ["duty_epoch", ['duty_epoch{duty="drills",process="b"} 3']],
  ["database_dead_rows_ratio", ["database_dead_rows_ratio 0.25"]],
])("shows the state of the alerts: %s", async (name, lines) => {
  expect(await read(createMetrics({ version: "1" }), name, async () => snapshot)).toEqual(lines);
});

it("says of every node which state it is in", async () => {
  const lines = await read(createMetrics({ version: "1" }), "node_state", async () => snapshot);
  expect(lines.filter((line) => line.endsWith(" 1"))).toEqual([
    'node_state{network="mainnet",node="n1",state="ok"} 1',
    'node_state{network="mainnet",node="n2",state="down"} 1',
  ]);
});

it("shows a database whose last write failed as down", async () => {
  const alerts = async () => ({ ...snapshot, writable: false });
  expect(await read(createMetrics({ version: "1" }), "store_up", alerts)).toEqual(["store_up 0"]);
});

it("forgets what is over", async () => {
  let now = snapshot;
  const metrics = createMetrics({ version: "1" });
  const alerts = async () => now;
  expect(await read(metrics, "queue_depth", alerts)).toContain('queue_depth{platform="slack"} 7');
  now = { ...snapshot, queue: [] };
  expect(await read(metrics, "queue_depth", alerts)).toContain('queue_depth{platform="slack"} 0');
});

it.each<[string, () => Promise<AlertSnapshot>]>([
  ["fails", () => Promise.reject(new Error("The store is closed."))],
  ["hangs", () => new Promise(() => {})],
])("gives the other figures where the database %s", async (_name, alerts) => {
  const metrics = createMetrics({ version: "1", alertsMillis: 20 });
  metrics.onDelivery({ platform: "slack", phase: "trigger", outcome: "sent", waited: 250 });
  expect(await read(metrics, "store_up", alerts)).toEqual(["store_up 0"]);
  expect(await read(metrics, "queue_depth", alerts)).toEqual([]);
  expect(await read(metrics, "deliveries_total", alerts)).toHaveLength(1);
});

it("counts deliveries by what came of them, and measures those that arrived", async () => {
  const metrics = createMetrics({ version: "1" });
  metrics.onDelivery({ platform: "slack", phase: "trigger", outcome: "retry", waited: 100 });
  metrics.onDelivery({ platform: "slack", phase: "trigger", outcome: "sent", waited: 2000 });
  expect(await read(metrics, "deliveries_total")).toEqual([
    'deliveries_total{platform="slack",phase="trigger",outcome="retry"} 1',
    'deliveries_total{platform="slack",phase="trigger",outcome="sent"} 1',
  ]);
  expect(await read(metrics, "delivery_delay_seconds")).toEqual(['delivery_delay_seconds_count{platform="slack"} 1']);
});

it("counts observations, and requests refused by nodes and by platforms", async () => {
  const metrics = createMetrics({ version: "1" });
  const observation = { network: "mainnet", watcher: { name: "markets", every: 1 } };
  metrics.onObservation(observation);
  metrics.onObservation({ ...observation, failure: new Error("no answer") });
  for (const outcome of ["http 429", "http 403", "http 500", "ok"]) {
    metrics.onNodeRequest({ network: "mainnet", node: "n1", outcome, millis: 1 });
  }
  metrics.onPlatformLimit("slack");
  expect(await read(metrics, "watcher_looks_total")).toEqual([
    'watcher_looks_total{network="mainnet",watcher="markets",outcome="seen"} 1',
    'watcher_looks_total{network="mainnet",watcher="markets",outcome="failed"} 1',
  ]);
  expect(await read(metrics, "rate_limited_total")).toEqual([
    'rate_limited_total{of="node",name="mainnet n1"} 2',
    'rate_limited_total{of="platform",name="slack"} 1',
  ]);
});

it("makes no label for every status that a node may think of", async () => {
  const metrics = createMetrics({ version: "1" });
  for (let status = 200; status < 600; status += 1) {
    metrics.onNodeRequest({ network: "mainnet", node: "n1", outcome: `http ${status}`, millis: 1 });
  }
  expect((await read(metrics, "node_request_duration_seconds")).length).toBeLessThan(15);
});
