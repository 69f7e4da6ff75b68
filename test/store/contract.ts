import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { AnswerChoice, SeenId, Store, TransactionTables } from "../../src/store/store.ts";

/** One store on an empty database, with a clock that the test sets. */
export interface StoreUnderTest {
  readonly store: Store;
  /** The same database again, after `store` was closed. */
  reopen(): Promise<Store>;
  /** The store's clock, in Unix milliseconds. */
  clock: { millis: number };
  cleanUp(): Promise<void>;
}

/** A store for a contract: `open` opens the same database each time, and `remove` empties or removes it. */
export function storeUnderTest(open: (now: () => number) => Store, remove: () => Promise<unknown>): StoreUnderTest {
  const clock = { millis: 1_700_000_000_000 };
  const stores: Store[] = [];
  const opened = (): Store => {
    const store = open(() => clock.millis);
    stores.push(store);
    return store;
  };
  return {
    store: opened(),
    clock,
    reopen: async () => opened(),
    async cleanUp() {
      await Promise.all(stores.map((store) => store.close()));
      await remove();
    },
  };
}

const ids = (found: readonly SeenId[]): string[] => found.map((seen) => seen.id);
const seen = (id: string, label?: string): SeenId => ({ id, label });

/** The contract of every engine. */
export function storeContract(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`a store on ${engine}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      under = await create();
      store = under.store;
    });
    afterEach(() => under.cleanUp());

    const note = async (network: string, ...noted: SeenId[]): Promise<void> => {
      under.clock.millis += 60_000;
      await store.seen.note(network, "market", noted);
    };
    const find = async (typed: string, limit = 10, network = "mainnet"): Promise<string[]> =>
      ids(await store.seen.find(network, "market", typed, limit));

    it("keeps what a connection leaves to the next one", async () => {
      expect(await store.legacies.get("a")).toBeUndefined();
      await store.legacies.put("a", "1");
      await store.legacies.put("b", "9");
      await store.legacies.put("a", "2");
      expect([await store.legacies.get("a"), await store.legacies.get("b")]).toEqual(["2", "9"]);
    });

    it("answers a ping", async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });

    describe("saved parties", () => {
      it("are their owner's alone, the one saved last first", async () => {
        await store.parties.save("discord:1", { id: "a", name: "mine" });
        await store.parties.save("discord:1", { id: "b", name: undefined });
        await store.parties.save("discord:2", { id: "c", name: "theirs" });
        expect(await store.parties.list("discord:1")).toEqual([
          { id: "b", name: undefined },
          { id: "a", name: "mine" },
        ]);
        expect(await store.parties.list("slack:T1:1")).toEqual([]);
      });

      it("are renamed and brought forward by saving them again", async () => {
        await store.parties.save("o", { id: "a", name: "old" });
        await store.parties.save("o", { id: "b", name: undefined });
        await store.parties.save("o", { id: "a", name: "new" });
        expect(await store.parties.list("o")).toEqual([
          { id: "a", name: "new" },
          { id: "b", name: undefined },
        ]);
      });

      it("are forgotten once, and only their owner's", async () => {
        await store.parties.save("o", { id: "a", name: undefined });
        expect(await store.parties.forget("other", "a")).toBe(false);
        expect([await store.parties.forget("o", "a"), await store.parties.forget("o", "a")]).toEqual([true, false]);
      });

      it("are 25 at most; the 26th is refused and changes nothing", async () => {
        for (let index = 0; index < 25; index += 1) await store.parties.save("o", { id: `p${index}`, name: undefined });
        expect(await store.parties.save("o", { id: "p25", name: undefined })).toBe("full");
        expect(await store.parties.save("o", { id: "p3", name: "again" })).toBe("saved");
        expect(await store.parties.list("o")).toHaveLength(25);
      });
    });

    describe("servers' choices for their answers", () => {
      const choice = (platform: string, workspace: string, more: Partial<AnswerChoice> = {}): AnswerChoice => ({
        platform,
        workspace,
        markets: "channel",
        by: "ann",
        at: 1_700_000_000_000,
        ...more,
      });

      it("are one for each server, the last one, and outlive a restart", async () => {
        expect(await store.answers.all()).toEqual([]);
        await store.answers.keep(choice("discord", "1"));
        await store.answers.keep(choice("slack", "1"));
        await store.answers.keep(choice("discord", "2"));
        const later = choice("discord", "1", { markets: "caller", by: "bob", at: 1_800_000_000_000 });
        await store.answers.keep(later);
        await store.close();
        store = await under.reopen();
        const all = await store.answers.all();
        expect(all).toHaveLength(3);
        expect(all).toEqual(expect.arrayContaining([later, choice("slack", "1"), choice("discord", "2")]));
      });
    });

    describe("ids seen", () => {
      it("are found by their beginning, whatever the case, and given back as they were written", async () => {
        await note("mainnet", seen("abc1"), seen("ABd2"), seen("xabc"));
        expect(await find("aB")).toEqual(["abc1", "ABd2"]);
        expect(await find("ABC1")).toEqual(["abc1"]);
        expect(await find("bc")).toEqual([]);
      });

      it("are found by any part of their label, in any script", async () => {
        await note("mainnet", seen("1", "BTC/USD Perpetual"), seen("2", "ÄTHER/EUR"), seen("3"));
        expect(await find("perp")).toEqual(["1"]);
        expect(await find("äther")).toEqual(["2"]);
        expect(await store.seen.find("mainnet", "market", "3", 10)).toEqual([seen("3")]);
      });

      it("are offered newest first, and within one call in the order given", async () => {
        await note("mainnet", seen("a1"), seen("a2"));
        await note("mainnet", seen("a3"), seen("a4"));
        await note("mainnet", seen("a2"));
        expect(await find("a")).toEqual(["a2", "a3", "a4", "a1"]);
        expect(await find("", 2)).toEqual(["a2", "a3"]);
      });

      it("keep a label until another one comes", async () => {
        await note("mainnet", seen("m", "OLD"));
        await note("mainnet", seen("m"));
        expect(await find("old")).toEqual(["m"]);
        await note("mainnet", seen("m", "NEW"));
        expect(await find("old")).toEqual([]);
        expect(await find("new")).toEqual(["m"]);
      });

      it("take a new label at once, even where the id was noted a moment ago", async () => {
        await note("mainnet", seen("m"));
        await store.seen.note("mainnet", "market", [seen("m", "LATE")]);
        expect(await find("late")).toEqual(["m"]);
      });

      it("stay apart by network and kind", async () => {
        await note("mainnet", seen("m1"));
        await note("testnet", seen("m2"));
        await store.seen.note("mainnet", "party", [seen("m3")]);
        expect(await find("m")).toEqual(["m1"]);
        expect(await find("m", 10, "testnet")).toEqual(["m2"]);
        expect(ids(await store.seen.find("mainnet", "party", "m", 10))).toEqual(["m3"]);
      });

      it.each(["%", "_", "\\", "'", "a%", "*", "["])("take %s as what it is, not as a pattern", async (typed) => {
        await note("mainnet", seen("abc"), seen(`x${typed}y`, `has ${typed}`));
        expect(await find(typed)).toEqual([`x${typed}y`]);
      });

      it("ignore what can be no id, and note each one once", async () => {
        await note("mainnet", seen(""), seen("x".repeat(201)), seen("a", "A"), seen("a", "B"), seen("b", ""));
        expect(await store.seen.find("mainnet", "market", "", 10)).toEqual([seen("a", "A"), seen("b")]);
      });

      it("are bounded: beyond 10,000 of a kind the oldest go, and no other kind suffers", async () => {
        await store.seen.note("mainnet", "party", [seen("other")]);
        await note("mainnet", seen("old1"), seen("old2"));
        await note("mainnet", ...Array.from({ length: 9_999 }, (_, index) => seen(`n${index}`)));
        expect(await find("old")).toEqual(["old1"]);
        expect(await find("", 20_000)).toHaveLength(10_000);
        expect(await find("n9998")).toEqual(["n9998"]);
        expect(ids(await store.seen.find("mainnet", "party", "", 10))).toEqual(["other"]);
      });

      it("outlive a restart", async () => {
        await note("mainnet", seen("a", "A"));
        await store.close();
        store = await under.reopen();
        expect(await store.seen.find("mainnet", "market", "a", 10)).toEqual([seen("a", "A")]);
      });
    });

    describe("button payloads", () => {
      const value = { command: "market show", options: { market: "BTC/USD", page: 2, private: true }, by: "U1", v: 1 };

      it("are noted as used once, until nobody would take it", async () => {
        const { payloads } = store;
        const until = under.clock.millis + 600_000;
        const used = await Promise.all([1, 2, 3].map(() => payloads.useOnce("s", until)));
        expect(used.filter(Boolean)).toHaveLength(1);
        expect(await payloads.useOnce("other", until)).toBe(true);
        under.clock.millis = until;
        expect(await payloads.useOnce("s", until + 1)).toBe(true);
      });

      it("come back under a short key, until they expire", async () => {
        const key = await store.payloads.put(value, 5000);
        expect(key).toMatch(/^[\w-]{1,22}$/u);
        expect(await store.payloads.get(key)).toEqual(value);
        under.clock.millis += 4999;
        expect(await store.payloads.get(key)).toEqual(value);
        under.clock.millis += 1;
        expect(await store.payloads.get(key)).toBeUndefined();
      });

      it("are unknown under any other key", async () => {
        await store.payloads.put(value, 5000);
        expect(await store.payloads.get("nobody-put-this")).toBeUndefined();
        expect(await store.payloads.get("")).toBeUndefined();
      });

      it("live as long as the latest expiry of an equal value", async () => {
        const key = await store.payloads.put(value, 10_000);
        expect(await store.payloads.put(value, 1000)).toBe(key);
        under.clock.millis += 9000;
        expect(await store.payloads.get(key)).toEqual(value);
        expect(await store.payloads.put({ ...value, by: "U2" }, 1000)).not.toBe(key);
      });

      it("are valid again when put again after they expired", async () => {
        const key = await store.payloads.put(value, 1000);
        under.clock.millis += 3_600_000;
        await store.payloads.put(value, 1000);
        expect(await store.payloads.get(key)).toEqual(value);
      });

      it.each([null, 0, "", false, [], "\u{1F41E} ' \\ %"])("may be any JSON value, %j too", async (any) => {
        expect(await store.payloads.get(await store.payloads.put(any, 1000))).toEqual(any);
      });

      it("refuse what is no JSON value, and what is no button's size", async () => {
        await expect(store.payloads.put(undefined, 1000)).rejects.toThrow(TypeError);
        await expect(store.payloads.put(1n, 1000)).rejects.toThrow(TypeError);
        await expect(store.payloads.put("x".repeat(300_000), 1000)).rejects.toThrow(RangeError);
      });

      it("outlive a restart", async () => {
        const key = await store.payloads.put(value, 5000);
        await store.close();
        store = await under.reopen();
        expect(await store.payloads.get(key)).toEqual(value);
      });
    });

    describe("a transaction", () => {
      const put = (tables: TransactionTables, watcher: string) =>
        tables.alerts.watch.putSnapshot("mainnet", watcher, 1000, "{}");
      const isThere = (watcher: string) =>
        store.transaction(async ({ alerts }) => (await alerts.watch.snapshot("mainnet", watcher)) !== undefined);

      it("keeps all of its work, and returns its result", async () => {
        const result = await store.transaction(async (tables) => {
          await put(tables, "in");
          await put(tables, "too");
          return "done";
        });
        expect(result).toBe("done");
        expect([await isThere("in"), await isThere("too")]).toEqual([true, true]);
      });

      it("keeps nothing when it fails, and passes the error on", async () => {
        const failing = store.transaction(async (tables) => {
          await put(tables, "out");
          throw new Error("changed its mind");
        });
        await expect(failing).rejects.toThrow("changed its mind");
        expect(await isThere("out")).toBe(false);
      });

      it("is read by what reads alone, which passes result and error on", async () => {
        await store.transaction((tables) => put(tables, "in"));
        const ats = await store.read(({ alerts }) => alerts.watch.observedAts("mainnet"));
        expect(ats.get("in")).toBe(1000);
        const failing = store.read(async () => {
          throw new Error("changed its mind");
        });
        await expect(failing).rejects.toThrow("changed its mind");
      });

      it("is isolated from calls outside of it", async () => {
        const inside = store.transaction(async (tables) => {
          await put(tables, "t1");
          await put(tables, "t2");
          throw new Error("undone");
        });
        const outside = store.seen.note("mainnet", "market", [seen("t3")]);
        const found = isThere("t1");
        await expect(inside).rejects.toThrow("undone");
        await outside;
        expect(await found).toBe(false);
        expect(await find("t")).toEqual(["t3"]);
      });
    });

    it("keeps a hundred calls at once apart", async () => {
      const keys = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          await store.seen.note("mainnet", "order", [seen(`o${index}`)]);
          return store.payloads.put({ index }, 60_000);
        }),
      );
      expect(new Set(keys).size).toBe(100);
      expect(await Promise.all(keys.map((key) => store.payloads.get(key)))).toEqual(
        keys.map((_, index) => ({ index })),
      );
      expect(await store.seen.find("mainnet", "order", "o", 1000)).toHaveLength(100);
    });

    it("finishes calls that began before it was closed, though their callers did not wait", async () => {
      const noted = store.seen.note("mainnet", "market", [seen("a", "A")]);
      await store.close();
      await noted;
      store = await under.reopen();
      expect(await find("a")).toEqual(["a"]);
    });

    it("may be closed twice, and says so when used afterwards", async () => {
      await store.ping();
      await store.close();
      await store.close();
      await expect(store.ping()).rejects.toThrow("closed");
    });
  });
}
