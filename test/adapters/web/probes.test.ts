import { expect, test } from "vitest";

import { echoBot, startConsole } from "./harness.ts";

test("requests are counted by their route, not their path", async () => {
  const samples: string[] = [];
  await using harness = await startConsole(echoBot(), {
    onRequest: ({ method, route, status }) => samples.push(`${method} ${route} ${status}`),
  });
  await harness.post("/api/invocations", { text: "time" });
  await harness.send("/page/console.js");
  await harness.send(`/${"x".repeat(50)}`);
  await harness.send("/api/console", { headers: { origin: "https://evil.example" } });
  expect(samples).toEqual([
    "POST /api/invocations 200",
    "GET /page/:name 200",
    "GET other 404",
    expect.stringMatching(/^GET \S+ 403$/u) as string,
  ]);
});

test("metrics and readiness that fail say so without a detail", async () => {
  const failing = (): Promise<never> => Promise.reject(new Error("secret detail"));
  await using harness = await startConsole(echoBot(), { metrics: failing, ready: failing });
  const metrics = await harness.send("/metrics");
  expect(metrics.status).toBe(500);
  const ready = await harness.send("/readyz");
  expect(ready.status).toBe(503);
  expect(metrics.body + ready.body).not.toContain("secret");
});

test("metrics are passed on as they are", async () => {
  await using harness = await startConsole(echoBot());
  const answer = await harness.send("/metrics");
  expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4");
  expect(answer.body).toBe("bellwether_up 1\n");
});
