import { expect, test } from "vitest";

import { withSampleIds } from "../../src/main/seen-ids.ts";
import { sampleIds } from "../support/sample-ids.ts";
import type { SeenId, SeenIds } from "../../src/store/store.ts";

const samples = sampleIds("bellwether");
const { orderId, rejectedOrderId, proposalId } = samples.mainnet;

function remembering(found: readonly SeenId[]): SeenIds & { readonly noted: string[] } {
  const noted: string[] = [];
  return {
    noted,
    note: async (network, kind, ids) => void noted.push(...ids.map(({ id }) => `${network} ${kind} ${id}`)),
    find: async (_network, _kind, _typed, limit) => found.slice(0, limit),
  };
}

const idsOf = (found: readonly SeenId[]): string[] => found.map(({ id }) => id);

test("what was seen comes first, then what the simulated network has to show", async () => {
  const store = remembering([{ id: "5ee4", label: "seen" }]);
  const seen = withSampleIds(store, samples);
  expect(idsOf(await seen.find("mainnet", "order", "", 3))).toEqual(["5ee4", orderId, rejectedOrderId]);
  expect(idsOf(await seen.find("mainnet", "order", "", 1))).toEqual(["5ee4"]);
  expect(idsOf(await seen.find("mainnet", "order", ` ${rejectedOrderId.slice(0, 6).toUpperCase()}`, 9))).toEqual([
    "5ee4",
    rejectedOrderId,
  ]);
  expect(await seen.find("mainnet", "order", "reject", 9)).toEqual([
    { id: "5ee4", label: "seen" },
    { id: rejectedOrderId, label: "rejected" },
  ]);
  expect(store.noted).toEqual([]);
});

test("each network shows its own, once, and kinds that lists name none", async () => {
  const seen = withSampleIds(remembering([{ id: proposalId, label: undefined }]), samples);
  expect(idsOf(await seen.find("mainnet", "proposal", "", 9))).toEqual([
    proposalId,
    samples.mainnet.unsignedProposalId,
  ]);
  expect(idsOf(await seen.find("testnet", "proposal", "", 9))).toContain(samples.testnet.proposalId);
  expect(idsOf(await seen.find("mainnet", "market", "", 9))).toEqual([proposalId]);
  expect(idsOf(await seen.find("elsewhere", "order", "", 9))).toEqual([proposalId]);
});

test("what a reply shows is noted apart from what a real network of that name shows", async () => {
  const store = remembering([]);
  await withSampleIds(store, samples).note("testnet", "party", [{ id: "ab", label: undefined }]);
  expect(store.noted).toEqual(["simulated testnet party ab"]);
});
