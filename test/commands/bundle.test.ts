import { text } from "node:stream/consumers";

import { expect, test } from "vitest";

import type { Inline } from "../../src/reply/text.ts";
import { saying } from "../support/said.ts";
import { talkToSimulator } from "./conversation.ts";

test("a list-asset bundle shows every value, each to be copied", async () => {
  const { ask, lastReplyOf, samples } = await start();
  const screen = await ask(`bundle list-asset ${samples.assetSymbol}`);
  expect(screen).toMatch(saying("✓", "USDT", /\d+/u));
  for (const name of ["Asset id", "Token contract", "Nonce"]) expect(screen).toContain(name);
  const fields = lastReplyOf().blocks.flatMap((block) => (block.kind === "fields" ? block.fields : []));
  const copyable = (inlines: readonly Inline[]): boolean => inlines.some((inline) => inline.kind === "code");
  expect(fields.filter(({ value }) => copyable(value))).toHaveLength(3);
  const signatures = lastReplyOf().blocks.flatMap((block) => (block.kind === "code" ? [block.text] : []));
  expect(signatures).toEqual([expect.stringMatching(/^0x[0-9a-f]{130,}$/u)]);
  const [file] = lastReplyOf().attachments;
  expect(file?.name).toMatch(/bundle\.json$/u);
  const bundle = JSON.parse(await text(file!.open())) as Record<string, unknown>;
  expect(bundle).toMatchObject({ networkAssetId: samples.assetId, signatures: signatures[0] });
  // An integer wider than JSON's numbers keeps its digits.
  expect(screen).toContain(bundle["nonce"]);
});

test("an unsigned bundle says so plainly", async () => {
  const { ask, samples } = await start();
  expect(await ask("bundle list-asset NEW")).toMatch(saying("!", samples.unsignedAssetId));
  expect(await ask(`bundle asset-limits ${samples.unsignedProposalId}`)).toMatch(
    saying("!", samples.unsignedProposalId),
  );
});

test("limits stand in units, and below the fold as integers under the names that the bridge gives them", async () => {
  const { ask, samples } = await start();
  const screen = await ask(`bundle asset-limits ${samples.proposalId}`);
  expect(screen).toMatch(/deposit limit +[\d,.]+ \w+$/mu);
  expect(screen).toMatch(/threshold +[\d,.]+ \w+$/mu);
  expect(screen).toMatch(/Limit in smallest units +\d+$/mu);
  expect(screen).toMatch(/Threshold in smallest units +\d+$/mu);
});

test("a subject without a bundle is the caller's mistake, and the reply says so", async () => {
  const { ask, lastReplyOf, samples } = await start();
  expect(await ask(`bundle asset-limits ${samples.marketProposalId}`)).toMatch(saying("!", samples.marketProposalId));
  expect(lastReplyOf().failure).toBe("caller");
  expect(await ask("bundle list-asset tDAI")).toMatch(saying("!", "tDAI", "ERC20"));
  expect(await ask(`bundle list-asset ${"0".repeat(64)}`)).toMatch(saying("!", "mainnet", /0{64}/u));
  expect(await ask(`bundle asset-limits ${"0".repeat(64)}`)).toMatch(saying("!", "mainnet", /0{64}/u));
  expect(lastReplyOf().failure).toBe("caller");
  expect(await ask("bundle list-asset USDTT")).toMatch(saying("USDT"));
});

async function start() {
  const conversation = await talkToSimulator();
  return { ask: conversation.ask, samples: conversation.samples, lastReplyOf: () => conversation.lastReply };
}
