import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { subscriptionOf } from "../../../bench/support/subscription-of.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { createAlertEngine } from "../../../src/alerts/engine/engine.ts";
import type { ApiClient } from "../../../src/api/api-client.ts";
import { systemClock } from "../../../src/api/clock.ts";
import { silentLog } from "../../../src/log.ts";
import { fencedStore } from "../../../src/main/alerting/duties.ts";
import { createStore, type DatabaseStore } from "../../../src/store/create-store.ts";
import { startSchedule } from "../../../src/watchers/schedule.ts";
import type { Watcher } from "../../../src/watchers/watcher.ts";
import { onServer, postgresMissing, scratchPostgres } from "../../support/postgres.ts";
import { scratchDatabase } from "../../support/scratch-database.ts";
import { destinationKey } from "../../../src/alerts/destination.ts";

// A watcher's transaction waits longer than the watcher waits for it: its round is over, the transaction is not.

const DUTY = "watch mainnet";
const CHANNEL = { platform: "discord", channel: "1" } as const;
const Seen = z.object({ last: z.number() });

/** Several processes at one database, of which the first has the duty. */
interface Scene {
  readonly stores: readonly [DatabaseStore, DatabaseStore];
  /** The server's name of the database; undefined on a file. */
  readonly url?: string;
}

async function onFile(): Promise<Scene> {
  const database = await scratchDatabase();
  const store = createStore({ url: database.file, log: silentLog() });
  onTestFinished(async () => {
    await store.close();
    await database.remove();
  });
  return { stores: [store, store] };
}

async function onAServer(): Promise<Scene> {
  const database = await scratchPostgres();
  const { url } = database;
  const open = (): DatabaseStore => createStore({ url, log: silentLog() });
  const stores = [open(), open()] as const;
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  });
  for (const { processes } of stores) await processes.heartbeat();
  return { stores, url };
}

/** Watches checkpoints of the network, whose last one is `network.last`, every 20 ms; gives a write up after 60 ms. */
async function watch({ stores: [store] }: Scene) {
  const lease = await store.processes.acquire(DUTY);
  if (lease === undefined) throw new Error("somebody else has the duty");
  await store.transaction(({ alerts }) =>
    alerts.subscriptions.put([subscriptionOf(0, CHANNEL, ["checkpoint.new"], "each", "mainnet")]),
  );
  const network = { last: 1 };
  const watcher: Watcher<z.infer<typeof Seen>> = {
    name: "test",
    every: 20,
    snapshot: Seen,
    observe: () => Promise.resolve({ ...network }),
    judge: (before, after, at) => ({
      readings: [],
      events: Array.from({ length: after.last - (before ?? after).last }, (_, index) => {
        const block = String(after.last - index);
        const about = { kind: "checkpoint.new", network: "mainnet", subject: "" } as const;
        return { ...about, key: `${block}/h`, at: String(at), atBlock: block, hash: "h" };
      }),
    }),
  };
  let givenUp = 0;
  const log = silentLog();
  const engine = createAlertEngine({
    store: fencedStore(store, lease),
    config: DEFAULT_ALERTS_CONFIG,
    clock: systemClock,
    log,
    simulated: new Set(),
  });
  const schedule = startSchedule({
    random: Math.random,
    clock: systemClock,
    api: { network: "mainnet" } as ApiClient,
    watchers: [watcher],
    load: async (of, name) => (await engine.snapshot(of, name))?.data,
    subjects: () => [],
    sink: async (observation) => void (await engine.processObservation(observation)),
    log: { ...log, error: () => void (givenUp += 1) },
    timeoutMillis: 60,
  });
  onTestFinished(() => schedule.stop());
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await sleep(5);
  };
  const stored = async (): Promise<number | undefined> =>
    store.read(async ({ alerts }) => {
      const row = await alerts.watch.snapshot("mainnet", "test");
      return row === undefined ? undefined : Seen.parse(JSON.parse(row.data)).last;
    });
  await until(async () => (await stored()) === 1);
  return {
    network,
    stored,
    knows: (last: number) => until(async () => (await stored()) === last),
    /** So many more rounds end without an answer. */
    givesUp: async (times: number): Promise<void> => {
      const enough = givenUp + times;
      await until(() => Promise.resolve(givenUp >= enough));
    },
    /** How many messages are owed; nobody sends them. */
    told: () => store.read(async ({ alerts }) => (await alerts.outbox.openOf(destinationKey(CHANNEL))).length),
  };
}

/** Until the function that it gives is called, nobody else has the turn to write. */
async function holdTurn({ stores: [, other] }: Scene): Promise<() => Promise<void>> {
  const [holds, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const turn = other.transaction(async () => {
    holds.resolve();
    await over.promise;
  });
  await holds.promise;
  return async () => {
    over.resolve();
    await turn;
  };
}

const ENGINES: readonly [string, () => Promise<Scene>, boolean][] = [
  ["a file", onFile, false],
  [`PostgreSQL ${postgresMissing ?? ""}`, onAServer, postgresMissing !== undefined],
];

describe.each(ENGINES)("what a watcher writes too late, on %s", (_engine, open, missing) => {
  it.skipIf(missing)("is found by its next rounds, which tell it no second time", async () => {
    const scene = await open();
    const watching = await watch(scene);
    const release = await holdTurn(scene);
    watching.network.last = 2;
    await watching.givesUp(3);
    await release();
    await watching.knows(2);
    watching.network.last = 3;
    await watching.knows(3);
    expect(await watching.told()).toBe(2);
  });
});

it.skipIf(postgresMissing !== undefined)(
  `what a watcher writes too late is refused once another process has the duty ${postgresMissing ?? ""}`,
  async () => {
    const scene = await onAServer();
    const watching = await watch(scene);
    const release = await holdTurn(scene);
    watching.network.last = 2;
    await watching.givesUp(1);
    const [dead, other] = scene.stores;
    await onServer(scene.url ?? "", `update processes set alive_until = 0 where id = '${dead.processes.self}'`);
    expect(await other.processes.acquire(DUTY)).toMatchObject({ epoch: 2 });
    await release();
    // Its late transaction has had its turn, and so have those of later rounds.
    await watching.givesUp(3);
    await dead.transaction(() => Promise.resolve());
    expect([await watching.stored(), await watching.told()]).toEqual([1, 0]);
  },
);
