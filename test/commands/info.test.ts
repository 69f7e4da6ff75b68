import { expect, onTestFinished, test } from "vitest";

import { loopbackNode, type StubResponse } from "../support/loopback-node.ts";
import { talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

test("one node: its version and commit, and whether the bot was built for it", async () => {
  const { ask } = await talkToSimulator();
  const screen = await ask("info");
  expect(screen).toMatch(/^✓ mainnet: data node v0\.71\.6/u);
  expect(screen).toContain("Built for v0.71; this node says v0.71.6.");
  expect(screen).toMatch(/Commit +0d6ad7f1e7d2f0f1b5c8a1b5c7e9f0a3d4c2b1a0/u);
});

test("another release is named beside the one the bot was built for", async () => {
  const { ask, simulator } = await talkToSimulator();
  simulator.configure("mainnet", 1, { version: "v0.74.1" });
  const screen = await ask("info");
  expect(screen).toContain("Built for v0.71; this node says v0.74.1.");
  expect(screen).toContain("passed through");
});

test("differences between nodes are marked", async () => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  expect(await ask("info")).toMatch(/sim-3 +v0\.71\.4 +[0-9a-f]{40} +other version/u);
  simulator.configure("mainnet", 3, { version: "v0.71.6", commitHash: "ff".repeat(20) });
  const screen = await ask("info");
  expect(screen).toContain("from different commits");
  expect(screen).toMatch(/sim-3 +v0\.71\.6 +(ff){20} +other commit/u);
});

test("a node that does not answer has its line; when none does, the network failed", async () => {
  const { ask, askFor, simulator } = await talkToSimulator({ nodes: 3 });
  simulator.faults.set({ kind: "die", network: "mainnet", node: 2 });
  const screen = await ask("info");
  expect(screen).toMatch(/^! .*1 of 3 nodes did not answer/u);
  expect(screen).toMatch(/sim-2 .* no answer: broke off the connection/u);
  simulator.faults.set({ kind: "die", network: "mainnet" });
  expect(await askFor("info")).toMatchObject({ failure: "network", tone: "bad" });
});

test("a silent node does not delay the others' answers, and is reported as silent", { timeout: 15_000 }, async () => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  simulator.faults.set({ kind: "slow", millis: 60_000, network: "mainnet", node: 2 });
  const screen = await ask("info");
  expect(screen).toMatch(/^! .*1 of 3 nodes did not answer/u);
  expect(screen).toMatch(/sim-2 .* no answer: did not answer within 3 s/u);
  expect(screen).toMatch(/sim-3 +v0\.71\./u);
});

test.each<[string, readonly StubResponse[], RegExp]>([
  ["one that names nothing", [{ body: { version: "" } }], /^! mainnet: the data node names no version/u],
  [
    "two that name nothing",
    [{ body: { version: "" } }, { body: { version: "" } }],
    /^! mainnet: 2 of 2 data nodes name no version/u,
  ],
  [
    "one of two",
    [{ body: { version: "" } }, { body: { version: "v0.71.6", commitHash: "ab" } }],
    /^! mainnet: 1 of 2 data nodes names no version/u,
  ],
  [
    "pages of a proxy",
    [{ body: "<html>hello" }, { status: 404, body: "<html>" }],
    /^✗ mainnet: none of 2 data nodes gives a usable answer[^]* no usable answer: /u,
  ],
])("no version is no good news: %s", async (_name, says, shown) => {
  expect(await askNodes(says, "info")).toMatch(shown);
});

async function askNodes(says: readonly StubResponse[], line: string): Promise<string> {
  const nodes = await Promise.all(says.map((say) => loopbackNode(() => say)));
  const conversation = await talk({ networks: { mainnet: nodes.map(({ url }) => url) } });
  onTestFinished(async () => {
    await conversation[Symbol.asyncDispose]();
    await Promise.all(nodes.map((node) => node.close()));
  });
  return conversation.ask(line);
}
