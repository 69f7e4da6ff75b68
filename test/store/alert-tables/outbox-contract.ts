import { describe, expect, it } from "vitest";

import type { AlertTables } from "../../../src/store/alert-tables/alert-tables.ts";
import type { StoreUnderTest } from "../contract.ts";
import { arrivals, delivery, ids, T, tablesUnderTest } from "./alert-rows.ts";

const dead = (settled_at: number) => ({ state: "dead", settled_at, last_error: "refused" }) as const;

/** The contract of every engine for owed and delivered messages. */
export function outboxContract(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`the outbox in a store on ${engine}`, () => {
    const { on, reopen } = tablesUnderTest(create);
    const due = async (at = T, limit = 10, platform = "fake"): Promise<string[]> =>
      ids(await on(({ outbox }) => outbox.due(platform, at, limit)));
    const update = (id: string, change: Parameters<AlertTables["outbox"]["update"]>[1]): Promise<void> =>
      on(({ outbox }) => outbox.update(id, change));

    it("return a destination's delivered messages in the order of arrival, from any position on", async () => {
      await on(({ outbox }) =>
        outbox.add([
          delivery("a1"),
          delivery("b1", "d2"),
          delivery("a2"),
          delivery("a3"),
          delivery("e1", "d1", { phase: "rolling" }),
          delivery("e2", "d1", { phase: "rolling" }),
          delivery("a4"),
        ]),
      );
      const arrive = (...some: readonly string[]) =>
        on(async ({ outbox, delivered }) => {
          await outbox.markArrived(arrivals(some, 0, T));
          // Keys of these destinations are their platforms, too.
          const rows = await outbox.get(some);
          const receipts = rows.map(({ id, destination }) => ({ delivery: id, platform: destination, at: T }));
          await outbox.putReceipts(receipts.map((one) => ({ ...one, channel: "c", message: one.delivery })));
          await delivered.place("d1");
        });
      for (const id of ["a1", "b1", "a2", "e1", "e2"]) await arrive(id);
      await update("a3", { state: "dead", settled_at: T + 8 });
      const after = (position: number, limit = 10) => on(({ delivered }) => delivered.after("d1", position, limit));
      const [first] = await after(0, 1);
      expect(first?.id).toBe("a1");
      expect(ids(await after(first?.position ?? 0))).toEqual(["a2", "e1", "e2"]);
      await arrive("a4");
      expect(ids(await after(0))).toEqual(["a1", "a2", "e1", "e2", "a4"]);
      // One that overtook others is read at once, and they after it.
      await on(({ outbox }) => outbox.add([delivery("a5"), delivery("a6"), delivery("a7"), delivery("b2", "d2")]));
      await arrive("a7");
      const overtook = (await after(0)).at(-1);
      expect(overtook?.id).toBe("a7");
      await arrive("a6", "a5");
      expect(ids(await after(overtook?.position ?? 0))).toEqual(["a5", "a6"]);
      expect(ids(await after(first?.position ?? 0))).toEqual(["a2", "e1", "e2", "a4", "a7", "a5", "a6"]);
      expect(ids(await on(({ delivered }) => delivered.last("d1", 3)))).toEqual(["a7", "a5", "a6"]);
      const known = await on(({ delivered }) => delivered.of("d1", ["a6", "b1", "a3", "a7", "none"]));
      expect(ids(known)).toEqual(["a7", "a6"]);
      // Neither its edit nor a repeat of its receipt moves it.
      await on(({ outbox }) => outbox.revise(["e1"], {}, T + 12, T + 13));
      await arrive("a1");
      expect(ids(await after(first?.position ?? 0))).toEqual(["a2", "e1", "e2", "a4", "a7", "a5", "a6"]);
      const grown = async (destination: string, since: number, limit = 10) =>
        ids(await on(({ delivered }) => delivered.grown(destination, since, limit)));
      expect(await grown("d1", 0)).toEqual([]);
      await update("e1", { state: "sent", shown: 1, attempted_at: T + 13 });
      await update("e2", { state: "sent", shown: 2, attempted_at: T + 20 });
      expect([await grown("d1", 0), await grown("d1", T + 14), await grown("d1", 0, 1)]).toEqual([
        ["e1", "e2"],
        ["e2"],
        ["e2"],
      ]);
      expect(await grown("d2", 0)).toEqual([]);
    });

    it("change what messages say: one that was sent is owed again, as an edit", async () => {
      await on(({ outbox }) => outbox.add(["unsent", "going", "sent", "dead"].map((id) => delivery(id, id))));
      await update("going", { state: "sending" });
      await update("sent", { state: "sent", shown: 0, settled_at: T });
      await update("dead", { state: "dead", settled_at: T });
      await on(({ outbox }) => outbox.revise(["unsent", "going", "sent", "dead"], { message: "m2" }, T + 5, T + 6, 2));
      const rows = await on(({ outbox }) => outbox.get(["unsent", "going", "sent", "dead"]));
      const lines = rows
        .toSorted((a, b) => a.seq - b.seq)
        .map(({ id, state, revision, run_at, owed_at, message }) =>
          [id, state, revision, run_at - T, owed_at - T, message].join(" "),
        );
      expect(lines).toEqual([
        "unsent owed 2 0 0 m2",
        "going sending 2 0 0 m2",
        "sent owed 2 6 5 m2",
        "dead dead 2 0 0 m2",
      ]);
      await on(({ outbox }) => outbox.markArrived(arrivals(["going"], 0, T + 7)));
      await on(({ outbox }) => outbox.markArrived(arrivals(["sent"], 2, T + 8)));
      const [going] = await on(({ outbox }) => outbox.get(["going"]));
      const [sent] = await on(({ outbox }) => outbox.get(["sent"]));
      expect([going, sent]).toMatchObject([
        { state: "owed", shown: 0, settled_at: T + 7 },
        { state: "sent", shown: 2, settled_at: T },
      ]);
    });

    it("find the message that others may join: unsent, or open at that moment", async () => {
      const keyed = (id: string, open_until: number | null) => delivery(id, "d1", { join_key: id, open_until });
      await on(({ outbox }) =>
        outbox.add([keyed("open", T + 1), keyed("over", T - 1), keyed("endless", null), keyed("unsent", T - 1)]),
      );
      for (const id of ["open", "over", "endless"]) await update(id, { state: "sent" });
      const all = ["open", "over", "endless", "unsent", "none"];
      const found = await on(({ outbox }) => outbox.joinable(["d1", "d2"], all, T));
      expect([...found.keys()]).toEqual(["d1 open", "d1 endless", "d1 unsent"]);
    });

    it("hold messages until their time, and owe each behind all others", async () => {
      const held = (id: string, run_at: number, destination = "d1") =>
        delivery(id, destination, { state: "held", run_at });
      await on(({ outbox }) => outbox.add([held("h1", T), held("h2", T + 1), held("h3", T, "d2"), delivery("a")]));
      const until = async (at: number) => ids(await on(({ outbox }) => outbox.heldUntil(at)));
      expect([await until(T - 1), await until(T), await until(T + 1)]).toEqual([[], ["h1", "h3"], ["h1", "h2", "h3"]]);
      expect(await due()).toEqual(["a"]);
      await on(({ outbox }) => outbox.rescheduleHeld("d1", T + 9));
      expect([await until(T + 8), await until(T + 9)]).toEqual([["h3"], ["h1", "h2", "h3"]]);
      await on(({ outbox }) => outbox.release("h3", T, "m2"));
      expect(await due()).toEqual(["a", "h3"]);
      const [row] = await on(({ outbox }) => outbox.get(["h3"]));
      expect(row).toMatchObject({ state: "owed", message: "m2", owed_at: T });
      expect(await on(({ counts }) => counts(T))).toMatchObject({ held: 2 });
    });

    it("keep what joined a message, in order", async () => {
      const item = (id: string, revision: number, delivery = "a") =>
        ({ id, delivery, revision, phase: "trigger", episode: `e ${id}`, message: "m" }) as const;
      await on(({ outbox }) => outbox.add([delivery("a"), delivery("b", "d2", { episode: "e own" })]));
      await on(({ items }) => items.add([item("second", 2), item("first", 1), item("other", 1, "b")]));
      await on(async ({ items, outbox }) => {
        expect(ids(await items.of(["a"]))).toEqual(["first", "second"]);
        expect(ids(await items.ofEpisode("e other"))).toEqual(["other"]);
        expect(await items.deliveriesOf(["first", "other", "nothing"])).toEqual(
          new Map([
            ["first", "a"],
            ["other", "b"],
          ]),
        );
        expect(ids(await outbox.ofEpisode("e first"))).toEqual(["a"]);
        expect(ids(await outbox.unsentOf(["e own", "e second"], "d2"))).toEqual(["b"]);
        await items.setPhase(["first"], "resolve");
        await items.drop(["second"]);
        expect(await items.of(["a"])).toEqual([{ ...item("first", 1), phase: "resolve" }]);
      });
    });

    describe("owed deliveries", () => {
      it("come in order, one of a destination at a time, and none beyond the limit", async () => {
        await on(({ outbox }) =>
          outbox.add([delivery("a1"), delivery("b1", "d2"), delivery("a2"), delivery("c", "d3")]),
        );
        expect(await due()).toEqual(["a1", "b1", "c"]);
        expect(await due(T, 2)).toEqual(["a1", "b1"]);
        await update("a1", { state: "sending" });
        expect(await due()).toEqual(["b1", "c"]);
        await update("a1", { state: "sent" });
        expect(await due()).toEqual(["b1", "a2", "c"]);
      });

      it("wait for the one before them, also while that waits for its next attempt", async () => {
        await on(({ outbox }) => outbox.add([delivery("a1"), delivery("a2")]));
        await update("a1", { run_at: T + 1000 });
        expect(await due()).toEqual([]);
        expect(await on(({ outbox }) => outbox.nextRunAt(["fake"], T))).toBe(T + 1000);
        expect(await due(T + 1000)).toEqual(["a1"]);
        await update("a1", { state: "dead" });
        expect(await due()).toEqual(["a2"]);
        expect(await on(({ outbox }) => outbox.nextRunAt(["fake"], T))).toBeUndefined();
      });

      it("do not wait for an edit, but are never sent beside one", async () => {
        await on(({ outbox }) => outbox.add([delivery("e", "d1", { revision: 1, shown: 0 }), delivery("a")]));
        expect(await due()).toEqual(["a"]);
        await update("e", { state: "sending" });
        expect(await due()).toEqual([]);
        await update("e", { state: "owed" });
        await update("a", { state: "sending" });
        expect(await due()).toEqual([]);
        await update("a", { state: "sent" });
        expect(await due()).toEqual(["e"]);
      });

      it("wait neither for files whose words have arrived nor for an export; those files count as owed until they are there", async () => {
        const edit = { revision: 1, shown: 0 };
        await on(({ outbox }) =>
          outbox.add([
            delivery("f"),
            delivery("e", "d1", edit),
            delivery("a"),
            delivery("x", "d2", { phase: "export" }),
          ]),
        );
        await on(({ outbox }) => outbox.add([delivery("b", "d2")]));
        await on(({ outbox }) => outbox.beginAttempts(["f", "x"], T, "me"));
        expect(await due()).toEqual(["b"]);
        await on(({ outbox }) => outbox.markArrived(arrivals(["f"], 0, T, T + 60_000)));
        expect(await due()).toEqual(["a", "b"]);
        await update("a", { state: "sent" });
        expect(await due()).toEqual(["e", "b"]);
        // Once they should have ended, edits wait again.
        expect(await due(T + 60_000)).toEqual(["b"]);
        const row = async () => (await on(({ outbox }) => outbox.get(["f"])))[0];
        expect(await row()).toMatchObject({ state: "sending", shown: 0, settled_at: T, attempts: 1 });
        expect(await on(({ outbox }) => outbox.depth())).toMatchObject([{ owed: 4 }]);
        await on(({ outbox }) => outbox.markArrived(arrivals(["f"], 0, T + 5)));
        expect(await row()).toMatchObject({ state: "sent", settled_at: T, run_at: T + 5 });
      });

      it("of which only files are left change at once, whenever those are tried again", async () => {
        await on(({ outbox }) => outbox.add([delivery("f")]));
        await update("f", { state: "owed", shown: 0, attempts: 3, run_at: T + 900_000 });
        await on(({ outbox }) => outbox.revise(["f"], {}, T, T + 1000));
        expect((await on(({ outbox }) => outbox.get(["f"])))[0]).toMatchObject({
          state: "owed",
          revision: 1,
          attempts: 0,
          run_at: T + 1000,
        });
        await on(({ outbox }) => outbox.revise(["f"], {}, T, T + 5000));
        expect((await on(({ outbox }) => outbox.get(["f"])))[0]).toMatchObject({ revision: 2, run_at: T + 1000 });
      });

      it("go by their urgency; of one destination only the highest overtakes, and an edit goes last", async () => {
        const urgent = (id: string, destination: string, urgency: 1 | 2) => delivery(id, destination, { urgency });
        await on(({ outbox }) =>
          outbox.add([
            delivery("s1", "d1", { revision: 1, shown: 0 }),
            delivery("a1"),
            delivery("b1", "d2"),
            urgent("a2", "d1", 1),
            urgent("a3", "d1", 1),
            urgent("c1", "d3", 1),
            urgent("a4", "d1", 2),
            delivery("later", "d5", { urgency: 2, run_at: T + 1 }),
          ]),
        );
        expect(await due()).toEqual(["a4", "c1", "b1"]);
        const order: string[] = [];
        for (;;) {
          const [next] = (await due(T)).filter((id) => id.startsWith("a") || id === "s1");
          if (next === undefined) break;
          order.push(next);
          await update(next, { state: "sent" });
        }
        expect(order).toEqual(["a4", "a1", "a2", "a3", "s1"]);
      });

      it("wait for what is being sent to their destination, but for the most urgent, in order among themselves", async () => {
        const of = (id: string, urgency: 0 | 1 | 2) => delivery(id, "d1", { urgency });
        await on(({ outbox }) => outbox.add([of("a1", 0), of("a2", 0), of("b", 1)]));
        await update("a1", { state: "sending" });
        expect(await due()).toEqual([]);
        await on(({ outbox }) => outbox.add([of("c1", 2), of("c2", 2)]));
        expect(await due()).toEqual(["c1"]);
        await update("c1", { state: "sending" });
        expect(await due()).toEqual([]);
        await update("c1", { state: "sent" });
        expect(await due()).toEqual(["c2"]);
      });

      it("begin and are marked sent many at a time", async () => {
        await on(({ outbox }) => outbox.add([delivery("a"), delivery("b", "d2"), delivery("c", "d3")]));
        await on(({ outbox }) => outbox.beginAttempts(["a", "b"], T + 1, "p"));
        expect(await due()).toEqual(["c"]);
        await on(({ outbox }) => outbox.markArrived(arrivals(["a"], 0, T + 2)));
        const rows = await on(({ outbox }) => outbox.get(["a", "b", "c"]));
        expect(
          rows
            .toSorted((a, b) => a.seq - b.seq)
            .map(({ id, state, attempts, attempted_at, settled_at }) => [
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

      it("between two milliseconds are due at the later one", async () => {
        await on(({ outbox }) => outbox.add([delivery("a")]));
        await update("a", { run_at: T + 0.25 });
        expect([await due(T), await due(T + 1)]).toEqual([[], ["a"]]);
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

      it("of a destination are postponed together, and no other", async () => {
        await on(({ outbox }) => outbox.add([delivery("a1"), delivery("a2"), delivery("b", "d2")]));
        await on(({ outbox }) => outbox.postpone("d1", T + 9));
        expect(await due()).toEqual(["b"]);
        expect(await due(T + 9)).toEqual(["a1", "b"]);
      });

      it("to a destination that is not tried now are due once, and only where they were not tried before", async () => {
        await on(({ outbox }) => outbox.add([delivery("tried"), delivery("behind"), delivery("b", "d2")]));
        await update("tried", { attempts: 1 });
        const except = { destinations: ["d1", "d2"] };
        const left = async () => ids(await on(({ outbox }) => outbox.due("fake", T, 9, except)));
        expect([await due(), await left()]).toEqual([["tried", "b"], ["b"]]);
        await on(({ outbox }) => outbox.add([delivery("critical", "d1", { urgency: 2 })]));
        expect(await left()).toEqual(["critical", "b"]);
        await update("critical", { attempts: 1 });
        expect([await due(), await left()]).toEqual([["critical", "b"], ["b"]]);
      });

      it("of a destination, a workspace or a platform are counted while they are unsent", async () => {
        await on(({ outbox }) =>
          outbox.add([delivery("a", "fake/T1/c/"), delivery("b", "fake/T1/d/"), delivery("c", "fake//c/")]),
        );
        await update("b", { state: "sending" });
        const count = (key: string) => on(({ outbox }) => outbox.countUnsent(key));
        expect([await count("fake"), await count("fake/T1"), await count("fake/T1/c/")]).toEqual([3, 2, 1]);
        await update("a", { shown: 0 });
        await update("b", { state: "dead" });
        expect([await count("fake"), await count("fake/T1"), await count("fake/T1/c/")]).toEqual([1, 0, 0]);
      });

      it("that wait are brought forward where the clock was set back, and no others", async () => {
        await on(({ outbox }) => outbox.add([delivery("a"), delivery("b", "d2"), delivery("c", "d3")]));
        await on(({ outbox }) => outbox.postpone("d1", T + 3_600_009));
        await on(({ outbox }) => outbox.postpone("d2", T + 3_600_020));
        await on(({ outbox }) => outbox.bringForward(3_600_000, T));
        expect(await due(T + 8)).toEqual(["c"]);
        expect(await due(T + 9)).toEqual(["a", "c"]);
        expect(await due(T + 20)).toEqual(["a", "b", "c"]);
      });

      it("that a process left in the middle are owed again, with an unknown result", async () => {
        await on(({ outbox }) => outbox.add([delivery("a"), delivery("b", "d2"), delivery("c", "d3")]));
        await update("a", { state: "sending", attempted_at: T + 3 });
        await update("b", { state: "sending", attempted_at: T + 9, uncertain_since: T + 1 });
        await reopen();
        const left = await on(({ outbox }) => outbox.recover("p", []));
        expect(left.map(({ id, uncertain_since }) => [id, uncertain_since])).toEqual([
          ["a", T + 3],
          ["b", T + 1],
        ]);
        expect(await due()).toEqual(["a", "b", "c"]);
      });

      it("count the processes that died while they were sending them, until they arrive", async () => {
        await on(({ outbox }) => outbox.add([delivery("a")]));
        const die = (claimant: string, at: number) =>
          on(async ({ outbox }) => {
            await outbox.beginAttempts(["a"], at, claimant);
            return (await outbox.recover("p", [])).map(({ interruptions, claimed_by }) => [interruptions, claimed_by]);
          });
        expect(await die("q", T + 1)).toEqual([[1, null]]);
        expect(await die("p", T + 2)).toEqual([[1, "p"]]);
        expect(await die("r", T + 3)).toEqual([[2, null]]);
        await on(({ outbox }) => outbox.markArrived(arrivals(["a"], 0, T + 4)));
        expect((await on(({ outbox }) => outbox.get(["a"])))[0]).toMatchObject({ interruptions: 0 });
      });

      it("are found by episode, by destination and by age", async () => {
        await on(({ outbox }) =>
          outbox.add([
            delivery("t", "d1", { episode: "e1" }),
            delivery("u", "d2", { episode: "e1", created_at: T - 5 }),
            delivery("x", "d1"),
          ]),
        );
        await on(async ({ outbox }) => {
          expect(ids(await outbox.ofEpisode("e1"))).toEqual(["t", "u"]);
          expect(ids(await outbox.ofEpisode("e1", "d2"))).toEqual(["u"]);
          expect(ids(await outbox.openOf("d1"))).toEqual(["t", "x"]);
          expect(ids(await outbox.overdue(T, 5))).toEqual(["u"]);
          expect(ids(await outbox.get(["u", "nobody"]))).toEqual(["u"]);
        });
      });

      it("are found by when they finished, the last one first", async () => {
        await on(({ outbox }) =>
          outbox.add([delivery("a"), delivery("b", "d2"), delivery("c"), delivery("d"), delivery("still owed")]),
        );
        await on(async ({ outbox }) => {
          await outbox.markArrived(arrivals(["c"], 0, T + 1));
          await outbox.markArrived(arrivals(["a", "b"], 0, T + 2));
        });
        await update("d", { state: "dead", settled_at: T + 3 });
        await on(async ({ outbox }) => {
          expect(ids(await outbox.finished(9))).toEqual(["d", "b", "a", "c"]);
          expect(ids(await outbox.finished(9, "d1"))).toEqual(["d", "a", "c"]);
          expect(ids(await outbox.finished(2))).toEqual(["d", "b"]);
        });
      });

      it("of a whole platform are found, dead-lettered at once and counted, except those being sent", async () => {
        await on(async ({ outbox }) => {
          const elsewhere = { platform: "other" };
          await outbox.add([delivery("a"), delivery("b"), delivery("c", "d2"), delivery("going", "d3")]);
          await outbox.add([delivery("d", "d2"), delivery("far", "d4", elsewhere)]);
          await outbox.beginAttempts(["going"], T, "p");
        });
        expect(ids(await on(({ outbox }) => outbox.owedOn("fake")))).toEqual(["a", "b", "c", "d"]);
        expect(ids(await on(({ outbox }) => outbox.overdue(T + 1, 9, { except: ["fake"] })))).toEqual(["far"]);
        expect(ids(await on(({ outbox }) => outbox.overdue(T + 1, 9)))).toEqual(["a", "b", "c", "d", "far"]);
        await on(({ outbox }) => outbox.updateAll(["a"], dead(T + 1)));
        await on(({ outbox }) => outbox.updateAll(["b", "c", "d"], dead(T + 5)));
        expect(ids(await on(({ outbox }) => outbox.owedOn("fake")))).toEqual([]);
        const [b] = await on(({ outbox }) => outbox.get(["b"]));
        expect(b).toMatchObject({ state: "dead", settled_at: T + 5, last_error: "refused" });
        expect(await on(({ outbox }) => outbox.countDeadLetters("fake", T + 1))).toEqual([
          { destination: "d1", count: 2 },
          { destination: "d2", count: 2 },
        ]);
        expect(await on(({ outbox }) => outbox.countDeadLetters("fake", T + 2))).toEqual([
          { destination: "d1", count: 1 },
          { destination: "d2", count: 2 },
        ]);
        expect(await on(({ outbox }) => outbox.countDeadLetters("other", T))).toEqual([]);
      });

      it("of one workspace, where each has a token of its own, are found by the token's key, and left out by it", async () => {
        await on(({ outbox }) =>
          outbox.add([
            delivery("a", "fake/T1/c/"),
            delivery("b", "fake/T1/d/"),
            delivery("c", "fake/T11/c/"),
            delivery("d", "fake//T1/"),
            delivery("e", "fake/t1/c/"),
            delivery("f", "other/T1/c/", { platform: "other" }),
          ]),
        );
        expect(await due(T, 9, "fake/T1")).toEqual(["a", "b"]);
        expect(ids(await on(({ outbox }) => outbox.owedOn("fake/T1")))).toEqual(["a", "b"]);
        expect(ids(await on(({ outbox }) => outbox.overdue(T + 1, 9, { token: "fake/T1" })))).toEqual(["a", "b"]);
        const without = await on(({ outbox }) => outbox.due("fake", T, 9, { tokens: ["fake/T1", "fake/T2"] }));
        expect(ids(without)).toEqual(["c", "d", "e"]);
        const depth = await on(({ outbox }) => outbox.depth({ except: ["fake/T1", "fake//T1/"] }));
        expect(depth.map(({ platform, owed }) => `${platform} ${owed}`).toSorted()).toEqual(["fake 2", "other 1"]);
        await on(({ outbox }) => outbox.updateAll(["a", "c"], dead(T + 1)));
        expect(await on(({ outbox }) => outbox.countDeadLetters("fake/T1", T))).toEqual([
          { destination: "fake/T1/c/", count: 1 },
        ]);
      });

      it("may be ten thousand at once", async () => {
        const rows = Array.from({ length: 10_000 }, (_, index) => delivery(`n${index}`, `d${index}`));
        await on(({ outbox }) => outbox.add(rows));
        expect(await due(T, 3)).toEqual(["n0", "n1", "n2"]);
      });

      it("do not exist when their transaction fails", async () => {
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
  });
}
