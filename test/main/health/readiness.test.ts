import { expect, it } from "vitest";

import { ApiError } from "../../../src/api/api-error.ts";
import { StorageError } from "../../../src/errors.ts";
import type { AlertingHealth } from "../../../src/main/alerting/alerting.ts";
import { checkReadiness, type ReadinessDependencies } from "../../../src/main/health/readiness.ts";
import { noAlertService } from "../../support/alert-service.ts";
import { saying } from "../../support/said.ts";
import { PLATFORMS } from "../../support/platforms.ts";

const observation = { network: "mainnet", watcher: "sources", every: 5000, at: Date.now() };

function alertingWith(health: Partial<AlertingHealth>): ReadinessDependencies["alerting"] {
  return {
    health: async () => ({
      observations: [observation],
      queue: [],
      suspensions: [],
      refused: [],
      damaged: [],
      sendable: health.queue ?? [],
      ...health,
    }),
    service: { ...noAlertService(), platforms: () => ["web"] },
  };
}

const good: ReadinessDependencies = {
  alerting: alertingWith({}),
  platforms: PLATFORMS,
  startedAt: Date.now(),
  store: { ping: async () => undefined },
  clients: [{ network: "mainnet", getNetworkTime: async () => ({}) as never }],
  adapters: [{ platform: "web", health: { state: "up" } }],
};

it("is ready when the store, every network and every platform are", async () => {
  expect(await checkReadiness(good)).toEqual({
    ok: true,
    parts: {
      store: { ok: true },
      mainnet: { ok: true },
      web: { ok: true },
      watching: { ok: true },
      delivery: { ok: true },
    },
  });
});

it("says that the disk is full, but not to everybody where the database is", async () => {
  const full = new StorageError("The bot's disk is full: /srv/b.db", {
    title: "The bot's disk is full",
    cause: undefined,
  });
  const { ok, parts } = await checkReadiness({ ...good, store: { ping: () => Promise.reject(full) } });
  expect([ok, parts["store"]]).toEqual([false, { ok: false, why: "The bot's disk is full" }]);
});

it("names each row for which something stands still", async () => {
  const alerting = alertingWith({ damaged: ["the row of a cannot be read", "the row of b cannot be read"] });
  const { ok, parts } = await checkReadiness({ ...good, alerting });
  expect([ok, parts["watching"]?.ok, parts["delivery"]?.ok]).toEqual([false, false, true]);
  expect(parts["watching"]?.why).toMatch(saying("row of a", "row of b"));
});

it("names what is not, and why", async () => {
  const bad = await checkReadiness({
    ...good,
    store: { ping: () => Promise.reject(new Error("The store is closed.")) },
    clients: [
      ...good.clients,
      {
        network: "testnet",
        getNetworkTime: () =>
          Promise.reject(new ApiError("unreachable", "n1 cannot be reached.", { network: "testnet", node: "n1" })),
      },
    ],
    adapters: [
      ...good.adapters,
      { platform: "discord", health: { state: "failed", why: "the token was refused" } },
      { platform: "slack", health: { state: "starting" } },
    ],
  });
  expect(bad).toEqual({
    ok: false,
    parts: {
      store: { ok: false, why: "The store is closed." },
      mainnet: { ok: true },
      testnet: { ok: false, why: "n1 cannot be reached." },
      web: { ok: true },
      discord: { ok: false, why: "the token was refused" },
      slack: { ok: false, why: "starting" },
      watching: { ok: true },
      delivery: { ok: true },
    },
  });
});

it("names a message that was refused within a day, and is ready all the same", async () => {
  const place = { channel: "C1", why: "Slack says invalid_blocks", dead: 1, plain: 0 };
  const refusedAt = async (at: number) => {
    const refused = [{ platform: "slack", waiting: [], last: { at, place } }];
    return checkReadiness({ ...good, alerting: alertingWith({ refused }) });
  };
  const { ok, parts } = await refusedAt(minutes(3));
  expect([ok, parts["delivery"]?.ok]).toEqual([true, true]);
  expect(parts["delivery"]?.why).toMatch(saying("C1", "Slack", "3 min", "Slack says invalid_blocks"));
  expect((await refusedAt(minutes(25 * 60))).parts["delivery"]).toEqual({ ok: true });
});

it("names a channel that cannot be reached; where only the operator can open it, is not ready", async () => {
  const lost = {
    platform: "web",
    destination: { platform: "web", channel: "C1" },
    since: minutes(3),
    nextAt: 0,
    why: "is_archived",
  };
  const readyWith = async (suspensions: AlertingHealth["suspensions"]) =>
    (await checkReadiness({ ...good, alerting: alertingWith({ suspensions }) })).parts["delivery"];
  expect(await readyWith([lost])).toEqual({ ok: true, why: expect.stringMatching(saying("C1", "is_archived")) });
  const closed = {
    ...lost,
    destination: { platform: "web", channel: "C2" },
    operator: true as const,
    why: "missing_scope",
  };
  expect(await readyWith([lost, closed])).toEqual({
    ok: false,
    why: expect.stringMatching(saying("C2", "missing_scope")),
  });
});

const minutes = (count: number): number => Date.now() - count * 60_000;

it.each<[string, ReadinessDependencies["alerting"], number, Record<string, RegExp>]>([
  ["has just begun", alertingWith({ observations: [] }), 0, {}],
  ["has never looked", alertingWith({ observations: [] }), 2, { watching: saying("watcher") }],
  [
    "has stopped looking",
    alertingWith({ observations: [observation, { ...observation, watcher: "markets", at: minutes(5) }] }),
    60,
    { watching: saying("markets", "mainnet", "5 min") },
  ],
  ["is behind a little", alertingWith({ queue: [{ platform: "web", owed: 3, oldest: minutes(9) }] }), 60, {}],
  [
    "cannot deliver",
    alertingWith({ queue: [{ platform: "web", owed: 3, oldest: minutes(11) }] }),
    60,
    { delivery: saying(3, "web", "11 min") },
  ],
  [
    "owes what is another one's",
    alertingWith({ queue: [{ platform: "slack", owed: 3, oldest: minutes(99) }] }),
    60,
    {},
  ],
  [
    "is refused by a platform",
    alertingWith({
      queue: [{ platform: "web", owed: 3, oldest: minutes(11) }],
      suspensions: [{ platform: "web", since: minutes(11), nextAt: 0, why: "Web says no" }],
    }),
    60,
    { delivery: saying("console", "11 min", "Web says no") },
  ],
  [
    "was refused for so long that all there ended",
    alertingWith({
      suspensions: [
        {
          platform: "web",
          since: minutes(120),
          nextAt: 0,
          why: "Web says no",
          retired: { at: minutes(1), subscriptions: 3, unsent: 2 },
        },
      ],
    }),
    60,
    { delivery: saying("console", "2 h", "Web says no", "subscriptions") },
  ],
  [
    "knows of a suspension on a platform it does not serve",
    alertingWith({
      suspensions: [{ platform: "slack", since: minutes(11), nextAt: 0, why: "Slack says invalid_auth" }],
    }),
    60,
    {},
  ],
  [
    "has lost its database",
    { ...alertingWith({}), health: () => Promise.reject(new Error("The store is closed.")) },
    60,
    { watching: saying("The store is closed"), delivery: saying("The store is closed") },
  ],
])("watches and delivers, or says why not: one that %s", async (_name, alerting, startedMinutesAgo, expected) => {
  const { parts } = await checkReadiness({ ...good, alerting, startedAt: minutes(startedMinutesAgo) });
  const bad = Object.entries(parts).filter(([, { ok }]) => !ok);
  expect(Object.fromEntries(bad.map(([name, { why }]) => [name, why]))).toEqual(
    Object.fromEntries(Object.entries(expected).map(([name, why]) => [name, expect.stringMatching(why)])),
  );
});
