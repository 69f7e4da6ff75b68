import { expect, test } from "vitest";

import { joinPlans } from "../../../../src/alerts/deliver/outbox/batch.ts";
import { type Chunk, parseChunk, splitIntoChunks, toChunkRow } from "../../../../src/alerts/deliver/outbox/chunk.ts";
import { anEpisode } from "../../samples.ts";
import { MessageCollector } from "../../../../src/alerts/deliver/outbox/stored-messages.ts";

const destination = (channel: string) => ({ platform: "slack", workspace: "T1", channel });
const told = { style: "live", state: "told", severity: "critical", reminders: 2, toldMillis: 5, shown: "x" } as const;

/** Some with all that there may be, some with the least. */
const chunk: Chunk = {
  deliveries: [
    { id: "1", destination: destination("C1"), phase: "trigger", message: "m", episode: "e", mention: "S1" },
    { id: "2", destination: { ...destination("C2"), thread: "1.2" }, phase: "trigger", message: "m", quiet: true },
    { id: "3", destination: destination("C3"), phase: "state", message: "n", edits: "1", threadOf: "1" },
  ],
  states: [
    { episode: "e", destination: "slack/T1/C1/", state: { ...told, destination: destination("C1"), trigger: "1" } },
    {
      episode: "e",
      destination: "slack/T1/C2/",
      state: { destination: destination("C2"), style: "plain", state: "suppressed", by: "a silence", reminders: 0 },
    },
  ],
};

test("a chunk is read as it was written", () => {
  const row = toChunkRow("slack", chunk, 7);
  expect(row).toMatchObject({ platform: "slack", owed: 3, created_at: 7 });
  expect(parseChunk(row)).toEqual(chunk);
});

test.each([
  [5, [5]],
  [4, [3, 2]],
  [2, [2, 1, 2]],
])("a batch of 5 rows in chunks of %d", (size, rows) => {
  const [one, two] = [anEpisode("network.stalled"), anEpisode("market.auction", { subject: "m1" })];
  const message = { type: "condition", phase: "trigger", episode: one } as const;
  const state = { destination: destination("C1"), style: "live", state: "told", reminders: 0 } as const;
  const [deliveries, states] = [
    ["1", "2", "3"].map((id) => ({ id, destination: destination("C1"), phase: "trigger", message }) as const),
    [one, two].map(({ id: episode }) => ({ episode, destination: "slack/T1/C1/", state })),
  ];
  const batch = joinPlans([{ deliveries, states }]);
  const chunks = splitIntoChunks(batch, new MessageCollector(), size);
  expect(chunks.map(({ chunk }) => chunk()).map(({ deliveries, states }) => deliveries.length + states.length)).toEqual(
    rows,
  );
});

test("of what is critical the messages are urgent, and their edits are not", () => {
  const message = { type: "condition", phase: "state", episode: anEpisode("network.stalled") } as const;
  const usual = { destination: destination("C1"), phase: "state", message } as const;
  const batch = joinPlans([
    {
      deliveries: [
        { id: "1", ...usual },
        { id: "2", ...usual, edits: "1" },
      ],
    },
  ]);
  const [{ chunk } = {}] = splitIntoChunks(batch, new MessageCollector());
  expect(chunk?.().deliveries.map(({ urgency }) => urgency)).toEqual([2, undefined]);
});

test("an unreadable chunk is undefined", () => {
  const unreadable = [
    {},
    { deliveries: {} },
    { deliveries: { same: {}, each: [{ id: "1" }] }, states: { same: {}, each: [] } },
  ];
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
  const { data } = toChunkRow("slack", { deliveries, states: [] }, 0);
  expect(data.match(/the-message-of-all/gu)).toHaveLength(1);
  expect(data.match(/network\.stalled/gu)).toHaveLength(1);
});
