import { expect, onTestFinished, test } from "vitest";

import type { WatchState } from "../../../../src/adapters/web/alerts/watch.ts";
import { echoBot, type Harness, startConsole } from "../harness.ts";

const TOKEN = "a-token-of-more-than-sixteen";
const STATE: WatchState = {
  networks: [{ network: "mainnet", nodes: [], stalled: { phase: "ok" } }],
  open: [],
  silences: [],
  timing: { everyMillis: 5000, suspiciousMillis: 10_000, firesMillis: 30_000, keepMillis: 15_000 },
};

async function open(more: Parameters<typeof startConsole>[1] = {}): Promise<Harness> {
  const harness = await startConsole(echoBot(), { watch: async () => STATE, ...more });
  onTestFinished(() => harness.adapter.stop());
  return harness;
}

/** Records its calls, and knows mainnet alone. */
function aSwitch() {
  const calls: [string, boolean][] = [];
  return {
    calls,
    set: async (network: string, stalled: boolean) => {
      if (network !== "mainnet") throw new RangeError("no such simulated network");
      calls.push([network, stalled]);
    },
  };
}

test("the current state is served unchanged, only when signed in and uncached", async () => {
  const answer = await (await open()).send("/api/watch");
  expect([answer.status, answer.headers["cache-control"], answer.json()]).toEqual([200, "no-store", STATE]);
  const closed = await open({ token: TOKEN });
  expect((await closed.send("/api/watch")).status).toBe(401);
  const signedIn = await closed.send("/api/watch", { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(signedIn.status).toBe(200);
});

test("a simulated network stalls, and resumes", async () => {
  const incident = aSwitch();
  const harness = await open({ incident });
  for (const stalled of [true, false]) {
    const answer = await harness.post("/api/incident", { network: "mainnet", stalled });
    expect([answer.status, answer.json()]).toEqual([200, { network: "mainnet", stalled }]);
  }
  expect(incident.calls).toEqual([
    ["mainnet", true],
    ["mainnet", false],
  ]);
});

test.each([
  ["another network", { network: "devnet", stalled: true }, {}, 404],
  ["no network", { stalled: true }, {}, 400],
  ["more than is asked for", { network: "mainnet", stalled: true, node: 1 }, {}, 400],
  ["a page from elsewhere", { network: "mainnet", stalled: true }, { origin: "https://evil.example" }, 403],
  ["a form", { network: "mainnet", stalled: true }, { "content-type": "text/plain" }, 415],
])("%s changes nothing", async (_, body, headers, status) => {
  const incident = aSwitch();
  const harness = await open({ incident });
  expect((await harness.post("/api/incident", body, headers as Record<string, string>)).status).toBe(status);
  expect(incident.calls).toEqual([]);
});

test("a body without JSON changes nothing, and a real network has no switch", async () => {
  const harness = await open({ incident: aSwitch() });
  const headers = { "content-type": "application/json" };
  expect((await harness.send("/api/incident", { method: "POST", headers, body: "{" })).status).toBe(400);
  const real = await open();
  expect((await real.post("/api/incident", { network: "mainnet", stalled: true })).status).toBe(404);
});
