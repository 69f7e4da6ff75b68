import { describe, expect, it } from "vitest";

import { splitIntoChunks, toChunkRow } from "../../../../src/alerts/deliver/outbox/chunk.ts";
import { claim } from "../../../../src/alerts/deliver/outbox/claim.ts";
import { joinPlans } from "../../../../src/alerts/deliver/outbox/batch.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { ops, owed } from "./owed.ts";
import { MessageCollector } from "../../../../src/alerts/deliver/outbox/stored-messages.ts";

const newId = (): string => "new";
const sender = (more: { readonly dropsRepeatsForMillis?: number } = {}): FakeSender =>
  new FakeSender({ platform: "nowhere", now: () => 0, ...more });

it.each([
  [1, 1],
  [2, 1],
  [3, 0],
])("a claim of %d, where 2 are due, says of %d sender that more may be due", async (limit, full) => {
  const { tables, at } = await owed({ id: "a" }, { id: "b", destination: "nowhere//desk/" });
  const taken = await tables((all) => claim(all, [{ sender: sender(), limit }], at, newId, "me"));
  expect([taken.claimed.length, taken.full.length]).toEqual([Math.min(limit, 2), full]);
});

it.each([
  ["waits behind the first messages of an idle dispatcher", { isIdle: true, due: true }, 1],
  ["does not wait where none is due", { isIdle: true, due: false }, 0],
  ["does not wait while others are being sent", { isIdle: false, due: true }, 0],
])("a chunk %s", async (_what, { isIdle, due }, waiting) => {
  const { tables, at } = await owed(...(due ? [{ id: "a" }] : []));
  await tables(async (all) => {
    const message = { type: "test", by: "ada", at: "1" } as const;
    const deliveries = [{ id: "later", destination: ops, phase: "bot", message }] as const;
    const messages = new MessageCollector();
    const chunks = splitIntoChunks(joinPlans([{ deliveries }]), messages);
    const rows = chunks.map(({ chunk }) => toChunkRow("nowhere", chunk(), at));
    await all.outbox.addMessages(messages.rows(), at);
    await all.chunks.put(rows);
    const { chunked } = await claim(all, [{ sender: sender(), limit: 9 }], at, newId, "me", isIdle);
    expect([chunked, (await all.chunks.take(9)).length]).toEqual([true, waiting]);
  });
});

it("the edit of a message that may have arrived twice is no repeat", async () => {
  const { tables, at } = await owed({ id: "a", is: { shown: 0, revision: 1, attempts: 2, uncertain_since: 1 } });
  await tables(async (all) => {
    await all.outbox.putReceipts([{ delivery: "a", platform: "nowhere", channel: "ops", message: "1", at }]);
    const { claimed } = await claim(all, [{ sender: sender(), limit: 1 }], at, newId, "me");
    expect(claimed.map((one) => [one.repeat, one.edits?.message])).toEqual([[false, "1"]]);
  });
});

it("the edit of a message whose receipt is not known any more is given up", async () => {
  const { tables, at } = await owed({ id: "a", is: { shown: 0, revision: 1 } });
  await tables(async (all) => {
    const { claimed, dropped } = await claim(all, [{ sender: sender(), limit: 1 }], at, newId, "me");
    expect([claimed, dropped]).toEqual([[], true]);
    expect((await all.outbox.get(["a"]))[0]).toMatchObject({ state: "sent", shown: 1 });
  });
});

describe("a delivery that may have arrived", () => {
  it.each([
    ["is no repeat while the platform drops it", 60_001, -60_000, false],
    ["is one from then on", 60_000, -60_000, true],
    ["is one at once where the platform drops none", 0, 0, true],
    ["is one where the clock was set back since", 60_000, 1, true],
  ])("%s", async (_what, dropsRepeatsForMillis, tried, repeat) => {
    const { tables, at } = await owed({ id: "a", is: { attempts: 1 } });
    await tables(async (all) => {
      await all.outbox.update("a", { uncertain_since: at + tried });
      const taken = await claim(all, [{ sender: sender({ dropsRepeatsForMillis }), limit: 1 }], at, newId, "me");
      expect(taken.claimed.map((one) => one.repeat)).toEqual([repeat]);
    });
  });
});
