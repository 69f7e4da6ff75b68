import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { AlertTables, DeliveryRow, NewDeliveryRow } from "../../src/store/alert-ports.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreUnderTest } from "./contract.ts";

const T = 1_700_000_000_000;

function delivery(id: string, destination = "d1", more: Partial<NewDeliveryRow> = {}): NewDeliveryRow {
  return {
    id,
    destination,
    platform: "fake",
    kind: "message",
    phase: "event",
    message: "m1",
    episode: null,
    target: null,
    run_at: T,
    created_at: T,
    data: "{}",
    ...more,
  };
}

const ids = (rows: readonly DeliveryRow[]): string[] => rows.map((row) => row.id);

/** What every engine must hold of alerts. */
export function alertContract(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`alerts in a store on ${engine}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      under = await create();
      store = under.store;
    });
    afterEach(() => under.cleanUp());

    const on = <R>(work: (tables: AlertTables) => Promise<R>): Promise<R> =>
      store.transaction(({ alerts }) => work(alerts));
    const due = async (at = T, limit = 10, platform = "fake"): Promise<string[]> =>
      ids(await on(({ outbox }) => outbox.due(platform, at, limit)));
    const change = (id: string, what: Parameters<AlertTables["outbox"]["change"]>[1]): Promise<void> =>
      on(({ outbox }) => outbox.change(id, what));

    it("keep choices, and count every change of them", async () => {
      const row = { id: "s1", destination: "d1", network: "mainnet", state: "active", data: "{}" };
      expect(await on(({ choices }) => choices.revision())).toBe(0);
      await on(({ choices }) => choices.putSubscription(row));
      await on(({ choices }) => choices.putSubscription({ ...row, state: "paused", data: '{"a":1}' }));
      await on(({ choices }) => choices.putSilence({ id: "q1", ends_at: T, data: "{}" }));
      await on(({ choices }) => choices.putSilence({ id: "q2", ends_at: T + 1, data: "{}" }));
      expect(await on(({ choices }) => choices.revision())).toBe(4);
      expect(await on(({ choices }) => choices.subscriptions())).toEqual([
        { ...row, state: "paused", data: '{"a":1}' },
      ]);
      expect(await on(({ choices }) => choices.silences(T))).toEqual([{ id: "q2", ends_at: T + 1, data: "{}" }]);
    });

    it("keep what was seen, by network and watcher, and the last of it", async () => {
      await on(({ watch }) => watch.putSnapshot("mainnet", "sources", T, "1"));
      await on(({ watch }) => watch.putSnapshot("mainnet", "sources", T + 5, "2"));
      await on(({ watch }) => watch.putSnapshot("testnet", "sources", T, "3"));
      expect(await on(({ watch }) => watch.snapshot("mainnet", "sources"))).toEqual({ at: T + 5, data: "2" });
      expect(await on(({ watch }) => watch.snapshot("mainnet", "markets"))).toBeUndefined();
    });

    it("keep machines, episodes and tellings under their keys", async () => {
      const machine = { rule: "r", network: "mainnet", subject: "", data: "1" };
      await on(({ watch }) => watch.putMachines([machine, { ...machine, subject: "x" }]));
      await on(({ watch }) => watch.putMachines([{ ...machine, data: "2" }]));
      expect(await on(({ watch }) => watch.machines("mainnet"))).toEqual([
        { ...machine, data: "2" },
        { ...machine, subject: "x" },
      ]);
      const episode = { id: "e1", network: "mainnet", open: 1, opened_at: T, data: "1" } as const;
      const later = { ...episode, id: "e2", network: "testnet", opened_at: T + 1 };
      await on(({ watch }) => watch.putEpisodes([episode, later]));
      expect(await on(({ watch }) => watch.openEpisodes())).toEqual([episode, later]);
      expect(await on(({ watch }) => watch.openEpisodes("testnet"))).toEqual([later]);
      await on(({ watch }) => watch.putEpisodes([{ ...episode, open: 0, data: "2" }]));
      expect(await on(({ watch }) => watch.openEpisodes())).toEqual([later]);
      expect(await on(({ watch }) => watch.episode("e1"))).toEqual({ ...episode, open: 0, data: "2" });
      expect((await on(({ watch }) => watch.lastEpisodes(1))).map((row) => row.id)).toEqual(["e2"]);
      const telling = { episode: "e1", destination: "d1", data: "1" };
      await on(({ watch }) => watch.putTellings([telling, { ...telling, episode: "e2" }]));
      await on(({ watch }) => watch.putTellings([{ ...telling, data: "2" }]));
      expect(await on(({ watch }) => watch.tellings(["e1"]))).toEqual([{ ...telling, data: "2" }]);
    });

    it("give back what has arrived at a destination, in order, from any place on", async () => {
      const edit = (id: string, phase: string) => delivery(id, "d1", { kind: "edit", phase, target: "a1" });
      await on(({ outbox }) =>
        outbox.add([
          delivery("a1"),
          delivery("b1", "d2"),
          delivery("a2"),
          delivery("a3"),
          edit("e1", "rolling"),
          edit("e2", "state"),
          edit("e3", "rolling"),
          delivery("a4"),
        ]),
      );
      const all = ["a1", "b1", "a2", "e1", "e2", "e3"];
      for (const [index, id] of all.entries()) await change(id, { state: "sent", settled_at: T + index });
      await change("a3", { state: "dead" });
      const after = (seq: number, limit = 10) => on(({ arrivals }) => arrivals.after("d1", seq, limit));
      const [first] = await after(0, 1);
      expect(first?.id).toBe("a1");
      expect(ids(await after(first?.seq ?? 0))).toEqual(["a2"]);
      await change("a4", { state: "sent", settled_at: T + 9 });
      expect(ids(await after(0))).toEqual(["a1", "a2", "a4"]);
      expect(ids(await on(({ arrivals }) => arrivals.last("d1", 2)))).toEqual(["a2", "a4"]);
      expect(ids(await on(({ arrivals }) => arrivals.grown("d1", 0, 10)))).toEqual(["e1", "e3"]);
      expect(ids(await on(({ arrivals }) => arrivals.grown("d1", T + 4, 10)))).toEqual(["e3"]);
      expect(ids(await on(({ arrivals }) => arrivals.grown("d1", 0, 1)))).toEqual(["e3"]);
      expect(await on(({ arrivals }) => arrivals.grown("d2", 0, 10))).toEqual([]);
    });

    describe("owed deliveries", () => {
      it("come in order, one of a destination at a time, and none beyond the limit", async () => {
        await on(({ outbox }) =>
          outbox.add([delivery("a1"), delivery("b1", "d2"), delivery("a2"), delivery("c", "d3")]),
        );
        expect(await due()).toEqual(["a1", "b1", "c"]);
        expect(await due(T, 2)).toEqual(["a1", "b1"]);
        await change("a1", { state: "sending" });
        expect(await due()).toEqual(["b1", "c"]);
        await change("a1", { state: "sent" });
        expect(await due()).toEqual(["b1", "a2", "c"]);
      });

      it("wait for the one before them, also while that waits for its next try", async () => {
        await on(({ outbox }) => outbox.add([delivery("a1"), delivery("a2")]));
        await change("a1", { run_at: T + 1000 });
        expect(await due()).toEqual([]);
        expect(await on(({ outbox }) => outbox.nextRunAt(["fake"], T))).toBe(T + 1000);
        expect(await due(T + 1000)).toEqual(["a1"]);
        await change("a1", { state: "dead" });
        expect(await due()).toEqual(["a2"]);
        expect(await on(({ outbox }) => outbox.nextRunAt(["fake"], T))).toBeUndefined();
      });

      it("do not wait for an edit that waits, but never go beside one", async () => {
        const edit = delivery("e", "d1", { kind: "edit", target: "a0", run_at: T + 5 });
        await on(({ outbox }) => outbox.add([edit, delivery("a")]));
        expect(await due()).toEqual(["a"]);
        expect(await due(T + 5)).toEqual(["e"]);
        await change("a", { state: "sending" });
        expect(await due(T + 5)).toEqual([]);
      });

      it("begin and arrive many at a time", async () => {
        await on(({ outbox }) => outbox.add([delivery("a"), delivery("b", "d2"), delivery("c", "d3")]));
        await on(({ outbox }) => outbox.begin(["a", "b"], T + 1));
        expect(await due()).toEqual(["c"]);
        await on(({ outbox }) => outbox.sent(["a"], T + 2));
        const rows = await on(({ outbox }) => outbox.get(["a", "b", "c"]));
        expect(
          rows.map(({ id, state, attempts, attempted_at, settled_at }) => [
            id,
            state,
            attempts,
            attempted_at,
            settled_at,
          ]),
        ).toEqual([
          ["a", "sent", 1, T + 1, T + 2],
          ["b", "sending", 1, T + 1, null],
          ["c", "owed", 0, null, null],
        ]);
      });

      it("belong to their platform", async () => {
        await on(({ outbox }) => outbox.add([delivery("a"), delivery("b", "d2", { platform: "other" })]));
        expect(await due(T, 10, "other")).toEqual(["b"]);
        expect(await on(({ outbox }) => outbox.depth())).toEqual(
          expect.arrayContaining([
            { platform: "fake", owed: 1, oldest: T },
            { platform: "other", owed: 1, oldest: T },
          ]),
        );
      });

      it("of a destination are held back together, and no other", async () => {
        await on(({ outbox }) => outbox.add([delivery("a1"), delivery("a2"), delivery("b", "d2")]));
        await on(({ outbox }) => outbox.hold("d1", T + 9));
        expect(await due()).toEqual(["b"]);
        expect(await due(T + 9)).toEqual(["a1", "b"]);
      });

      it("that a process left in the middle are owed again, with an unknown outcome", async () => {
        await on(({ outbox }) => outbox.add([delivery("a"), delivery("b", "d2"), delivery("c", "d3")]));
        await change("a", { state: "sending", attempted_at: T + 3 });
        await change("b", { state: "sending", attempted_at: T + 9, uncertain_since: T + 1 });
        await store.close();
        store = await under.reopen();
        const left = await on(({ outbox }) => outbox.recover());
        expect(left.map(({ id, uncertain_since }) => [id, uncertain_since])).toEqual([
          ["a", T + 3],
          ["b", T + 1],
        ]);
        expect(await due()).toEqual(["a", "b", "c"]);
      });

      it("are found by episode, by target, by destination and by age", async () => {
        await on(({ outbox }) =>
          outbox.add([
            delivery("t", "d1", { episode: "e1" }),
            delivery("u", "d2", { episode: "e1", created_at: T - 5 }),
            delivery("x", "d1", { kind: "edit", target: "t" }),
          ]),
        );
        await on(async ({ outbox }) => {
          expect(ids(await outbox.ofEpisode("e1"))).toEqual(["t", "u"]);
          expect(ids(await outbox.ofEpisode("e1", "d2"))).toEqual(["u"]);
          expect(ids(await outbox.owedEdits(["t", "u"]))).toEqual(["x"]);
          expect(ids(await outbox.openOf("d1"))).toEqual(["t", "x"]);
          expect(ids(await outbox.overdue(T, 5))).toEqual(["u"]);
          expect(ids(await outbox.get(["u", "nobody"]))).toEqual(["u"]);
        });
      });

      it("are found by when something became of them, the last one first", async () => {
        await on(({ outbox }) =>
          outbox.add([delivery("a"), delivery("b", "d2"), delivery("c"), delivery("d"), delivery("still owed")]),
        );
        await on(async ({ outbox }) => {
          await outbox.sent(["c"], T + 1);
          await outbox.sent(["a", "b"], T + 2);
        });
        await change("d", { state: "dead", settled_at: T + 3 });
        await on(async ({ outbox }) => {
          expect(ids(await outbox.settled(9))).toEqual(["d", "b", "a", "c"]);
          expect(ids(await outbox.settled(9, "d1"))).toEqual(["d", "a", "c"]);
          expect(ids(await outbox.settled(2))).toEqual(["d", "b"]);
        });
      });

      it("may be ten thousand at once", async () => {
        const rows = Array.from({ length: 10_000 }, (_, index) => delivery(`n${index}`, `d${index}`));
        await on(({ outbox }) => outbox.add(rows));
        expect(await due(T, 3)).toEqual(["n0", "n1", "n2"]);
      });

      it("are unknown to everybody when their transaction fails", async () => {
        const failing = on(async ({ outbox, watch }) => {
          await watch.putSnapshot("mainnet", "w", T, "seen");
          await outbox.add([delivery("a")]);
          throw new Error("crash");
        });
        await expect(failing).rejects.toThrow("crash");
        expect(await due()).toEqual([]);
        expect(await on(({ watch }) => watch.snapshot("mainnet", "w"))).toBeUndefined();
      });
    });

    it("keep messages once, however often they are owed, and receipts", async () => {
      await on(({ outbox }) => outbox.addMessages([{ id: "m1", data: "hello" }], T));
      await on(({ outbox }) => outbox.addMessages([{ id: "m1", data: "hello" }], T + 1));
      expect(await on(({ outbox }) => outbox.messages(["m1", "m2"]))).toEqual([{ id: "m1", data: "hello" }]);
      const receipt = { delivery: "a", platform: "fake", channel: "c", message: "1", at: T };
      await on(({ outbox }) => outbox.putReceipts([receipt]));
      await on(({ outbox }) => outbox.putReceipts([{ ...receipt, message: "2" }]));
      expect(await on(({ outbox }) => outbox.receipts(["a", "b"]))).toEqual([{ ...receipt, message: "2" }]);
    });

    it("keep what is owed to many in parcels, count it, and hand each out once, in order", async () => {
      const parcel = (data: string) => ({ platform: "fake", owed: 2, created_at: T, data });
      await on(({ parcels }) => parcels.put([parcel("1"), parcel("2"), { ...parcel("3"), created_at: T + 1 }]));
      expect(await on(({ outbox }) => outbox.depth())).toEqual([{ platform: "fake", owed: 6, oldest: T }]);
      expect(await on(({ parcels }) => parcels.since())).toBe(T);
      expect((await on(({ parcels }) => parcels.take(2))).map(({ data }) => data)).toEqual(["1", "2"]);
      expect((await on(({ parcels }) => parcels.take(2))).map(({ data }) => data)).toEqual(["3"]);
      expect(await on(({ parcels }) => parcels.since())).toBeUndefined();
      expect(await on(({ outbox }) => outbox.depth())).toEqual([]);
    });

    it("hold back what waits for a time, and let it go once, in order", async () => {
      const held = (message: string, release_at: number) => ({ destination: "d1", release_at, message, data: "{}" });
      await on(({ backlog }) => backlog.hold([held("m2", T), held("m1", T)]));
      await on(({ backlog }) => backlog.hold([held("m3", T + 1)]));
      expect(await on(({ backlog }) => backlog.release(T - 1))).toEqual([]);
      expect((await on(({ backlog }) => backlog.release(T))).map((row) => row.message)).toEqual(["m2", "m1"]);
      expect(await on(({ backlog }) => backlog.release(T))).toEqual([]);
      const rolling = { key: "k", delivery: "a", day_ends_at: T, message: "m1" };
      await on(({ backlog }) => backlog.putRolling([rolling]));
      await on(({ backlog }) => backlog.putRolling([{ ...rolling, delivery: "b", message: "m2" }]));
      expect(await on(({ backlog }) => backlog.rolling(["k", "l"]))).toEqual([
        { ...rolling, delivery: "b", message: "m2" },
      ]);
    });

    it("log decisions, and read them newest first, narrowed", async () => {
      const decision = { at: T, network: "mainnet", episode: null, destination: null, delivery: null, detail: null };
      await on(({ log }) =>
        log.add([
          { ...decision, what: "one" },
          { ...decision, what: "two", episode: "e1" },
        ]),
      );
      await on(({ log }) => log.add([{ ...decision, what: "three", destination: "d1" }]));
      const read = async (query: { episode?: string; destination?: string; network?: string }, limit = 9) =>
        (await on(({ log }) => log.read({ ...query, limit }))).map((row) => row.what);
      expect(await read({})).toEqual(["three", "two", "one"]);
      expect(await read({}, 1)).toEqual(["three"]);
      expect(await read({ episode: "e1" })).toEqual(["two"]);
      expect(await read({ destination: "d1", network: "testnet" })).toEqual([]);
    });

    it("forget what is settled and old, never what is open, owed or referred to", async () => {
      const decision = { network: null, episode: null, destination: null, delivery: null, detail: null };
      const episode = { network: "mainnet", opened_at: T, data: "" } as const;
      await on(async (tables) => {
        const { outbox, watch, log } = tables;
        await outbox.addMessages(
          [
            { id: "m1", data: "" },
            { id: "m2", data: "" },
          ],
          T,
        );
        await outbox.add([delivery("owed"), delivery("done", "d2", { message: "m2" })]);
        await outbox.change("done", { state: "sent", settled_at: T });
        await outbox.putReceipts([{ delivery: "done", platform: "fake", channel: "c", message: "1", at: T }]);
        await watch.putEpisodes([
          { ...episode, id: "open", open: 1 },
          { ...episode, id: "over", open: 0 },
        ]);
        await watch.putTellings([{ episode: "open", destination: "d", data: "" }]);
        await watch.putTellings([{ episode: "over", destination: "d", data: "" }]);
        await log.add([
          { ...decision, at: T, what: "old" },
          { ...decision, at: T + 2, what: "new" },
        ]);
        await tables.prune(T + 1);
        expect(ids(await outbox.get(["owed", "done"]))).toEqual(["owed"]);
        expect((await outbox.messages(["m1", "m2"])).map((row) => row.id)).toEqual(["m1"]);
        expect(await outbox.receipts(["done"])).toEqual([]);
        expect((await watch.lastEpisodes(9)).map((row) => row.id)).toEqual(["open"]);
        expect((await watch.tellings(["open", "over"])).map((row) => row.episode)).toEqual(["open"]);
        expect((await log.read({ limit: 9 })).map((row) => row.what)).toEqual(["new"]);
      });
    });
  });
}
