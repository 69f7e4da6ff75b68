import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { onServer, type PostgresServer, serverPackageMissing, startPostgres } from "../../support/postgres.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { type DatabaseProxy, databaseProxy } from "./database-proxy.ts";
import { Fleet } from "./fleet.ts";

// Three whole processes, up to 1,000 events, and something goes wrong meanwhile: what stands on the platforms in the end
// is judged by what was owed. The time for which Discord drops repeats outlasts each of these tests.

const CHANNELS = { discord: 18, slack: 4 };
const BATCH = { discord: 10, slack: 5 };
const BATCH_EVENTS = CHANNELS.discord * BATCH.discord + CHANNELS.slack * BATCH.slack;
/** The first of them stand there: all are busy. */
const BUSY = 50;
/** Slack takes a message a second and channel; the platforms of all need no longer without trouble. */
const SETTLED_MILLIS = 120_000;

interface Scene {
  readonly fleet: Fleet;
  readonly server: PostgresServer;
  readonly database: string;
  readonly proxy: DatabaseProxy;
}

interface Trouble {
  readonly events: number;
  readonly what: string;
  readonly play: (scene: Scene) => Promise<void>;
}

const TROUBLES: readonly Trouble[] = [
  {
    events: 1000,
    what: "kill -9 of each process, one after the other",
    async play({ fleet }) {
      for (let time = 0; time < 3; time += 1) {
        await fleet.replace(0);
        await sleep(3000);
      }
    },
  },
  {
    events: 1000,
    what: "a process frozen for 30 s",
    async play({ fleet }) {
      const [one] = fleet.running;
      one?.child.kill("SIGSTOP");
      await sleep(30_000);
      one?.child.kill("SIGCONT");
    },
  },
  {
    events: 400,
    what: "cut connections to the database",
    async play({ server, database, proxy }) {
      for (let time = 0; time < 5; time += 1) {
        proxy.cut();
        await sleep(1000);
        const theirs = `datname = '${database}' and pid <> pg_backend_pid()`;
        await onServer(
          server.url("postgres"),
          `select pg_terminate_backend(pid) from pg_stat_activity where ${theirs}`,
        );
        await sleep(1000);
      }
    },
  },
  {
    events: 400,
    what: "a restart of the database, which is gone for 8 s",
    async play({ server }) {
      await server.stop();
      await sleep(8000);
      await server.start();
    },
  },
  {
    events: 400,
    what: "a slow database, which stands still for 8 s in between",
    async play({ proxy }) {
      proxy.delayMillis = 40;
      await sleep(10_000);
      proxy.delayMillis = Number.POSITIVE_INFINITY;
      await sleep(8000);
      proxy.delayMillis = 40;
      await sleep(10_000);
      proxy.delayMillis = 0;
    },
  },
];

describe.skipIf(serverPackageMissing !== undefined)(
  `three processes on PostgreSQL ${serverPackageMissing ?? ""}`,
  () => {
    const disk = serverPackageMissing === undefined ? smallDisk() : undefined;
    let server: PostgresServer;
    beforeAll(async () => {
      // As durable as it is by default.
      server = await startPostgres({ settings: { fsync: "on", full_page_writes: "on", synchronous_commit: "on" } });
      if (disk !== undefined)
        await onServer(server.url("postgres"), `create tablespace small location '${disk.folder}'`);
    });
    afterAll(async () => {
      await server.remove();
      disk?.remove();
    });

    let count = 0;
    async function open(more = ""): Promise<Scene> {
      const database = `fleet${(count += 1)}`;
      await onServer(server.url("postgres"), `create database ${database} ${more}`);
      const url = server.url(database);
      const proxy = await databaseProxy(server.socket);
      const theirs = `postgres://bellwether@127.0.0.1:${proxy.port}/${database}`;
      const fleet = await Fleet.open({ url, theirs, ...CHANNELS });
      onTestFinished(async () => {
        await fleet[Symbol.asyncDispose]();
        await proxy[Symbol.asyncDispose]();
      });
      return { fleet, server, database, proxy };
    }

    async function deliver(scene: Scene, events: number, trouble: Trouble["play"]): Promise<void> {
      const { fleet } = scene;
      await Promise.all([fleet.start(), fleet.start(), fleet.start()]);
      const owing = (async () => {
        for (let owed = 0; owed < events; owed += BATCH_EVENTS) {
          await fleet.owe(BATCH);
          await sleep(2000);
        }
      })();
      await fleet.stands(BUSY);
      await trouble(scene);
      await owing;
      await fleet.settled(SETTLED_MILLIS);
      expect(await fleet.drain()).toEqual([]);
      expect(await fleet.judge()).toMatchObject({ owed: events, faults: [] });
    }

    it.each(TROUBLES)("deliver $events events, once and in order, through $what", async ({ events, play }) => {
      await deliver(await open(), events, play);
    });

    it.skipIf(disk === undefined)("deliver 400 events, once and in order, through a full disk", async () => {
      await deliver(await open("tablespace small"), 400, async () => {
        disk?.fill();
        await sleep(10_000);
        disk?.empty();
      });
    });

    it("end in order within ten seconds while they deliver, and leave nothing that is uncertain", async () => {
      const { fleet } = await open();
      await Promise.all([fleet.start(), fleet.start(), fleet.start()]);
      await fleet.owe(BATCH);
      await fleet.stands(BUSY);
      expect(await fleet.drain()).toEqual([]);
      expect(await fleet.leftOver()).toEqual([]);
      await fleet.start();
      await fleet.settled(SETTLED_MILLIS);
      expect(await fleet.drain()).toEqual([]);
      expect(await fleet.judge()).toEqual({ owed: BATCH_EVENTS, markedRepeats: 0, faults: [] });
    });

    it("end within ten seconds where a platform answers nothing", async () => {
      const { fleet } = await open();
      await Promise.all([fleet.start(), fleet.start()]);
      fleet.slack.silent = true;
      await fleet.owe(BATCH);
      await sleep(2000);
      expect(await fleet.drain()).toEqual([]);
      fleet.slack.release();
      await fleet.start();
      await fleet.settled(SETTLED_MILLIS);
      expect(await fleet.drain()).toEqual([]);
      expect(await fleet.judge()).toMatchObject({ owed: BATCH_EVENTS, faults: [] });
    });
  },
);
