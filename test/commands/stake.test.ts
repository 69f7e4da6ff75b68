import { text } from "node:stream/consumers";

import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";

import { loopbackNode } from "../support/loopback-node.ts";
import { saying } from "../support/said.ts";
import { talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

test("without a party: the 20 largest, and all of them as CSV with exact integers", async () => {
  const { ask, lastReply } = await askOnce("stake");
  expect(ask).toMatch(/^• \d+ parties stake [\d,]+\.\d+ on mainnet/u);
  expect(ask).toMatch(/20 of \d+ rows\./u);
  const [file] = lastReply.attachments;
  const rows = parse<Record<string, string>>(await text(file!.open()), { columns: true });
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) expect(row["stake_raw"]).toMatch(/^\d+$/u);
  const stakes = rows.map((row) => BigInt(row["stake_raw"]!));
  expect(stakes).toEqual(stakes.toSorted((a, b) => (a > b ? -1 : 1)));
});

test("with a party: totals and its linkings, newest first", async () => {
  const conversation = await talkToSimulator();
  const screen = await conversation.ask(`stake ${conversation.samples.partyId}`);
  expect(screen).toMatch(saying("•", /[\d,]+\.\d+/u));
  expect(screen).toMatch(saying("•", /[\d,.]+/u));
  const times = [...screen.matchAll(/^ +(?:un)?link .*?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/gmu)].map((match) => match[1]);
  expect(times.length).toBeGreaterThan(1);
  expect(times).toEqual(times.toSorted((a, b) => b!.localeCompare(a!)));
});

test("pending linkings are marked and summed apart", async () => {
  const party = "ab".repeat(32);
  const linking = { party, ts: "1768000000", type: "TYPE_LINK", amount: "1000000000000000000" };
  const partiesStake = [
    {
      party,
      currentStakeAvailable: "1000000000000000001",
      stakeLinkings: [
        { ...linking, status: "STATUS_ACCEPTED" },
        { ...linking, status: "STATUS_PENDING", amount: "2500000000000000000" },
        { ...linking, status: "STATUS_REJECTED", amount: "7" },
      ],
    },
  ];
  await using node = await loopbackNode(({ path }) =>
    path === "/parties/stake" ? { body: { partiesStake } } : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = await conversation.ask(`stake ${party}`);
  expect(screen).toMatch(saying("!", "abababab…abab", "1.000000000000000001"));
  expect(screen).toMatch(saying(1, "2.5", "Ethereum"));
  expect(screen).toMatch(saying("!", 1));
  expect(await conversation.ask("stake")).toMatch(saying("•", 1));
});

test("a party without stake is said to have none, without pretending to know it", async () => {
  const { ask } = await askOnce(`stake ${"0".repeat(64)}`);
  expect(ask).toMatch(saying("•", "00000000…0000"));
  expect(ask).toMatch(/^•/u);
});

async function askOnce(line: string) {
  const conversation = await talkToSimulator();
  return { ask: await conversation.ask(line), lastReply: conversation.lastReply };
}
