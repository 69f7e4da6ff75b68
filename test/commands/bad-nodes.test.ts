import { describe, expect, test } from "vitest";

import type { FaultRequest } from "../../src/simulator/faults/faults.ts";
import { loopbackNode, NO_ROUTE, type StubResponse } from "../support/loopback-node.ts";
import { saying } from "../support/said.ts";
import { talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

// Whatever is wrong with the only node there is, each command says so in a sentence that names it, as the network's failure.

const faults: [string, Omit<FaultRequest, "network">, RegExp][] = [
  ["dead", { kind: "die" }, /broke off|refused|reach/u],
  ["failing", { kind: "server-error", status: 503 }, /503/u],
  ["banning", { kind: "ban" }, /403|refuses|banned/u],
  ["babbling", { kind: "garbage", body: "html" }, /no data node|web page/iu],
  ["cut short", { kind: "garbage", body: "truncated" }, /not JSON|cannot be understood/u],
  ["sending other types", { kind: "garbage", body: "wrong-types" }, /cannot be understood/u],
];

describe.each(faults)("a %s node", (_name, fault, said) => {
  test("is named by every command", async () => {
    const conversation = await talkToSimulator();
    const { samples, simulator } = conversation;
    const lines = [
      "time",
      "info",
      "market list",
      `market show ${samples.marketId}`,
      `order ${samples.orderId}`,
      "stake",
      `stake ${samples.partyId}`,
      "rotations",
      "snapshots",
      "checkpoints",
      `bundle list-asset ${samples.assetId}`,
      `bundle asset-limits ${samples.proposalId}`,
    ];
    for (const line of lines) {
      simulator.faults.set({ ...fault, network: "mainnet" });
      const screen = await conversation.ask(line);
      expect.soft(conversation.lastReply.failure).toBe("network");
      expect.soft(screen).toMatch(/sim-1|127\.0\.0\.1/u);
      expect.soft(screen).toMatch(said);
      simulator.faults.clear();
    }
  });
});

test("when one of several nodes is dead, the others answer for it", async () => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  simulator.faults.set({ kind: "die", network: "mainnet", node: 1 });
  expect(await ask("market list")).toMatch(/mainnet · sim-[23] · block/u);
});

test.each<[string, StubResponse, number?]>([
  ["a page of 404", { status: 404, body: "<html>" }, 404],
  ["a page", { body: "\n<!DOCTYPE html>" }],
  ["no such route", NO_ROUTE, 404],
  ["teapot", { status: 418 }, 418],
])("an answer of %s is told as what it is", async (_name, say, status) => {
  await using node = await loopbackNode(() => say);
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  expect(await conversation.ask("market list")).toMatch(
    saying("✗", "mainnet", ...(status === undefined ? [] : [status])),
  );
  expect(conversation.lastReply.failure).toBe("network");
});
