import { expect, test } from "vitest";

import { type Chunk, parseChunk, toChunkRow } from "../../../src/alerts/outbox/chunk.ts";

const destination = (channel: string) => ({ platform: "slack", workspace: "T1", channel });
const told = { style: "live", state: "told", severity: "critical", reminders: 2, toldMillis: 5, shown: "x" } as const;

/** Some with all that there may be, some with the least. */
const chunk: Chunk = {
  deliveries: [
    { id: "1", destination: destination("C1"), phase: "trigger", message: "m", episode: "e", mention: "S1" },
    { id: "2", destination: { ...destination("C2"), thread: "1.2" }, phase: "trigger", message: "m", quiet: true },
    { id: "3", destination: destination("C3"), phase: "state", message: "n", edits: "1", threadOf: "1" },
  ],
  rolled: [{ destination: destination("C4"), message: "r" }],
  tellings: [
    { episode: "e", destination: "slack/T1/C1/", telling: { ...told, destination: destination("C1"), trigger: "1" } },
    {
      episode: "e",
      destination: "slack/T1/C2/",
      telling: { destination: destination("C2"), style: "plain", state: "suppressed", by: "a silence", reminders: 0 },
    },
  ],
};

test("a chunk is read as it was written", () => {
  const row = toChunkRow("slack", chunk, 7);
  expect(row).toMatchObject({ platform: "slack", owed: 4, created_at: 7 });
  expect(parseChunk(row)).toEqual(chunk);
});

test("the stored form of earlier versions, each row whole, is read too", () => {
  expect(parseChunk({ data: JSON.stringify(chunk) })).toEqual(chunk);
});

test("an unreadable chunk is undefined", () => {
  const unreadable = [{}, { packed: {} }, { ...chunk, deliveries: [{ id: "1" }] }];
  expect(unreadable.map((data) => parseChunk({ data: JSON.stringify(data) }))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("of a message to many destinations, only what differs is written for each", () => {
  const channels = Array.from({ length: 250 }, (_, index) => `C${index}`);
  const deliveries = channels.map((channel) => ({
    id: `delivery-${channel}`,
    destination: destination(channel),
    phase: "trigger" as const,
    message: "the-message-of-all",
    episode: "network.stalled|mainnet||1",
  }));
  const { data } = toChunkRow("slack", { deliveries, rolled: [], tellings: [] }, 0);
  expect(data.match(/the-message-of-all/gu)).toHaveLength(1);
  expect(data.match(/network\.stalled/gu)).toHaveLength(1);
});
