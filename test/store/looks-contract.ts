import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Store } from "../../src/store/store.ts";
import type { StoreUnderTest } from "./contract.ts";

/** What every engine keeps of looks. */
export function looksContract(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`looks on ${engine}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      under = await create();
      store = under.store;
    });
    afterEach(() => under.cleanUp());

    const SOURCES = { network: "mainnet", watcher: "sources" };
    const ALL = { ...SOURCES, after: 0, from: 0, to: 1e9, limit: 10 };
    const see = (at: number, look: string | undefined, watcher = "sources") =>
      store.transaction(({ alerts }) => alerts.watch.putSnapshot("mainnet", watcher, at, `{"at":${at}}`, look));
    const chunk = (...bytes: readonly number[]) => ({ first_at: 1, last_at: 2, bytes: Uint8Array.from(bytes) });

    it("are numbered beside the snapshot that each comes with", async () => {
      await see(5, "a 'look' of \u0000 and 😀");
      await see(6, undefined);
      await see(4, "b");
      await see(7, "c", "markets");
      const { tail, snapshot } = await store.read(async ({ alerts, looks }) => ({
        tail: await looks.tail(SOURCES, 10),
        snapshot: await alerts.watch.snapshot("mainnet", "sources"),
      }));
      expect(tail.map(({ number, at, data }) => [number, at, data.at(-1)])).toEqual([
        [1, 5, "😀".at(-1)],
        [2, 4, "b"],
      ]);
      expect(snapshot).toEqual({ at: 4, data: '{"at":4}' });
      // A server writes the zero byte as several.
      const bytes = await store.read(({ looks }) => looks.tailBytes());
      expect(bytes - Buffer.byteLength("a 'look' of \u0000 and 😀bc")).toBeOneOf([0, 2]);
    });

    it("are in the tail or in a chunk, never in both or in none", async () => {
      for (const at of [1, 2, 3]) await see(at, `look ${at}`);
      await store.transaction(({ looks }) => looks.pack(SOURCES, [1, 2], chunk(0, 255, 39, 92)));
      const failed = store.transaction(async ({ looks }) => {
        await looks.pack(SOURCES, [3], chunk(1));
        throw new Error("the process dies");
      });
      await expect(failed).rejects.toThrow("dies");
      await store.read(async ({ looks }) => {
        expect((await looks.tailBetween(ALL)).map(({ number }) => number)).toEqual([3]);
        const chunks = await looks.packed(ALL);
        expect(chunks.map(({ bytes, ...rest }) => ({ ...rest, bytes: [...bytes] }))).toEqual([
          { ...SOURCES, first: 1, last: 2, first_at: 1, last_at: 2, size: 4, bytes: [0, 255, 39, 92] },
        ]);
        expect(await looks.unpacked("mainnet", 3)).toEqual([]);
        expect(await looks.unpacked("mainnet", 4)).toEqual([{ watcher: "sources" }]);
        expect(await looks.stored()).toEqual({ bytes: 4, oldest: 2 });
      });
      // The next look goes on counting.
      await see(9, "look 4");
      expect((await store.read(({ looks }) => looks.tail(SOURCES, 10))).map(({ number }) => number)).toEqual([3, 4]);
    });

    it("are found by the time between which a chunk's looks were, the oldest of all first", async () => {
      for (const at of [1, 2, 3]) await see(at, "look");
      await store.transaction(async ({ looks }) => {
        for (const number of [1, 2, 3]) {
          const times = { first_at: number * 10, last_at: number * 10 + 9 };
          await looks.pack(SOURCES, [number], { ...chunk(number, number), ...times });
        }
      });
      await store.read(async ({ looks }) => {
        const found = async (from: number, to: number, after = 0) =>
          (await looks.packed({ ...ALL, from, to, after })).map(({ first }) => first);
        expect(await found(0, 9)).toEqual([]);
        expect(await found(19, 20)).toEqual([1, 2]);
        expect(await found(15, 15)).toEqual([1]);
        expect(await found(0, 99, 1)).toEqual([2, 3]);
        expect((await looks.oldest(2)).map(({ first }) => first)).toEqual([1, 2]);
      });
      await store.transaction(({ looks }) => looks.drop({ ...SOURCES, first: 1 }));
      expect(await store.read(({ looks }) => looks.stored())).toEqual({ bytes: 4, oldest: 29 });
    });
  });
}
