import { expect, it } from "vitest";

import type { AlertingHealth, LastObservation } from "../../../src/main/alerting/alerting.ts";
import { healthProblem } from "../../../src/main/health/health.ts";
import { noAlertService } from "../../support/alert-service.ts";
import { saying } from "../../support/said.ts";
import { PLATFORMS } from "../../support/platforms.ts";

const NOW = 1_700_000_000_000;
const store = { ping: async () => undefined };
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const observation = (watcher: string, every: number, ago: number): LastObservation => ({
  network: "mainnet",
  watcher,
  every,
  at: NOW - ago,
});
const inTime = [observation("sources", 5 * SECOND, 44 * SECOND), observation("markets", MINUTE, 200 * SECOND)];
const owed = (platform: string, ago: number) => ({ platform, owed: 3, oldest: NOW - ago });
const refused = (platform: string) => ({ platform, since: NOW - MINUTE, nextAt: 0, why: "HTTP 401" });

it.each<[string, Partial<AlertingHealth>, RegExp | undefined]>([
  ["all is well", {}, undefined],
  ["nothing was observed", { observations: [] }, saying("watcher")],
  [
    "one of several watchers is late",
    { observations: [...inTime, observation("checkpoints", 15 * SECOND, 76 * SECOND)] },
    saying("checkpoints", "mainnet", "1 min 16 s"),
  ],
  ["something waits for its turn", { queue: [owed("slack", 10 * MINUTE)] }, undefined],
  ["something is stuck", { queue: [owed("web", 0), owed("slack", 11 * MINUTE)] }, saying(3, "slack", "11 min")],
  ["something is stuck on a platform that is not served", { queue: [owed("discord", 11 * MINUTE)] }, undefined],
  ["a token is refused", { suspensions: [refused("slack")] }, saying("Slack", "1 min", "HTTP 401")],
  ["a row is damaged", { damaged: ["the row of alert_machines cannot be read"] }, saying("alert_machines")],
  ["one of a platform that is not served is refused", { suspensions: [refused("discord")] }, undefined],
])("the dead man's switch is given the problem where %s", async (_name, health, problem) => {
  const alerting = {
    health: async () => ({
      observations: inTime,
      queue: [],
      suspensions: [],
      refused: [],
      damaged: [],
      sendable: health.queue ?? [],
      ...health,
    }),
    service: { ...noAlertService(), platforms: () => ["web", "slack"] },
  };
  const said = await healthProblem({
    platforms: PLATFORMS,
    store,
    alerting,
    startedAt: NOW - 60 * MINUTE,
    now: () => NOW,
  });
  expect(said === undefined).toBe(problem === undefined);
  expect(said ?? "").toMatch(problem ?? /^$/u);
  expect(said).toMatchSnapshot();
});

it("the health check rejects where the database does not answer", async () => {
  const alerting = { health: () => Promise.reject(new Error("the disk is gone")), service: noAlertService() };
  await expect(
    healthProblem({ platforms: PLATFORMS, store, alerting, startedAt: NOW, now: () => NOW }),
  ).rejects.toThrow("the disk is gone");
});

it("the health check rejects where the database is not in its place", async () => {
  const alerting = {
    health: async () => ({ observations: inTime, queue: [], sendable: [], suspensions: [], refused: [], damaged: [] }),
    service: noAlertService(),
  };
  const gone = { ping: () => Promise.reject(new Error("it was deleted")) };
  await expect(
    healthProblem({ platforms: PLATFORMS, store: gone, alerting, startedAt: NOW, now: () => NOW }),
  ).rejects.toThrow("deleted");
});
