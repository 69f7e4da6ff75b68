import { setTimeout } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore, type DatabaseStore } from "../../src/store/create-store.ts";
import type { NewDeliveryRow } from "../../src/store/alert-tables/alert-tables.ts";
import { alertsOn } from "../support/alert-service.ts";
import { onServer, postgresMissing, scratchPostgres, type ScratchServerDatabase } from "../support/postgres.ts";

import { delivery } from "./alert-tables/alert-rows.ts";

const T = 1_700_000_000_000;

describe.skipIf(postgresMissing !== undefined)(`several processes on PostgreSQL ${postgresMissing ?? ""}`, () => {
  let database: ScratchServerDatabase;
  beforeAll(async () => {
    database = await scratchPostgres();
  });
  afterAll(() => database.drop());

  /** A process that lives: it has sent a heartbeat. */
  async function alive(): Promise<DatabaseStore> {
    const store = createStore({ url: database.url, log: silentLog() });
    onTestFinished(async () => {
      await store.processes.leave();
      await store.close();
    });
    await store.processes.heartbeat();
    return store;
  }

  /** As if so much time had passed since its last heartbeat. */
  const age = ({ processes }: DatabaseStore, millis: number): Promise<void> =>
    onServer(database.url, `update processes set alive_until = alive_until - ${millis} where id = '${processes.self}'`);

  it("count those that live", async () => {
    const [a, b, c] = [await alive(), await alive(), await alive()];
    expect(await a.processes.heartbeat()).toBe(3);
    await age(c, 5000);
    expect(await a.processes.heartbeat()).toBe(3);
    await age(c, 2000);
    expect(await Promise.all([a, b].map(({ processes }) => processes.heartbeat()))).toEqual([2, 2]);
    // It was only slow.
    expect(await c.processes.heartbeat()).toBe(3);
  });

  it("have a duty one at a time, however many ask at once; it changes hands with the death of its holder", async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, alive));
    const ask = () => Promise.all(stores.map(({ processes }) => processes.acquire("watch a")));
    const first = await ask();
    expect(first.filter((lease) => lease !== undefined)).toEqual([{ name: "watch a", epoch: 1 }]);
    const holder = stores[first.findIndex((lease) => lease !== undefined)]!;
    expect(await ask()).toEqual(first);
    await age(holder, 7000);
    const second = await ask();
    // The dead one still believes in its own: no other process has taken it by then, or exactly one.
    expect(second.filter((lease) => lease?.epoch === 2).length).toBe(1);
    expect(await holder.processes.acquire("watch a")).toBeUndefined();
    await holder.processes.heartbeat();
    expect(await holder.processes.acquire("watch a")).toBeUndefined();
  });

  it("are told of with their heartbeats and duties", async () => {
    const [a, b] = [await alive(), await alive()];
    await a.processes.acquire("watch y");
    await a.processes.acquire("watch x");
    await age(b, 3000);
    const live = await b.processes.live();
    const of = (id: string) => live.find((one) => one.id === id);
    expect(of(a.processes.self)?.duties).toEqual([
      { name: "watch x", epoch: 1 },
      { name: "watch y", epoch: 1 },
    ]);
    expect(of(b.processes.self)?.duties).toEqual([]);
    const ages = [a, b].map(({ processes }) => of(processes.self)?.beatAgo ?? -1);
    expect(ages[0]).toBeGreaterThanOrEqual(0);
    expect((ages[1] ?? 0) - (ages[0] ?? 0)).toBeGreaterThan(2000);
  });

  it("notice, once for all of them, that the database went back, and mark what may be told again", async () => {
    const [a, b] = [await alive(), await alive()];
    const seen: string[] = [];
    for (const [name, store] of Object.entries({ a, b })) {
      store.onGoneBack((lost) => seen.push(`${name} ${Math.round(lost / 1000)} s`));
    }
    const now = Date.now();
    const owe = (store: DatabaseStore, id: string, more: Partial<NewDeliveryRow> = {}) =>
      store.transaction(({ alerts: { outbox } }) =>
        outbox.add([delivery(id, "d", { created_at: now, run_at: now, ...more })]),
      );
    await a.transaction(({ alerts }) => alerts.watch.putSnapshot("mainnet", "w", now - 20_000, "{}"));
    await owe(a, "kept");
    expect(seen).toEqual([]);
    await onServer(database.url, "create table before as select value from alert_counters where name = 'turn'");
    await owe(b, "lost");
    await owe(a, "lost, too");
    await onServer(
      database.url,
      "delete from alert_deliveries where id like 'lost%'",
      "update alert_counters set value = (select value from before) where name = 'turn'",
      "drop table before",
    );
    await Promise.all([owe(a, "lost"), owe(b, "lost, too"), owe(a, "asked", { phase: "bot" })]);
    await owe(b, "later", { created_at: now + 250_000 });
    expect(seen).toEqual([expect.stringMatching(/^[ab] 2[01] s$/u)]);
    const found = await a.transaction(({ alerts: { outbox } }) =>
      outbox.get(["kept", "lost", "lost, too", "asked", "later"]),
    );
    const since = found.map(({ id, uncertain_since: at }) => [id, at] as const);
    expect(Object.fromEntries(since)).toEqual({ kept: now, lost: 0, "lost, too": 0, asked: null, later: null });
  });

  it.each([90_000, -90_000])("know that the server's clock is ahead of theirs by %d ms", async (ahead) => {
    const opened = () => {
      const store = createStore({ url: database.url, log: silentLog(), now: () => Date.now() - ahead });
      onTestFinished(() => store.close());
      return store;
    };
    const [beating, writing] = [opened(), opened()];
    expect(writing.processes.clockAhead()).toBe(0);
    await beating.processes.heartbeat();
    await writing.transaction(async () => undefined);
    for (const { processes } of [beating, writing]) {
      expect(Math.abs(processes.clockAhead() - ahead)).toBeLessThan(5000);
    }
    await beating.processes.leave();
  });

  it("leave a duty to its holder where its heartbeat may be lost: the database went back, or they have just begun", async () => {
    const [a, b] = [await alive(), await alive()];
    await a.processes.acquire("watch f");
    const take = async (kept: number) => {
      await age(a, 7000);
      return (await b.processes.acquire("watch f", kept))?.epoch;
    };
    expect(await take(60_000)).toBeUndefined();
    await setTimeout(20);
    await b.processes.heartbeat();
    await age(b, 1);
    expect(await take(10)).toBeUndefined();
    await b.processes.heartbeat();
    const lost = performance.now();
    // Its holder has not sent one since: it is dead.
    while ((await take(50)) === undefined) await b.processes.heartbeat();
    expect(performance.now() - lost).toBeGreaterThan(40);
  });

  it("leave a duty to the others when they end", async () => {
    const [a, b] = [await alive(), await alive()];
    expect(await a.processes.acquire("watch b")).toEqual({ name: "watch b", epoch: 1 });
    expect(await b.processes.acquire("watch b")).toBeUndefined();
    await a.processes.leave();
    expect(await b.processes.acquire("watch b")).toEqual({ name: "watch b", epoch: 2 });
  });

  it("give up a duty that they have, and none that another one has", async () => {
    const [a, b] = [await alive(), await alive()];
    const lease = (await a.processes.acquire("export a"))!;
    await b.processes.release("export a");
    await b.processes.release("export never taken");
    expect(await b.processes.acquire("export a")).toBeUndefined();
    await a.processes.release("export a");
    await expect(a.transaction((tables) => tables.fence(lease))).rejects.toThrow("export a");
    expect(await b.processes.acquire("export a")).toEqual({ name: "export a", epoch: 2 });
    expect(await a.processes.acquire("export a")).toBeUndefined();
  });

  it("write nothing under a lease that another one has", async () => {
    const [a, b] = [await alive(), await alive()];
    const lease = (await a.processes.acquire("watch c"))!;
    const write = () =>
      a.transaction(async (tables) => {
        await tables.fence(lease);
        await tables.alerts.watch.putSnapshot("c", "w", T, "{}");
      });
    await write();
    await age(a, 7000);
    await b.processes.acquire("watch c");
    await b.transaction(({ alerts }) => alerts.watch.putSnapshot("c", "w", T + 1, "{}"));
    await expect(write()).rejects.toThrow("watch c");
    expect((await a.read(({ alerts }) => alerts.watch.snapshot("c", "w")))?.at).toBe(T + 1);
  });

  it("take nothing over while a transaction under its lease runs", async () => {
    const [a, b] = [await alive(), await alive()];
    const lease = (await a.processes.acquire("watch d"))!;
    const [entered, leaving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const order: string[] = [];
    const writing = a.transaction(async (tables) => {
      await tables.fence(lease);
      entered.resolve();
      await leaving.promise;
      order.push("written");
    });
    await entered.promise;
    await age(a, 7000);
    const taking = b.processes.acquire("watch d").then((taken) => order.push(`taken ${taken?.epoch}`));
    await b.processes.heartbeat();
    leaving.resolve();
    await Promise.all([writing, taking]);
    expect(order).toEqual(["written", "taken 2"]);
  });

  it("owe again what a dead one was sending, and leave alone what the others send", async () => {
    const [a, b, c] = [await alive(), await alive(), await alive()];
    const delivery = (id: string) => ({
      id,
      destination: `d ${id}`,
      platform: "fake",
      phase: "bot",
      urgency: 0 as const,
      message: "m",
      episode: null,
      run_at: T,
      created_at: T,
      data: "{}",
    });
    for (const store of [a, b]) {
      const { self } = store.processes;
      await store.transaction(async ({ alerts: { outbox } }) => {
        await outbox.add([delivery(self)]);
        await outbox.beginAttempts([self], T, self);
      });
    }
    const recover = () => c.transaction(({ alerts }) => alerts.outbox.recover(c.processes.self, []));
    expect(await recover()).toEqual([]);
    await age(a, 7000);
    await b.processes.heartbeat();
    expect((await recover()).map(({ id, state, uncertain_since }) => [id, state, uncertain_since])).toEqual([
      [a.processes.self, "owed", T],
    ]);
  });

  it("tell the others of changes, several at once, and themselves of none", async () => {
    const [a, b] = [await alive(), await alive()];
    const heard: string[] = [];
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    a.processes.onChange(() => heard.push("a"), stop.signal);
    b.processes.onChange(() => heard.push("b"), stop.signal);
    // Both listen by then: a listener is also called when it begins to hear.
    await expect.poll(() => heard.toSorted()).toEqual(["a", "b"]);
    for (let time = 0; time < 5; time += 1) a.processes.announce();
    await expect.poll(() => heard.filter((who) => who === "b").length).toBe(2);
    expect(heard.filter((who) => who === "a")).toHaveLength(1);
  });

  it("lengthen one silence at once: the later end holds, whoever is first", async () => {
    const engines = [await alive(), await alive()].map((store) => alertsOn(store).engine);
    const now = Date.now();
    const silence = { id: "q1", scope: { kind: "node.down" }, from: now, until: now + 1000, by: "ann", created: now };
    for (const hours of [
      [1, 2],
      [4, 3],
    ]) {
      const put = engines.map((engine, at) =>
        engine.putSilence({ ...silence, until: now + hours[at]! * 3_600_000 }, "ann"),
      );
      expect(await Promise.all(put)).toContain(true);
      expect(await engines[0]!.silences()).toMatchObject([{ until: now + Math.max(...hours) * 3_600_000 }]);
    }
  });
});
