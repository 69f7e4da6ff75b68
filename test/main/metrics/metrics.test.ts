import { expect, it, vi } from "vitest";

import { createMetrics } from "../../../src/main/metrics/metrics.ts";

it("counts what came before anybody asked, and what came after", async () => {
  const metrics = createMetrics({ version: "1.2.3" });
  metrics.onOutcome({ command: "time", platform: "web", outcome: "answered", millis: 12 });
  metrics.onNodeRequest({ network: "mainnet", node: "n1:3008", outcome: "timeout", millis: 5000 });
  const first = await metrics.render();
  expect(first.contentType).toContain("text/plain");
  expect(first.body).toContain(`bellwether_build_info{version="1.2.3",node="${process.versions.node}"} 1`);
  expect(first.body).toContain(
    'bellwether_invocation_duration_seconds_count{command="time",platform="web",outcome="answered"} 1',
  );
  expect(first.body).toContain(
    'bellwether_node_request_duration_seconds_sum{network="mainnet",node="n1:3008",outcome="timeout"} 5',
  );
  expect(first.body).toContain("process_resident_memory_bytes");

  metrics.onOutcome({ command: "time", platform: "web", outcome: "answered", millis: 300 });
  metrics.onHttpRequest({ method: "GET", route: "/", status: 200, millis: 2 });
  const { body } = await metrics.render();
  expect(body).toContain(
    'bellwether_invocation_duration_seconds_bucket{le="0.025",command="time",platform="web",outcome="answered"} 1',
  );
  expect(body).toContain(
    'bellwether_invocation_duration_seconds_count{command="time",platform="web",outcome="answered"} 2',
  );
  expect(body).toContain('bellwether_http_request_duration_seconds_count{method="GET",route="/",status="200"} 1');
});

it("counts the time on the processor from the start of the process", async () => {
  const { user, system } = process.cpuUsage();
  const { body } = await createMetrics({ version: "1" }).render();
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "mu").exec(body)?.[1]);
  expect(figure("process_cpu_seconds_total")).toBeGreaterThanOrEqual((user + system) / 1e6);
  expect(figure("process_cpu_user_seconds_total")).toBeGreaterThanOrEqual(user / 1e6);
  expect(figure("process_cpu_system_seconds_total")).toBeGreaterThanOrEqual(system / 1e6);
});

it("says nothing of the event loop that was not measured, and keeps what was, however soon it is asked again", async () => {
  const metrics = createMetrics({ version: "1" });
  const lags = async (): Promise<string[]> =>
    (await metrics.render()).body
      .split("\n")
      .filter((line) => line.startsWith("nodejs_eventloop_lag_") && !line.startsWith("nodejs_eventloop_lag_seconds"));
  expect(await lags()).toEqual([]);
  const first = await vi.waitUntil(
    async () => {
      const lines = await lags();
      return lines.length > 0 && lines;
    },
    { timeout: 5000, interval: 50 },
  );
  expect(new Set(first.map((line) => line.split(" ")[0]))).toEqual(
    new Set(
      ["max", "mean", "min", "p50", "p90", "p99", "stddev"].map((figure) => `nodejs_eventloop_lag_${figure}_seconds`),
    ),
  );
  for (const line of [...first, ...(await lags())]) {
    const value = Number(line.split(" ")[1]);
    expect(value).toBeGreaterThanOrEqual(0);
    expect(value).toBeLessThan(3600);
  }

  expect(await lags()).toHaveLength(first.length);
});

it("shows which platforms are connected, as they are when asked", async () => {
  let state: "up" | "failed" = "up";
  const platforms = () => [{ platform: "discord", health: { state } }];
  const metrics = createMetrics({ version: "1" });
  expect((await metrics.render({ platforms: platforms() })).body).toContain(
    'bellwether_platform_up{platform="discord",state="up"} 1',
  );
  state = "failed";
  const { body } = await metrics.render({ platforms: platforms() });
  expect(body).toContain('bellwether_platform_up{platform="discord",state="failed"} 0');
  expect(body).not.toContain('state="up"');
});

it("counts on when nobody asks for long", async () => {
  const metrics = createMetrics({ version: "1" });
  for (let index = 0; index < 5000; index += 1) {
    metrics.onHttpRequest({ method: "GET", route: "/healthz", status: 200, millis: 1 });
  }
  const { body } = await metrics.render();
  expect(body).toContain(
    'bellwether_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"} 5000',
  );
});
