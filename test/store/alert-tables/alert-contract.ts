import { describe, expect, it } from "vitest";

import { undone, undoOf } from "../../../src/alerts/route/subscription.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { alertsOn } from "../../support/alert-service.ts";
import type { StoreUnderTest } from "../contract.ts";
import { delivery, ids, T, tablesUnderTest } from "./alert-rows.ts";

/** The contract of every engine for alerts; for deliveries see the outbox's contract. */
export function alertContract(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`alerts in a store on ${engine}`, () => {
    const { on } = tablesUnderTest(create);

    it("keep subscriptions and silences, and count every change of them", async () => {
      const row = { id: "s1", destination: "d1", network: "mainnet", state: "active", data: "{}" };
      expect(await on(({ subscriptions }) => subscriptions.revision())).toBe(0);
      await on(({ subscriptions }) => subscriptions.put([row]));
      await on(({ subscriptions }) => subscriptions.put([{ ...row, state: "paused", data: '{"a":1}' }]));
      await on(({ subscriptions }) => subscriptions.putSilence({ id: "q1", ends_at: T, data: "{}" }));
      await on(({ subscriptions }) => subscriptions.putSilence({ id: "q2", ends_at: T + 1, data: "{}" }));
      expect(await on(({ subscriptions }) => subscriptions.revision())).toBe(4);
      expect(await on(({ subscriptions }) => subscriptions.list())).toEqual([
        { ...row, state: "paused", data: '{"a":1}' },
      ]);
      expect(await on(({ subscriptions }) => subscriptions.silences(T))).toEqual([
        { id: "q2", ends_at: T + 1, data: "{}" },
      ]);
      await on(({ subscriptions }) => subscriptions.put([{ ...row, id: "s2" }]));
      await on(({ subscriptions }) => subscriptions.drop(["s1", "nobody"]));
      await on(({ subscriptions }) => subscriptions.drop([]));
      expect(await on(({ subscriptions }) => subscriptions.revision())).toBe(6);
      expect(ids(await on(({ subscriptions }) => subscriptions.list()))).toEqual(["s2"]);
      const many = [
        { ...row, id: "s2", state: "retired" },
        { ...row, id: "s3", destination: "d2" },
      ];
      await on(({ subscriptions }) => subscriptions.put(many));
      await on(({ subscriptions }) => subscriptions.put([]));
      expect(await on(({ subscriptions }) => subscriptions.revision())).toBe(7);
      expect(await on(({ subscriptions }) => subscriptions.list())).toEqual(many);
      expect(ids(await on(({ subscriptions }) => subscriptions.list("d2")))).toEqual(["s3"]);
      // Of one key twice in one call, the later row counts.
      const twice = [
        { ...row, id: "s4", data: "1" },
        { ...row, id: "s4", data: "2" },
      ];
      await on(({ subscriptions }) => subscriptions.put(twice));
      expect((await on(({ subscriptions }) => subscriptions.list())).at(-1)).toEqual(twice[1]);
      expect(await on(({ subscriptions }) => subscriptions.list("d3"))).toEqual([]);
    });

    it("keep what a subscription was before a change and what it may tell often; what changed since is not overwritten", async () => {
      const { engine, service } = alertsOn({ transaction: (work) => on((alerts) => work({ alerts } as never)) });
      const destination = { platform: "discord", channel: "1" };
      const one = aSubscription({ destination, kinds: ["node.down"] });
      const before = { ...one, parameters: { "node.down": { rounds: 9 } } };
      await engine.putSubscriptions([before], "ann");
      const after = { ...one, parameters: { "node.down": { rounds: 2 } }, ...undoOf(before, T) };
      const leaving = { ...after, leaves: ["node.down" as const] };
      await engine.putSubscriptions([after], "ann", [], before);
      await engine.putSubscriptions([leaving], "ann", [], after);
      await expect(engine.putSubscriptions([before], "bob", [], after)).rejects.toThrow("changed meanwhile");
      const [kept = one] = await service.subscriptions();
      expect(kept).toEqual(leaving);
      expect(undone(kept, T)).toEqual({ ...before, leaves: ["node.down"] });
      expect(undone(kept, T + 1)).toBeUndefined();
    });

    it("keep the last snapshot by network and watcher", async () => {
      await on(({ watch }) => watch.putSnapshot("mainnet", "sources", T, "1"));
      await on(({ watch }) => watch.putSnapshot("mainnet", "sources", T + 5, "2"));
      await on(({ watch }) => watch.putSnapshot("testnet", "sources", T, "3"));
      expect(await on(({ watch }) => watch.snapshot("mainnet", "sources"))).toEqual({ at: T + 5, data: "2" });
      expect(await on(({ watch }) => watch.snapshot("mainnet", "markets"))).toBeUndefined();
      expect(await on(({ watch }) => watch.observedAts("mainnet"))).toEqual(new Map([["sources", T + 5]]));
    });

    it("keep machines, episodes and notification states under their keys", async () => {
      const machine = { rule: "r", network: "mainnet", subject: "", flapping: 0, data: "1" } as const;
      await on(({ watch }) => watch.putMachines([machine, { ...machine, subject: "x" }]));
      await on(({ watch }) => watch.putMachines([{ ...machine, data: "2", flapping: 1 }]));
      expect(await on(({ watch }) => watch.machines("mainnet"))).toEqual([
        { ...machine, data: "2", flapping: 1 },
        { ...machine, subject: "x" },
      ]);
      expect(await on(({ watch }) => watch.flapping())).toEqual([{ ...machine, data: "2", flapping: 1 }]);
      expect(await on(({ watch }) => watch.machine({ ...machine, subject: "x" }))).toEqual({
        ...machine,
        subject: "x",
      });
      expect(await on(({ watch }) => watch.machine({ ...machine, network: "testnet" }))).toBeUndefined();
      const episode = { id: "e1", network: "mainnet", open: 1, opened_at: T, data: "1" } as const;
      const later = { ...episode, id: "e2", network: "testnet", opened_at: T + 1 };
      await on(({ watch }) => watch.putEpisodes([episode, later]));
      const fresh = { notification_revision: 0, bare: 0 };
      const untold = { ...later, ...fresh };
      expect(await on(({ watch }) => watch.openEpisodes())).toEqual([{ ...episode, ...fresh }, untold]);
      expect(await on(({ watch }) => watch.openEpisodes("testnet"))).toEqual([untold]);
      await on(({ watch }) => watch.putEpisodes([{ ...episode, open: 0, data: "2" }]));
      expect(await on(({ watch }) => watch.openEpisodes())).toEqual([untold]);
      expect(await on(({ watch }) => watch.episode("e1"))).toEqual({
        ...episode,
        open: 0,
        data: "2",
        ...fresh,
      });
      expect((await on(({ watch }) => watch.lastEpisodes(1))).map((row) => row.id)).toEqual(["e2"]);
      const openAndLast = async (network: string, kind: string, among: number) =>
        (await on(({ watch }) => watch.openAndLast(network, kind, among))).map((row) => row.id);
      expect(await openAndLast("testnet", "e", 9)).toEqual(["e2"]);
      expect(await openAndLast("mainnet", "e", 9)).toEqual(["e1"]);
      expect(await openAndLast("mainnet", "e", 1)).toEqual([]);
      expect(await openAndLast("mainnet", "f", 9)).toEqual([]);
      const state = { episode: "e1", destination: "d1", data: "1" };
      await on(({ watch }) => watch.putNotificationStates([state, { ...state, episode: "e2" }]));
      await on(({ watch }) => watch.putNotificationStates([{ ...state, data: "2" }]));
      expect(await on(({ watch }) => watch.notificationStates(["e1"]))).toEqual([{ ...state, data: "2" }]);
      expect(await on(({ watch }) => watch.notificationStates(["e1"], "d1"))).toEqual([{ ...state, data: "2" }]);
      expect(await on(({ watch }) => watch.notificationStates(["e1"], "d2"))).toEqual([]);
      const revisions = [
        { id: "e1", notification_revision: 2 },
        { id: "e2", notification_revision: 1 },
      ];
      expect(await on(({ watch }) => watch.notificationRevisions(["e1", "e2", "e3"]))).toEqual(revisions);
      await on(({ watch }) => watch.putEpisodes([{ ...episode, data: "3" }]));
      expect(await on(({ watch }) => watch.notificationRevisions(["e1"]))).toEqual([revisions[0]]);
    });

    it("keep chunks of large batches, count their deliveries, and take out each once, in order", async () => {
      const chunk = (data: string) => ({ platform: "fake", owed: 2, created_at: T, data });
      await on(({ chunks }) => chunks.put([chunk("1"), chunk("2"), { ...chunk("3"), created_at: T + 1 }]));
      expect(await on(({ outbox }) => outbox.depth())).toEqual([{ platform: "fake", owed: 6, oldest: T }]);
      expect(await on(({ chunks }) => chunks.oldestAt())).toBe(T);
      expect((await on(({ chunks }) => chunks.take(2))).map(({ data }) => data)).toEqual(["1", "2"]);
      expect((await on(({ chunks }) => chunks.take(2))).map(({ data }) => data)).toEqual(["3"]);
      expect(await on(({ chunks }) => chunks.oldestAt())).toBeUndefined();
      expect(await on(({ outbox }) => outbox.depth())).toEqual([]);
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

    it("prune finished and old rows, never open, owed or referenced ones", async () => {
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
        await outbox.update("done", { state: "sent", settled_at: T });
        await outbox.putReceipts([{ delivery: "done", platform: "fake", channel: "c", message: "1", at: T }]);
        await watch.putEpisodes([
          { ...episode, id: "open", open: 1 },
          { ...episode, id: "over", open: 0 },
        ]);
        await watch.putNotificationStates([{ episode: "open", destination: "d", data: "" }]);
        await watch.putNotificationStates([{ episode: "over", destination: "d", data: "" }]);
        await log.add([
          { ...decision, at: T, what: "old" },
          { ...decision, at: T + 2, what: "new" },
        ]);
        await watch.putNotificationStates([{ episode: "gone long ago", destination: "d", data: "" }]);
        await tables.prune(T + 1);
        expect(await watch.notificationStates(["gone long ago"])).toHaveLength(1);
        await tables.prune(T + 1, true);
        expect(await watch.notificationStates(["gone long ago"])).toEqual([]);
        expect(ids(await outbox.get(["owed", "done"]))).toEqual(["owed"]);
        expect((await outbox.messages(["m1", "m2"])).map((row) => row.id)).toEqual(["m1"]);
        expect(await outbox.receipts(["done"])).toEqual([]);
        expect((await watch.lastEpisodes(9)).map((row) => row.id)).toEqual(["open"]);
        expect((await watch.notificationStates(["open", "over"])).map((row) => row.episode)).toEqual(["open"]);
        expect((await log.read({ limit: 9 })).map((row) => row.what)).toEqual(["new"]);
      });
    });

    it("prune no messages that are still to be sent, or said", async () => {
      await on(async (tables) => {
        const { outbox, items } = tables;
        const words = ["held", "joined", "edited", "nobody's"].map((id) => ({ id, data: "" }));
        await outbox.addMessages([...words, { id: "said again", data: "" }], T);
        // A chunk refers to it before there are deliveries.
        await outbox.addMessages([{ id: "said again", data: "" }], T + 2);
        await outbox.add([
          delivery("held", "d", { state: "held", run_at: T + 9, message: "held" }),
          delivery("edited", "d", { message: "edited", revision: 1, shown: 0 }),
        ]);
        await outbox.update("edited", { settled_at: T });
        await items.add([
          { id: "j", delivery: "edited", revision: 1, phase: "event", episode: null, message: "joined" },
          { id: "k", delivery: "pruned", revision: 1, phase: "event", episode: null, message: "nobody's" },
        ]);
        await tables.prune(T + 1);
        expect((await outbox.get(["held", "edited"])).map(({ id }) => id).toSorted()).toEqual(["edited", "held"]);
        expect((await items.of(["edited", "pruned"])).map(({ id }) => id)).toEqual(["j"]);
        const left = await outbox.messages([...words.map(({ id }) => id), "said again"]);
        expect(left.map((row) => row.id).toSorted()).toEqual(["edited", "held", "joined", "said again"]);
      });
    });

    it("keep the whole history of an episode until its last decision is old", async () => {
      const decision = { network: null, destination: null, delivery: null, detail: null };
      await on(async (tables) => {
        const { outbox, watch, log } = tables;
        const ids = ["open", "lately over", "over"];
        await watch.putEpisodes(
          ids.map((id) => ({ id, network: "n", open: id === "open" ? 1 : 0, opened_at: T, data: "" })),
        );
        for (const episode of ids) {
          await outbox.add([delivery(episode, "d", { episode, message: "m" })]);
          await outbox.update(episode, { state: "sent", settled_at: T });
        }
        await log.add([
          ...ids.map((episode) => ({ ...decision, episode, at: T, what: `${episode} fired` })),
          { ...decision, episode: "lately over", at: T + 2, what: "resolved" },
        ]);
        await tables.prune(T + 1);
        expect((await watch.lastEpisodes(9)).map((row) => row.id).toSorted()).toEqual(["lately over", "open"]);
        const left = await outbox.get(ids);
        expect(left.map((row) => row.id).toSorted()).toEqual(["lately over", "open"]);
        const lines = (await log.read({ limit: 9 })).map((row) => row.what);
        expect(lines).toEqual(["resolved", "lately over fired", "open fired"]);
        await tables.prune(T + 3);
        expect((await watch.lastEpisodes(9)).map((row) => row.id)).toEqual(["open"]);
      });
    });

    it("keep the state of an episode for longer than who was told of it and who took care of it", async () => {
      const decision = { network: "n", destination: null, delivery: null, detail: null };
      const said = async () => (await on(({ log }) => log.read({ limit: 9 }))).map((row) => row.what).toReversed();
      const by = { by: "ann", at: "1", person: { platform: "slack", id: "U1" } };
      const data = JSON.stringify({
        id: "over",
        acknowledged: by,
        acknowledgedIn: { "slack/T1": by },
        state: "resolved",
      });
      await on(async ({ watch, outbox, log }) => {
        await watch.putEpisodes([
          { id: "over", network: "n", open: 0, opened_at: T, data },
          { id: "damaged", network: "n", open: 0, opened_at: T, data: '{"by":"ann"' },
        ]);
        await watch.putNotificationStates([{ episode: "over", destination: "d", data: "" }]);
        await outbox.add([delivery("d1", "d", { episode: "over", message: "m" })]);
        await outbox.update("d1", { state: "sent", settled_at: T });
        await log.add([
          { ...decision, episode: "over", at: T, what: "fired", lasting: 1 },
          { ...decision, episode: "over", at: T, what: "acknowledged", detail: "by ann", lasting: 0 },
          { ...decision, episode: "over", at: T + 1, what: "resolved", lasting: 1 },
          { ...decision, episode: "never fired", at: T, what: "dismissed", lasting: 1 },
          { ...decision, episode: null, at: T + 1, what: "seen", lasting: 0 },
        ]);
      });
      const prune = (before: number, lastingBefore = 0) =>
        on((tables) => tables.prune(T + before, false, T + lastingBefore));
      await prune(1);
      expect(await said()).toEqual(["fired", "acknowledged", "resolved", "dismissed", "seen"]);

      await prune(2);
      const [left] = await on(({ watch }) => watch.lastEpisodes(9));
      expect(JSON.parse(left?.data ?? "")).toEqual({ id: "over", state: "resolved" });
      expect(await on(({ watch }) => watch.lastEpisodes(9))).toHaveLength(1);
      expect(await on(({ watch }) => watch.notificationStates(["over"]))).toEqual([]);
      expect(await on(({ outbox }) => outbox.get(["d1"]))).toEqual([]);
      expect(await said()).toEqual(["fired", "resolved", "dismissed"]);
      expect(await on(({ log }) => log.ofEpisodes("n", T, T + 1))).toHaveLength(3);

      // Somebody may take care of it even now: who that was goes after as long.
      await on(({ watch }) => watch.putEpisodes([{ id: "over", network: "n", open: 0, opened_at: T, data }]));
      await prune(3, 1);
      const [again] = await on(({ watch }) => watch.lastEpisodes(9));
      expect(JSON.parse(again?.data ?? "")).toEqual({ id: "over", state: "resolved" });
      expect(await said()).toEqual(["fired", "resolved"]);

      await prune(3, 2);
      expect(await on(({ watch }) => watch.lastEpisodes(9))).toEqual([]);
      expect(await said()).toEqual([]);
    });
  });
}
