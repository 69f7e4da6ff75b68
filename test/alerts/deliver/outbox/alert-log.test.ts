import { setImmediate } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { logDecisions } from "../../../../src/alerts/deliver/outbox/alert-log.ts";
import { type LogEntry, createAlertService } from "../../../../src/alerts/service/service.ts";
import { logPage, searchLog } from "../../../../src/answers/alerts/episodes/alert-log.ts";
import { arrivals, delivery } from "../../../store/alert-tables/alert-rows.ts";
import { openStage, type Stage } from "../../stage.ts";

const ROWS = 1200;
const here = "d1";

/** A log of decisions and deliveries, of which every other one is about another place, and the newest deliveries owed. */
async function filled(): Promise<Stage> {
  const stage = await openStage();
  const at = stage.now();
  await stage.stopDelivering();
  await stage.store.transaction(async ({ alerts: { log, outbox } }) => {
    const none = { network: "mainnet", episode: null, delivery: null, detail: null };
    await log.add(
      Array.from({ length: ROWS }, (_, index) => {
        const destination = index % 3 === 0 ? null : `d${index % 2}`;
        return { ...none, at: at + index * 10, what: `decision ${index}`, destination };
      }),
    );
    await outbox.add(
      Array.from({ length: ROWS }, (_, index) =>
        delivery(`m${index}`, `d${index % 2}`, {
          created_at: at + index * 10 + 3,
          ...(index % 5 === 0 ? {} : { episode: `node.down|mainnet|a:1|${index % 7}` }),
        }),
      ),
    );
    for (let index = 0; index < ROWS - 10; index += 1)
      await outbox.markArrived(arrivals([`m${index}`], 0, at + index * 10 + 25));
    const arrived = at + (ROWS - 11) * 10 + 20;
    await outbox.putReceipts([
      { delivery: `m${ROWS - 11}`, platform: "fake", channel: "c", message: "77", at: arrived },
    ]);
  });
  return stage;
}

const key = ({ of, row }: LogEntry): string => `${of} ${"id" in row ? row.id : row.what}`;

describe("the log", () => {
  it.each([{ destination: undefined }, { destination: here }])(
    "has the same entries in pages as in batches, in order ($destination)",
    async ({ destination }) => {
      const stage = await filled();
      const { log } = stage.engine;
      const of = { within: 700, destination };
      const { entries, more } = await log.count(of);
      expect(more).toBe(destination === undefined);
      const paged: LogEntry[] = [];
      for (let from = 0; from < entries; from += 90) paged.push(...(await log.page(of, from, from + 90)));
      expect(paged.length).toBe(entries);
      expect(paged.map(({ at }) => at)).toEqual(paged.map(({ at }) => at).toSorted((a, b) => b - a));
      const all: LogEntry[] = [];
      for await (const batch of log.batches(of, 90)) {
        expect(batch.length).toBeLessThanOrEqual(90);
        all.push(...batch);
      }
      const last = all.find(({ of: what }) => what === "outcome");
      expect(last?.of === "outcome" ? last.receipt?.message : last).toBe("77");
      expect(all.map(key)).toEqual(paged.map(key));
      const own = (destination === undefined ? [] : all).filter(({ row }) => row.destination !== null);
      expect(new Set(own.map(({ row }) => row.destination))).toEqual(new Set(own.length === 0 ? [] : [here]));
    },
  );

  it("says that there are more decisions than are counted, where there is no delivery", async () => {
    const { engine, store } = await openStage();
    await store.transaction(({ alerts }) => logDecisions(alerts, [{ what: "one" }, { what: "two" }], 1));
    expect(await engine.log.count({ within: 2, destination: undefined })).toEqual({ entries: 2, more: true });
    expect(await engine.log.count({ within: 3, destination: undefined })).toEqual({ entries: 2, more: false });
  });

  it("says that there are more deliveries than are counted, where there is no decision", async () => {
    const { engine, store } = await openStage();
    await store.transaction(async ({ alerts: { outbox } }) => {
      await outbox.add(["a", "b"].map((id) => delivery(id, here, { platform: "nowhere" })));
      await outbox.markArrived(arrivals(["a", "b"], 0, 1));
    });
    expect(await engine.log.count({ within: 2, destination: undefined })).toEqual({ entries: 2, more: true });
    expect(await engine.log.count({ within: 3, destination: undefined })).toEqual({ entries: 2, more: false });
  });

  it.each([
    [4, 4, [4, 2]],
    [2, 2, [2, 2]],
    [3, 2, [2, 2, 2]],
    [9, 5, [5, 1]],
  ])("of 3 decisions and 3 deliveries, at most %d of each, in batches of %d", async (within, size, read) => {
    const { engine, store } = await openStage();
    await store.transaction(async ({ alerts }) => {
      await logDecisions(alerts, [{ what: "one" }, { what: "two" }, { what: "three" }], 1);
      const ids = ["a", "b", "c"];
      await alerts.outbox.add(ids.map((id) => delivery(id, here, { platform: "nowhere" })));
      await alerts.outbox.markArrived(arrivals(ids, 0, 1));
    });
    const sizes: number[] = [];
    for await (const batch of engine.log.batches({ within, destination: undefined }, size)) sizes.push(batch.length);
    expect(sizes).toEqual(read);
  });

  it("yields to other work while all of it is read", async () => {
    const stage = await filled();
    const service = createAlertService(stage.engine, stage.config);
    let turns = 0;
    const searched = new AbortController();
    const others = (async () => {
      for (; !searched.signal.aborted; turns += 1) await setImmediate();
    })();
    const signal = AbortSignal.timeout(10_000);
    const found = await searchLog(service, { here: undefined, wanted: "decision 11", network: "mainnet", signal });
    searched.abort();
    await others;
    expect(found.rows.map(({ what }) => what).slice(-2)).toEqual(["decision 110", "decision 11"]);
    expect(turns).toBeGreaterThan(4);
    const page = await logPage(service, undefined, () => ({ from: 0, to: 3 }));
    expect(page.rows.map(({ what }) => what)).toEqual(["decision 1199", "decision 1198", "decision 1197"]);
  });

  it("is no longer read once nobody waits for it", async () => {
    const stage = await filled();
    const service = createAlertService(stage.engine, stage.config);
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(searchLog(service, { here: undefined, wanted: "x", network: undefined, signal })).rejects.toThrow(
      "gone",
    );
  });
});
