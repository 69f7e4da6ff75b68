import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { OpenAnswerRow, Store } from "../../src/store/store.ts";
import type { StoreUnderTest } from "./contract.ts";

/** What every engine keeps of open answers. */
export function openAnswerContract(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`open answers on ${engine}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      under = await create();
      store = under.store;
    });
    afterEach(() => under.cleanUp());

    const row = (more: Partial<OpenAnswerRow> = {}): OpenAnswerRow => ({
      id: "a",
      platform: "chat",
      workspace: "T1",
      process: "dead",
      sealed: "k.1",
      answering: 0,
      expires_at: under.clock.millis + 900_000,
      ...more,
    });

    it("are left where their process is dead, until they expire", async () => {
      const { openAnswers, processes } = store;
      await processes.heartbeat();
      await openAnswers.put(row());
      await openAnswers.put(row({ id: "b", process: processes.self }));
      await openAnswers.put(row({ id: "c", platform: "other" }));
      expect(await openAnswers.left("chat", processes.self)).toEqual([row()]);
      await openAnswers.put(row({ sealed: "k.2", answering: 1 }));
      expect(await openAnswers.left("chat", processes.self)).toEqual([row({ sealed: "k.2", answering: 1 })]);
      await openAnswers.remove("c");
      expect(await openAnswers.left("other", processes.self)).toEqual([]);
      under.clock.millis += 900_000;
      expect(await openAnswers.left("chat", processes.self)).toEqual([]);
    });

    it("are taken by one of two that close them at once", async () => {
      const { openAnswers } = store;
      await openAnswers.put(row());
      const taken = await Promise.all(["one", "two"].map((self) => openAnswers.claim(row(), self)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      // What the other process does not finish is left again.
      expect(await openAnswers.left("chat", taken[0] === true ? "two" : "one")).toHaveLength(1);
    });

    it("are a thousand at most; what has expired makes room", async () => {
      const { openAnswers } = store;
      await Promise.all(Array.from({ length: 1000 }, (_, n) => openAnswers.put(row({ id: `a${n}` }))));
      await openAnswers.put(row({ id: "beyond" }));
      await openAnswers.put(row({ id: "a0", answering: 1 }));
      const left = await openAnswers.left("chat", "self");
      expect(left).toHaveLength(1000);
      expect(left.find(({ id }) => id === "a0")?.answering).toBe(1);
      under.clock.millis += 900_000;
      await openAnswers.put(row({ id: "later" }));
      expect((await openAnswers.left("chat", "self")).map(({ id }) => id)).toEqual(["later"]);
    });
  });
}
